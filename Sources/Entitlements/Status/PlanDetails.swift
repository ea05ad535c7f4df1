/// Details of an auto-renewing purchase: how its present period was sold, and the newest state of the renewal of its
/// last one (`semantics.md` §7; `api.md`, "Status").
package struct PlanDetails: Hashable, Sendable {
    /// Why a chain ended. The raw value is what the API writes.
    package enum ExpirationReason: String, Hashable, Sendable, CaseIterable {
        case cancelled
        case billingError = "billing_error"
        case priceIncreaseDeclined = "price_increase_declined"
        case productUnavailable = "product_unavailable"
        case other

        /// The end that a store's state names.
        init(_ end: RenewalEnd) {
            self =
                switch end {
                case .cancelled: .cancelled
                case .billing: .billingError
                case .priceIncrease: .priceIncreaseDeclined
                case .unavailable: .productUnavailable
                case .other: .other
                }
        }
    }

    /// The customer's answer to a higher price. The raw value is what the API writes.
    package enum PriceConsent: String, Hashable, Sendable, CaseIterable {
        case pending
        case agreed

        /// The consent that a store's state names.
        init(_ consent: VerifiedRenewal.PriceConsent) {
            self =
                switch consent {
                case .pending: .pending
                case .given: .agreed
                }
        }
    }

    /// The product that follows; nil when nothing does.
    package let renewsAs: ProductID?
    /// Until when the store lets the last period go on without payment; nil without that, and for leeway.
    package let graceEndsAt: Instant?
    /// True if the last period is over and the store still tries to charge for the next.
    package let isInBillingRetry: Bool
    /// Nil while it has not ended, and when the store does not say.
    package let expirationReason: ExpirationReason?
    /// Nil when no consent was asked for.
    package let priceConsent: PriceConsent?
    /// The kind or name of the offer by which the present period was sold.
    package let offer: String?
    /// True if an offer sold the present period for nothing; nil where its price is not known.
    package let isTrial: Bool?

    package init(
        renewsAs: ProductID? = nil, graceEndsAt: Instant? = nil, isInBillingRetry: Bool = false,
        expirationReason: ExpirationReason? = nil, priceConsent: PriceConsent? = nil, offer: String? = nil,
        isTrial: Bool? = false
    ) {
        self.renewsAs = renewsAs
        self.graceEndsAt = graceEndsAt
        self.isInBillingRetry = isInBillingRetry
        self.expirationReason = expirationReason
        self.priceConsent = priceConsent
        self.offer = offer
        self.isTrial = isTrial
    }
}
