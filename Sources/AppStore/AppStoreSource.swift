package import Entitlements

/// Turns Apple's terms into this server's own: a verified transaction becomes the state of a purchase.
extension VerifiedPurchase {
    /// Makes the state of the purchase that `transaction` shows.
    ///
    /// A member that Apple leaves out becomes nil and is never guessed. An `appAccountToken` that is no UUID counts as
    /// absent, because this server gives users only UUIDs. Any other name that is not 1 to 255 visible ASCII characters
    /// counts as absent too.
    package convenience init(_ transaction: VerifiedTransaction, labels: Labels) {
        let payload = transaction.payload
        let key = PurchaseKey(transaction)
        let type = StatedType(payload.type)
        self.init(
            key: key, transactionID: TransactionID(payload.transactionId),
            isOriginal: payload.transactionId == payload.originalTransactionId,
            periodID: type == .plan ? payload.webOrderLineItemId ?? payload.transactionId : nil,
            productID: ProductID(payload.productId), type: type,
            purchasedAt: Instant(milliseconds: payload.purchaseDate),
            originallyPurchasedAt: payload.originalPurchaseDate.map(Instant.init(milliseconds:)),
            expiresAt: type == .plan ? payload.expiresDate.map(Instant.init(milliseconds:)) : nil,
            quantity: payload.quantity, isFamilyShared: payload.inAppOwnershipType == .familyShared,
            isUpgraded: payload.isUpgraded ?? false, offer: payload.offerIdentifier?.brief ?? payload.offerType?.text,
            subscriptionGroup: payload.subscriptionGroupIdentifier?.identifier,
            price: Price(payload.price, payload.currency),
            revocation: Revocation(payload),
            accountToken: payload.appAccountToken.flatMap { AccountToken($0) }.map { labels.label(of: $0) },
            account: payload.appTransactionId?.identifier.map {
                labels.appleAccount($0, in: key.app, transaction.environment)
            },
            signedAt: Instant(milliseconds: payload.signedDate),
            isBought: type == .plan && payload.transactionReason == .purchase)
    }
}

extension VerifiedRenewal {
    /// The most offers to win a customer back that are kept of one state.
    private static let maximumWinBackOffers = 20

    /// Makes the state of a chain's renewal from `renewalInfo`, which Apple sent together with `transaction`.
    ///
    /// An unknown expiration intent is kept as its number; an unknown price consent becomes nil. While Apple still
    /// tries to charge, the intent is ignored, because nothing has ended yet (`apple.md` §3.11).
    ///
    /// - Parameter course: The course of the chain that Apple told beside the text.
    package init(
        _ renewalInfo: VerifiedRenewalInfo, beside transaction: VerifiedTransaction, telling course: Course? = nil
    ) {
        let payload = renewalInfo.payload
        let isInRetry = payload.isInBillingRetryPeriod ?? false
        self.init(
            key: PurchaseKey(transaction), signedAt: Instant(milliseconds: payload.signedDate),
            willRenew: payload.autoRenewStatus == .on,
            renewsInto: (payload.autoRenewProductId ?? payload.productId).map { ProductID($0) },
            graceEndsAt: payload.gracePeriodExpiresDate.map(Instant.init(milliseconds:)),
            isInRetry: isInRetry, end: isInRetry ? nil : payload.expirationIntent.map(RenewalEnd.init),
            priceConsent: payload.priceIncreaseStatus.flatMap(PriceConsent.init),
            offer: payload.offerIdentifier?.brief ?? payload.offerType?.text,
            price: Price(payload.renewalPrice, payload.currency),
            winBackOffers: payload.eligibleWinBackOfferIds.prefix(Self.maximumWinBackOffers).map(\.brief),
            course: course)
    }
}

extension VerifiedRenewal.Course {
    /// The course that a notification tells by its subtype, its status or its type; nil if it tells none.
    package init?(_ notification: NotificationPayload) {
        let status: SubscriptionStatus? = if case .data(let data) = notification.content { data.status } else { nil }
        if notification.subtype == .gracePeriod || status == .gracePeriod {
            self = .grace
        } else if [.expired, .gracePeriodExpired].contains(notification.notificationType) {
            self = .ended
        } else {
            return nil
        }
    }
}

extension RenewalEnd {
    init(_ intent: ExpirationIntent) {
        self =
            switch intent {
            case .customerCancelled: .cancelled
            case .billingError: .billing
            case .priceIncreaseDeclined: .priceIncrease
            case .productUnavailable: .unavailable
            default: .other(String(intent.rawValue))
            }
    }
}

extension VerifiedRenewal.PriceConsent {
    init?(_ status: PriceIncreaseStatus) {
        switch status {
        case .pending: self = .pending
        case .consented: self = .given
        default: return nil
        }
    }
}

