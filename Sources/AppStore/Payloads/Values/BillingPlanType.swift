/// How a commitment of twelve months is billed (App Store Server API 1.21).
///
/// Open: a value that is not named here is kept as it is.
package struct BillingPlanType: RawRepresentable, Hashable, Sendable {
    /// All at once.
    package static let billedUpfront = Self(rawValue: "BILLED_UPFRONT")
    /// Month by month.
    package static let monthly = Self(rawValue: "MONTHLY")

    package let rawValue: String

    package init(rawValue: String) {
        self.rawValue = rawValue
    }
}
