package import AppStore

/// The offer under which a period was bought (`apple.md` §2.1).
package struct SimulatedOffer: Codable, Hashable, Sendable {
    /// The number of the offer's ``OfferType``.
    package let type: Int64
    /// The offer's id; nil for an introductory offer.
    package let identifier: String?
    /// The raw value of the offer's ``OfferDiscountType``.
    package let discountType: String?
    /// An ISO 8601 duration such as `P1M`.
    package let period: String?

    package init(
        _ type: OfferType, identifier: String? = nil, discountType: OfferDiscountType? = nil, period: String? = nil
    ) {
        self.type = type.rawValue
        self.identifier = identifier
        self.discountType = discountType?.rawValue
        self.period = period
    }

    /// An introductory offer that costs nothing.
    package static func freeTrial(of period: String) -> SimulatedOffer {
        SimulatedOffer(.introductory, discountType: .freeTrial, period: period)
    }
}
