import Entitlements
import Hummingbird

/// `GET /api/iap/purchases`: what the user bought and what each purchase gave, newest first.
enum PurchasesRoute {
    /// - Throws: `invalid_request` for a parameter that cannot be read, `unavailable`.
    static func respond(to call: UserCall) async throws(Problem) -> Response {
        let query = try Query(call.request.uri.query)
        let (page, asOf) = (try CursorPage<PurchaseCursor>(query), try AsOf(query, now: call.now))
        let ledger = asOf.known(of: try await call.ledger(of: call.user))
        let catalogue = call.api.service.catalogue
        let status = call.api.fold(ledger, catalogue, asOf.at, explains: true).status
        let purchases = PurchaseSummary.all(in: ledger, status, catalogue)
        return .json(page.body(of: purchases) { $0.append($1) }, cacheControl: "private, no-cache")
    }
}

/// One purchase, one auto-renewable chain as its latest state shows it, or one grant; and what it gives.
struct PurchaseSummary {
    let key: PurchaseKey
    /// Nil for a grant.
    let transactionID: TransactionID?
    /// Nil for a grant that is of no product.
    let productID: ProductID?
    let kind: ProductKind?
    let quantity: Int
    let purchasedAt: Instant
    /// By the store, or by an operator who took the rest.
    let revocation: Revocation?
    let entitlement: Entitlement?
    let explanation: Explanation?

    /// All that the user has or had, newest first.
    static func all(in ledger: UserLedger, _ status: Status, _ catalogue: CatalogueVersions) -> [PurchaseSummary] {
        var latest: [PurchaseKey: VerifiedPurchase] = [:]
        var grants: [PurchaseKey: Grant] = [:]
        var withdrawals: [PurchaseKey: Instant] = [:]
        for entry in ledger.entries {
            switch entry.fact {
            case .stated(.purchase(let state)):
                if let known = latest[state.key], known.signedAt > state.signedAt { continue }
                latest[state.key] = state
            case .granted(let grant): grants[grant.key] = grant
            case .withdrawn(let key): withdrawals[key] = withdrawals[key] ?? entry.effectiveAt
            case .stated(.renewal), .bound, .gaveAway, .received, .debtPassedOn, .debtTakenOver, .credit, .device,
                .sandboxTester, .consumptionConsent:
                continue
            }
        }
        let entitlements = Dictionary(status.entitlements.map { ($0.key, $0) }, uniquingKeysWith: { first, _ in first })
        let explanations = Dictionary(status.explanation.map { ($0.key, $0) }, uniquingKeysWith: { first, _ in first })
        let purchases = latest.values.map { state in
            PurchaseSummary(
                key: state.key, transactionID: state.transactionID, productID: state.productID,
                kind: catalogue.kind(of: state), quantity: state.quantity, purchasedAt: state.purchasedAt,
                revocation: revocation(state.revocation, withdrawnAt: withdrawals[state.key]),
                entitlement: entitlements[state.key],
                explanation: explanations[state.key])
        }
        let granted = grants.values.map { grant in
            let entitlement = entitlements[grant.key]
            return PurchaseSummary(
                key: grant.key, transactionID: nil, productID: entitlement?.productID, kind: entitlement?.kind,
                quantity: 1, purchasedAt: grant.grantedAt,
                revocation: revocation(nil, withdrawnAt: withdrawals[grant.key]), entitlement: entitlement,
                explanation: explanations[grant.key])
        }
        return (purchases + granted).sorted(by: isNewer)
    }

    private static func revocation(_ shown: Revocation?, withdrawnAt: Instant?) -> Revocation? {
        guard let withdrawnAt, (shown?.takenShare ?? 0) < Revocation.fullShare else { return shown }
        return Revocation(revokedAt: withdrawnAt, share: Revocation.fullShare)
    }

    private static func isNewer(_ left: PurchaseSummary, _ right: PurchaseSummary) -> Bool {
        left.purchasedAt == right.purchasedAt ? left.key < right.key : left.purchasedAt > right.purchasedAt
    }
}

/// The place behind one purchase in the list.
private struct PurchaseCursor: PageCursor {
    private static let list = "purchases"

    private let purchasedAt: Instant
    private let key: PurchaseKey

    init(after purchase: PurchaseSummary) {
        purchasedAt = purchase.purchasedAt
        key = purchase.key
    }

    init?(_ text: String) {
        guard let parts = CursorText.decode(text, of: Self.list, parts: 1 + PurchaseKey.cursorPartCount),
            let milliseconds = Int64(parts[0]), let key = PurchaseKey(cursorParts: parts.dropFirst())
        else { return nil }
        purchasedAt = Instant(milliseconds: milliseconds)
        self.key = key
    }

    var text: String { CursorText.encode(Self.list, [String(purchasedAt.milliseconds)] + key.cursorParts) }

    func precedes(_ purchase: PurchaseSummary) -> Bool {
        purchase.purchasedAt == purchasedAt ? key < purchase.key : purchase.purchasedAt < purchasedAt
    }
}

extension JSONWriter {
    fileprivate mutating func append(_ purchase: PurchaseSummary) {
        beginObject()
        member("source", purchase.key.source.text)
        member("external_id", purchase.key.externalID.text)
        member("transaction_id", purchase.transactionID?.text)
        member("product_id", purchase.productID?.text)
        member("kind", purchase.kind?.rawValue)
        member("quantity", purchase.quantity)
        member("environment", purchase.key.environment.rawValue)
        member("purchased_at", exactly: "purchased_at_ms", purchase.purchasedAt)
        member("revoked_at", exactly: "revoked_at_ms", purchase.revocation?.revokedAt)
        member("revoked_share", purchase.revocation?.share)
        member("state", purchase.entitlement?.state.rawValue)
        name("gives")
        array(purchase.explanation?.gives ?? []) { $0.append($1) }
        member("reason", purchase.explanation?.reason?.rawValue)
        endObject()
    }
}
