/// The way in which a commitment of twelve months is billed (App Store Server API 1.21).
///
/// A value that has no name here is kept as Apple wrote it.
package struct BillingPlanType: RawRepresentable, Hashable, Sendable {
    /// All twelve months are billed at once.
    package static let billedUpfront = Self(rawValue: "BILLED_UPFRONT")
    /// Each month is billed on its own.
    package static let monthly = Self(rawValue: "MONTHLY")

    package let rawValue: String

    package init(rawValue: String) {
        self.rawValue = rawValue
    }
}
