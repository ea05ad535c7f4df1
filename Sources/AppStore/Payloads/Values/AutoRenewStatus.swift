/// The customer's choice to let a subscription renew.
///
/// A value that has no name here is kept as Apple wrote it.
package struct AutoRenewStatus: RawRepresentable, Hashable, Sendable {
    /// The subscription ends with its period.
    package static let off = Self(rawValue: 0)
    package static let on = Self(rawValue: 1)

    package let rawValue: Int64

    package init(rawValue: Int64) {
        self.rawValue = rawValue
    }
}