extension PurchaseKey {
    fileprivate convenience init(_ transaction: VerifiedTransaction) {
        self.init(
            source: .appleIAP, app: AppID(transaction.payload.bundleId), environment: transaction.environment,
            externalID: ExternalID(transaction.payload.originalTransactionId))
    }
}

extension AccountProof {
    /// The Apple account that `transaction` names; nil if it names none.
    package init?(_ transaction: VerifiedAppTransaction, labels: Labels) {
        guard let id = transaction.payload.appTransactionId else { return nil }
        let app = AppID(transaction.payload.bundleId)
        self.init(
            of: labels.appleAccount(id, in: app, transaction.environment), in: app, transaction.environment)
    }
}

extension UserID {
    /// The user whom the Apple account in `transaction` signs in; nil if the text names no account.
    package init?(signedInBy transaction: VerifiedAppTransaction, labels: Labels) {
        guard let id = transaction.payload.appTransactionId else { return nil }
        let app = AppID(transaction.payload.bundleId)
        self = .appleAccount(labels.label(.appleSignIn, app.text, transaction.environment.rawValue, id))
    }
}

extension Labels {
    /// The label of an Apple account. Its `appTransactionId` differs in each app and environment, so the label covers
    /// both.
    package func appleAccount(_ id: String, in app: AppID, _ environment: StoreEnvironment) -> Label {
        label(.account, app.text, environment.rawValue, id)
    }
}

extension StoreDetails {
    /// The details of `transaction` that are not part of its purchase's state. A name that is not 1 to 255 visible
    /// ASCII characters becomes nil.
    package init(_ transaction: VerifiedTransaction) {
        let payload = transaction.payload
        self.init(
            productType: payload.type.rawValue.brief, reason: payload.transactionReason?.rawValue.identifier,
            storefront: payload.storefront?.identifier, storefrontID: payload.storefrontId?.identifier,
            revocationReason: payload.revocationReason.map { Int($0.rawValue) },
            revocationType: payload.revocationType?.rawValue.identifier,
            revocationPercentage: payload.revocationPercentage,
            offerType: payload.offerType.map { Int($0.rawValue) },
            offerDiscountType: payload.offerDiscountType?.rawValue.identifier,
            offerPeriod: payload.offerPeriod?.identifier,
            billingPlanType: payload.billingPlanType?.rawValue.identifier,
            webOrderLineItemID: payload.webOrderLineItemId)
    }
}

extension Price {
    /// Reads a price; nil unless the payload has both an amount and a currency.
    fileprivate init?(_ milliunits: Int64?, _ currency: String?) {
        guard let milliunits, let currency = currency?.identifier else { return nil }
        self.init(milliunits: milliunits, currency: currency)
    }
}

extension OfferType {
    /// This server's name of the offer's type; an unknown type is written as Apple's number.
    fileprivate var text: String {
        switch self {
        case .introductory: VerifiedPurchase.introductoryOffer
        case .promotional: "promotional"
        case .offerCode: "offer_code"
        case .winBack: "win_back"
        default: String(rawValue)
        }
    }
}

extension Revocation {
    /// Reads the revocation; nil if the payload has no `revocationDate`.
    init?(_ payload: TransactionPayload) {
        guard let revokedAt = payload.revocationDate else { return nil }
        let share = Self.share(of: payload.revocationType, percentage: payload.revocationPercentage)
        self.init(revokedAt: Instant(milliseconds: revokedAt), share: share)
    }

    /// The share of the price that was refunded, 0…100000; nil if it is unclear, which is an anomaly (`semantics.md`
    /// §2).
    ///
    /// An unknown type does not say which share was refunded, so the share is the percentage, if there is one.
    static func share(of type: RevocationType?, percentage: Int64?) -> Int? {
        if type == .fullRefund || type == .familyRevoke { return fullShare }
        guard let percentage else { return type == nil ? fullShare : nil }
        return Int(exactly: percentage).flatMap { (0...fullShare).contains($0) ? $0 : nil }
    }
}

extension StatedType {
    init(_ type: ProductType) {
        self =
            switch type {
            case .consumable: .consumable
            case .nonConsumable: .addOn
            case .nonRenewingSubscription: .pass
            case .autoRenewableSubscription: .plan
            case .unknown(let name): .unknown(name.brief)
            }
    }
}

extension String {
    /// The text itself if it is 1 to 255 visible ASCII characters, else nil.
    fileprivate var identifier: String? { PayloadReader.isIdentifier(self) ? self : nil }

    /// The first 64 Unicode scalars of the text.
    fileprivate var brief: String { String(String.UnicodeScalarView(unicodeScalars.prefix(64))) }
}
