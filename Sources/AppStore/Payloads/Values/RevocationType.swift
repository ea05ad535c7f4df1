/// The kind of a revocation: a refund, whole or prorated, or the end of family sharing (App Store Server API 1.19).
///
/// Open: a value that is not named here is kept as it is.
package struct RevocationType: RawRepresentable, Hashable, Sendable {
    /// All of the price.
    package static let fullRefund = Self(rawValue: "REFUND_FULL")
    /// `revocationPercentage` of the price.
    package static let proratedRefund = Self(rawValue: "REFUND_PRORATED")
    /// Family access; no money moved.
    package static let familyRevoke = Self(rawValue: "FAMILY_REVOKE")

    package let rawValue: String

    package init(rawValue: String) {
        self.rawValue = rawValue
    }
}
