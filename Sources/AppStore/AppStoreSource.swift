package import Entitlements

/// Where Apple's vocabulary ends and ours begins: a verified transaction as the purchase it is evidence of.
extension VerifiedPurchase {
    /// The state of the purchase that `transaction` shows.
    ///
    /// A member that Apple leaves out becomes nil, never a guess; an `appAccountToken` that is no UUID counts as none,
    /// because no user of ours was given it, and so does an `appTransactionId` that is no identifier.
    package convenience init(_ transaction: VerifiedTransaction) {
        let payload = transaction.payload
        let type = StoreProductType(payload.type)
        self.init(
            key: PurchaseKey(
                source: .appleIAP, app: AppID(payload.bundleId),
                environment: transaction.environment,
                externalID: ExternalID(payload.originalTransactionId)),
            transactionID: TransactionID(payload.transactionId),
            periodID: type == .autoRenewable ? payload.webOrderLineItemId ?? payload.transactionId : nil,
            productID: ProductID(payload.productId), type: type,
            purchasedAt: Instant(milliseconds: payload.purchaseDate),
            originallyPurchasedAt: payload.originalPurchaseDate.map(Instant.init(milliseconds:)),
            expiresAt: type == .autoRenewable ? payload.expiresDate.map(Instant.init(milliseconds:)) : nil,
            quantity: payload.quantity, isFamilyShared: payload.inAppOwnershipType == .familyShared,
            isUpgraded: payload.isUpgraded ?? false, revocation: Revocation(payload),
            accountToken: payload.appAccountToken.flatMap { AccountToken($0) },
            appTransactionID: payload.appTransactionId.flatMap {
                PayloadReader.isIdentifier($0) ? AppTransactionID($0) : nil
            },
            signedAt: Instant(milliseconds: payload.signedDate))
    }
}

extension Revocation {
    /// Nil while the payload has no `revocationDate`.
    init?(_ payload: TransactionPayload) {
        guard let revokedAt = payload.revocationDate else { return nil }
        let share = Self.share(of: payload.revocationType, percentage: payload.revocationPercentage)
        self.init(revokedAt: Instant(milliseconds: revokedAt), share: share)
    }

    /// The share of the price that was taken back; nil is an anomaly (`semantics.md` §2).
    ///
    /// A type that is not known here says nothing of its share, so it needs a percentage.
    static func share(of type: RevocationType?, percentage: Int64?) -> Int? {
        if type == .fullRefund || type == .familyRevoke { return fullShare }
        guard let percentage else { return type == nil ? fullShare : nil }
        return Int(exactly: percentage).flatMap { (0...fullShare).contains($0) ? $0 : nil }
    }
}

extension StoreProductType {
    init(_ type: ProductType) {
        self =
            switch type {
            case .consumable: .consumable
            case .nonConsumable: .nonConsumable
            case .nonRenewingSubscription: .nonRenewing
            case .autoRenewableSubscription: .autoRenewable
            case .unknown(let name): .unknown(String(String.UnicodeScalarView(name.unicodeScalars.prefix(64))))
            }
    }
}
