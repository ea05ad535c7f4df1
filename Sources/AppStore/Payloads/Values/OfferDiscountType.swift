/// How an offer is paid.
///
/// Open: a value that is not named here is kept as it is.
package struct OfferDiscountType: RawRepresentable, Hashable, Sendable {
    /// The subscription is free for a while.
    package static let freeTrial = Self(rawValue: "FREE_TRIAL")
    /// A lower price per period.
    package static let payAsYouGo = Self(rawValue: "PAY_AS_YOU_GO")
    /// A lower price at once.
    package static let payUpFront = Self(rawValue: "PAY_UP_FRONT")
    /// A one-time code.
    package static let oneTime = Self(rawValue: "ONE_TIME")

    package let rawValue: String

    package init(rawValue: String) {
        self.rawValue = rawValue
    }
}
