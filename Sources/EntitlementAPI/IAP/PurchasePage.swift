import Entitlements

/// A page of a user's purchases and grants. Only the rows of the page are computed, so its cost depends on their
/// number.
struct PurchasePage {
    let summaries: [PurchaseSummary]
    /// The purchases whose payments are told by events, and not by their states.
    let toldByEvents: [PurchaseKey]
    /// The instants at which purchases went to another user, whose later payments are not shown.
    private let gaveAwayAt: [PurchaseKey: Instant]
    private let nextCursor: String?

    init(_ asked: CursorPage<PurchaseCursor>, of ledger: UserLedger, _ timeline: Timeline, at: Instant) {
        let page = asked.rows(of: ListedPurchase.all(in: ledger))
        let keys = Set(page.rows.map(\.key))
        let explained = timeline.explained(keys, at: at)
        let states = Dictionary(
            grouping: ledger.entries.lazy.compactMap(\.fact.state).filter { keys.contains($0.key) }, by: \.key)
        summaries = page.rows.map {
            PurchaseSummary($0, explained[$0.key], states[$0.key] ?? [], timeline.catalogue)
        }
        gaveAwayAt = Dictionary(
            page.rows.compactMap { row in row.gaveAwayAt.map { (row.key, $0) } }, uniquingKeysWith: { $1 })
        toldByEvents = page.rows.filter { $0.state != nil && $0.key.source != .appleIAP }.map(\.key)
        nextCursor = page.nextCursor
    }

    /// The JSON of the page, given the payments that events told.
    func body(paid told: [PurchaseKey: [Payment]]) -> [UInt8] {
        CursorPage<PurchaseCursor>.body(of: (rows: summaries, nextCursor: nextCursor)) { json, purchase in
            let paid = told[purchase.key]?.filter { $0.madeAt < gaveAwayAt[purchase.key] ?? .distantFuture }
            json.append(purchase, paid: paid ?? purchase.payments)
        }
    }
}

/// A purchase or grant in the ledger, with what is needed to sort the list.
struct ListedPurchase {
    let key: PurchaseKey
    let purchasedAt: Instant
    /// The latest signed state; nil for a grant.
    let state: VerifiedPurchase?
    /// The instant of an operator's withdrawal; nil if there is none.
    let withdrawnAt: Instant?
    /// The instant at which the purchase went to another user; nil if the user has it.
    let gaveAwayAt: Instant?

    /// All purchases and grants that the user has or had, newest first.
    static func all(in ledger: UserLedger) -> [ListedPurchase] {
        var latest: [PurchaseKey: VerifiedPurchase] = [:]
        var grants: [PurchaseKey: Grant] = [:]
        var withdrawals: [PurchaseKey: Instant] = [:]
        var handovers: [PurchaseKey: Instant] = [:]
        for entry in ledger.entries {
            switch entry.fact {
            case .stated(.purchase(let state)):
                if let known = latest[state.key], state.isOlder(than: known) { continue }
                latest[state.key] = state
            case .granted(let grant): grants[grant.key] = grant
            case .withdrawn(let key): withdrawals[key] = withdrawals[key] ?? entry.effectiveAt
            case .gaveAway(let key, _): handovers[key] = entry.effectiveAt
            case .bound(let key), .received(let key, _): handovers[key] = nil
            case .stated(.renewal), .credit, .device, .sandboxTester, .consumptionConsent: continue
            }
        }
        let purchases = latest.values.map { state in
            ListedPurchase(
                key: state.key, purchasedAt: state.purchasedAt, state: state, withdrawnAt: withdrawals[state.key],
                gaveAwayAt: handovers[state.key])
        }
        let granted = grants.values.map { grant in
            ListedPurchase(
                key: grant.key, purchasedAt: grant.grantedAt, state: nil, withdrawnAt: withdrawals[grant.key],
                gaveAwayAt: handovers[grant.key])
        }
        return (purchases + granted).sorted { left, right in
            left.purchasedAt == right.purchasedAt ? left.key < right.key : left.purchasedAt > right.purchasedAt
        }
    }
}

/// A row of the answer: a purchase, a chain in its latest state, or a grant; and what it gives.
struct PurchaseSummary {
    let key: PurchaseKey
    /// The id of the latest transaction; nil for a grant.
    let transactionID: TransactionID?
    /// The product's id, as the status names it; nil while the catalogue does not know the product, and for a grant of
    /// no product.
    let productID: ProductID?
    /// The product's id in the store; nil for a grant.
    let storeProductID: ProductID?
    let kind: ProductKind?
    let quantity: Int
    let purchasedAt: Instant
    /// The revocation by the store. An operator's withdrawal takes its place, unless the store has revoked the whole
    /// purchase.
    let revocation: Revocation?
    /// The entitlement and its explanation; nil if the status does not have the purchase.
    let explained: ExplainedPurchase?
    /// The payments that the states show.
    let payments: [Payment]

    fileprivate init(
        _ row: ListedPurchase, _ explained: ExplainedPurchase?, _ states: [VerifiedPurchase],
        _ catalogue: CatalogueVersions
    ) {
        key = row.key
        payments = Payment.all(shownBy: states)
        purchasedAt = row.purchasedAt
        self.explained = explained
        transactionID = row.state?.transactionID
        quantity = states.quantity
        revocation = Self.revocation(states.revocation, withdrawnAt: row.withdrawnAt)
        if let told = explained?.entitlement {
            (productID, storeProductID, kind) = (told.productID, told.storeProductID, told.kind)
        } else {
            let product = row.state.flatMap { catalogue.product(of: $0) }
            (productID, storeProductID, kind) = (product?.id, row.state?.storeProductID, product?.terms.kind)
        }
    }

    private static func revocation(_ shown: Revocation?, withdrawnAt: Instant?) -> Revocation? {
        guard let withdrawnAt, (shown?.takenShare ?? 0) < Revocation.fullShare else { return shown }
        return Revocation(revokedAt: withdrawnAt, share: Revocation.fullShare)
    }
}

extension JSONWriter {
    fileprivate mutating func append(_ purchase: PurchaseSummary, paid payments: [Payment]) {
        beginObject()
        member("source", purchase.key.source.text)
        member("external_id", purchase.key.externalID.text)
        member("transaction_id", purchase.transactionID?.text)
        member("product_id", purchase.productID?.text)
        member("store_product_id", purchase.storeProductID?.text)
        member("kind", purchase.kind?.rawValue)
        member("quantity", purchase.quantity)
        member("environment", purchase.key.environment.rawValue)
        member("purchased_at", exactly: "purchased_at_ms", purchase.purchasedAt)
        member("revoked_at", exactly: "revoked_at_ms", purchase.revocation?.revokedAt)
        member("revoked_share", purchase.revocation?.share)
        members(of: payments)
        member("state", purchase.explained?.entitlement.state.rawValue)
        name("gives")
        array(purchase.explained?.explanation.gives ?? []) { $0.append($1) }
        member("reason", purchase.explained?.explanation.reason?.rawValue)
        endObject()
    }
}
