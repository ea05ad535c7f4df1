import Entitlements

/// What the requests of a batch name in plain, by what an erasure left in its place (`semantics.md` §5).
struct Recognition {
    let purchases: [PurchaseKey: PurchaseKey]
    private let transactions: [TransactionID: TransactionID]
    private let periods: [String: String]
    private let accounts: [AppTransactionID: AppTransactionID]

    /// Of `evidence`, and of purchases under the tombstones that were looked for.
    init(_ purchases: [PurchaseKey: PurchaseKey], in evidence: [VerifiedPurchase], under key: TombstoneKey) {
        self.purchases = purchases
        accounts = Self.pairs(evidence.compactMap(\.appTransactionID)) { key.tombstone(of: $0) }
        guard !purchases.isEmpty else { (transactions, periods) = ([:], [:]); return }
        let originals = purchases.values.map { (TransactionID($0.externalID.text), $0) }
        transactions = Dictionary(
            (originals + evidence.map { ($0.transactionID, $0.key) }).map { (key.tombstone(of: $0, like: $1), $0) },
            uniquingKeysWith: { first, _ in first })
        periods = Dictionary(
            evidence.compactMap { state in
                state.periodID.map { (key.tombstone(ofPeriod: $0, like: state.key), $0) }
            }, uniquingKeysWith: { first, _ in first })
    }

    var isEmpty: Bool { purchases.isEmpty && accounts.isEmpty }

    /// What `key` is called here.
    func name(of key: PurchaseKey) -> PurchaseKey {
        purchases[key].map { key.numbered($0.externalID) } ?? key
    }

    /// The same with the names that are known.
    func recognized(_ state: VerifiedPurchase) -> VerifiedPurchase {
        let account = state.appTransactionID
        let names = (transactions[state.transactionID], state.periodID.flatMap { periods[$0] })
        guard names != (nil, nil) || purchases[state.key] != nil || account.flatMap({ accounts[$0] }) != nil else {
            return state
        }
        return VerifiedPurchase(
            state, key: name(of: state.key), transactionID: names.0 ?? state.transactionID,
            periodID: names.1 ?? state.periodID, accountToken: state.accountToken,
            appTransactionID: account.map { accounts[$0] ?? $0 })
    }

    private static func pairs<Name: Hashable>(_ names: [Name], tombstone: (Name) -> Name) -> [Name: Name] {
        Dictionary(Set(names).map { (tombstone($0), $0) }, uniquingKeysWith: { first, _ in first })
    }
}

extension VerifiedPurchase {
    /// `state` with other names.
    convenience init(
        _ state: VerifiedPurchase, key: PurchaseKey, transactionID: TransactionID, periodID: String?,
        accountToken: AccountToken?, appTransactionID: AppTransactionID?
    ) {
        self.init(
            key: key, transactionID: transactionID, periodID: periodID, productID: state.productID, type: state.type,
            purchasedAt: state.purchasedAt, originallyPurchasedAt: state.originallyPurchasedAt,
            expiresAt: state.expiresAt, quantity: state.quantity, isFamilyShared: state.isFamilyShared,
            isUpgraded: state.isUpgraded, revocation: state.revocation, accountToken: accountToken,
            appTransactionID: appTransactionID, signedAt: state.signedAt)
    }

    /// The same of the purchase that is called `key` here.
    func renamed(_ key: PurchaseKey) -> VerifiedPurchase {
        guard key != self.key else { return self }
        return VerifiedPurchase(
            self, key: key, transactionID: transactionID, periodID: periodID, accountToken: accountToken,
            appTransactionID: appTransactionID)
    }

    /// The same with what an erased person leaves: no token, and tombstones.
    func buried(under tombstone: TombstoneKey) -> VerifiedPurchase {
        VerifiedPurchase(
            withoutOwner(under: tombstone), key: key.buried(under: tombstone),
            transactionID: tombstone.tombstone(of: transactionID, like: key),
            periodID: periodID.map { tombstone.tombstone(ofPeriod: $0, like: key) }, accountToken: nil,
            appTransactionID: appTransactionID.map { tombstone.tombstone(of: $0) })
    }

    /// The same without what says who bought it, of a purchase whose number is somebody else's too.
    func withoutOwner(under key: TombstoneKey) -> VerifiedPurchase {
        named(nil, appTransactionID.map { key.tombstone(of: $0) })
    }

    var withoutToken: VerifiedPurchase { named(nil, appTransactionID) }

    /// The same without account token and Apple account.
    var withoutNames: VerifiedPurchase { named(nil, nil) }

    private func named(_ token: AccountToken?, _ account: AppTransactionID?) -> VerifiedPurchase {
        VerifiedPurchase(
            self, key: key, transactionID: transactionID, periodID: periodID, accountToken: token,
            appTransactionID: account)
    }
}
