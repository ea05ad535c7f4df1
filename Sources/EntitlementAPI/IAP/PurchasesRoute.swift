import Entitlements
import Hummingbird

/// `GET /api/iap/purchases`: what the user bought and what each purchase gave, newest first.
enum PurchasesRoute {
    static let maximumLimit = 100
    static let defaultLimit = 50

    /// - Throws: `invalid_request` for a limit or a cursor that is none, `unavailable`.
    static func respond(to call: UserCall) async throws(Problem) -> Response {
        let query = try Query(call.request.uri.query)
        let limit = try query.integer("limit", in: 1...maximumLimit) ?? defaultLimit
        let cursor = try query.text("cursor").map { text throws(Problem) in
            guard let cursor = PurchaseCursor(text) else {
                throw .invalidRequest("The parameter must be a cursor from an earlier page.", at: "?cursor")
            }
            return cursor
        }
        let ledger = try await call.served { () async throws(ServiceFailure) in
            try await call.api.service.ledger(of: call.user)
        }
        let catalogue = call.api.service.catalogue
        let purchases = PurchaseSummary.all(in: ledger, call.api.fold(ledger, catalogue, call.now).status, catalogue)
        let rest = purchases.drop { purchase in cursor.map { !$0.precedes(purchase) } ?? false }
        let page = rest.prefix(limit)
        let next = rest.count > page.count ? page.last.map(PurchaseCursor.init(after:)) : nil
        return .json(PurchasesBody(page, next: next).bytes, cacheControl: "private, no-cache")
    }
}

/// One purchase, or one auto-renewable chain, as its latest state shows it, and what it gives.
struct PurchaseSummary {
    let latest: VerifiedPurchase
    let kind: ProductKind?
    let entitlement: Entitlement?
    let explanation: Explanation?

    /// All that the ledger holds evidence of, newest first.
    static func all(in ledger: UserLedger, _ status: Status, _ catalogue: CatalogueVersions) -> [PurchaseSummary] {
        var latest: [PurchaseKey: VerifiedPurchase] = [:]
        for entry in ledger.entries {
            guard case .evidence(let state) = entry.fact else { continue }
            if let known = latest[state.key], known.signedAt > state.signedAt { continue }
            latest[state.key] = state
        }
        let entitlements = Dictionary(status.entitlements.map { ($0.key, $0) }, uniquingKeysWith: { first, _ in first })
        let explanations = Dictionary(status.explanation.map { ($0.key, $0) }, uniquingKeysWith: { first, _ in first })
        return latest.values.sorted(by: isNewer).map { state in
            PurchaseSummary(
                latest: state, kind: catalogue.kind(of: state), entitlement: entitlements[state.key],
                explanation: explanations[state.key])
        }
    }

    private static func isNewer(_ left: VerifiedPurchase, _ right: VerifiedPurchase) -> Bool {
        left.purchasedAt == right.purchasedAt ? left.key < right.key : left.purchasedAt > right.purchasedAt
    }
}

/// The place behind one purchase in the list; it stays right when purchases are added or end.
struct PurchaseCursor: Equatable {
    private let purchasedAt: Instant
    private let key: PurchaseKey

    init(after purchase: PurchaseSummary) {
        purchasedAt = purchase.latest.purchasedAt
        key = purchase.latest.key
    }

    /// Nil unless ``text`` made it.
    init?(_ text: String) {
        guard let bytes = Base64URL.decode(text.utf8), let decoded = String(validating: bytes, as: UTF8.self) else {
            return nil
        }
        let parts = decoded.split(separator: "\n", maxSplits: 4, omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 5, let milliseconds = Int64(parts[0]), let source = Source(rawValue: parts[1]),
            let environment = StoreEnvironment(rawValue: parts[2])
        else { return nil }
        purchasedAt = Instant(milliseconds: milliseconds)
        key = PurchaseKey(
            source: source, app: AppID(parts[3]), environment: environment, externalID: ExternalID(parts[4]))
    }

    var text: String {
        let parts = [
            String(purchasedAt.milliseconds), key.source.rawValue, key.environment.rawValue, key.app.text,
            key.externalID.text,
        ]
        return Base64URL.encode(parts.joined(separator: "\n").utf8)
    }

    /// Whether `purchase` comes behind this place.
    func precedes(_ purchase: PurchaseSummary) -> Bool {
        let other = purchase.latest
        return other.purchasedAt == purchasedAt ? key < other.key : other.purchasedAt < purchasedAt
    }
}

/// A page of purchases.
struct PurchasesBody {
    let bytes: [UInt8]

    init(_ page: some Collection<PurchaseSummary>, next: PurchaseCursor?) {
        var json = JSONWriter(capacity: 512 * (page.count + 1))
        json.beginObject()
        json.name("data")
        json.array(page) { $0.append($1) }
        json.member("next_cursor", next?.text)
        json.endObject()
        bytes = json.bytes
    }
}

extension JSONWriter {
    fileprivate mutating func append(_ purchase: PurchaseSummary) {
        let state = purchase.latest
        beginObject()
        member("source", state.key.source.rawValue)
        member("external_id", state.key.externalID.text)
        member("transaction_id", state.transactionID.text)
        member("product_id", state.productID.text)
        member("kind", purchase.kind?.rawValue)
        member("quantity", state.quantity)
        member("environment", state.key.environment.rawValue)
        member("purchased_at", exactly: "purchased_at_ms", state.purchasedAt)
        member("revoked_at", exactly: "revoked_at_ms", state.revocation?.revokedAt)
        member("state", purchase.entitlement?.state.rawValue)
        name("gives")
        array(purchase.explanation?.gives ?? []) { $0.append($1) }
        member("reason", purchase.explanation?.reason?.rawValue)
        endObject()
    }
}
