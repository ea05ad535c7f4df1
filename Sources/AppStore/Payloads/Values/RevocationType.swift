/// The kind of a revocation: a refund, whole or prorated, or the end of family sharing (App Store Server API 1.19).
///
/// A value that has no name here is kept as Apple wrote it.
package struct RevocationType: RawRepresentable, Hashable, Sendable {
    /// The whole price was refunded.
    package static let fullRefund = Self(rawValue: "REFUND_FULL")
    /// The share `revocationPercentage` of the price was refunded.
    package static let proratedRefund = Self(rawValue: "REFUND_PRORATED")
    /// Family sharing ended; no money was refunded.
    package static let familyRevoke = Self(rawValue: "FAMILY_REVOKE")

    package let rawValue: String

    package init(rawValue: String) {
        self.rawValue = rawValue
    }
}
