/// The details of a plan that a store renews: how its present period was sold, and what the newest state of its renewal
/// says (`semantics.md` §7; `api.md`, "Status").
package struct PlanDetails: Hashable, Sendable {
    /// The reason why a chain ended. The raw value is what the API writes.
    package enum ExpirationReason: String, Hashable, Sendable, CaseIterable {
        case cancelled
        case billingError = "billing_error"
        case priceIncreaseDeclined = "price_increase_declined"
        case productUnavailable = "product_unavailable"
        case other

        /// Translates the end that a renewal state names.
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

        /// Translates the consent that a renewal state names.
        init(_ consent: VerifiedRenewal.PriceConsent) {
            self =
                switch consent {
                case .pending: .pending
                case .given: .agreed
                }
        }
    }

    /// The product of the period that follows; nil if none follows.
    package let renewsAs: ProductID?
    /// The end of the grace that the store grants the last period; nil if it grants none. Leeway, which this server
    /// adds, is not included.
    package let graceEndsAt: Instant?
    /// True if the last period is over and the store retries the payment for the next one.
    package let isInBillingRetry: Bool
    /// The reason why the chain ended; nil while it has not ended, and if the store does not say.
    package let expirationReason: ExpirationReason?
    /// The customer's answer to a higher price; nil if the store did not ask for one.
    package let priceConsent: PriceConsent?
    /// The kind or name of the offer by which the present period was sold; nil without an offer.
    package let offer: String?
    /// True if an offer sold the present period for a price of 0; nil if an offer sold it and its price is not known.
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
