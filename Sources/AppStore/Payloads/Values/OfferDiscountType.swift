/// The way in which an offer is paid.
///
/// A value that has no name here is kept as Apple wrote it.
package struct OfferDiscountType: RawRepresentable, Hashable, Sendable {
    /// The subscription is free for a time.
    package static let freeTrial = Self(rawValue: "FREE_TRIAL")
    /// Each of several periods costs less.
    package static let payAsYouGo = Self(rawValue: "PAY_AS_YOU_GO")
    /// The customer pays once, at a lower price, for the whole offer.
    package static let payUpFront = Self(rawValue: "PAY_UP_FRONT")
    /// A one-time offer code.
    package static let oneTime = Self(rawValue: "ONE_TIME")

    package let rawValue: String

    package init(rawValue: String) {
        self.rawValue = rawValue
    }
}
