/// The way in which the customer got a purchase (`inAppOwnershipType`).
///
/// A value that has no name here is kept as Apple wrote it.
package struct OwnershipType: RawRepresentable, Hashable, Sendable {
    /// The customer bought it.
    package static let purchased = Self(rawValue: "PURCHASED")
    /// A family member shares it.
    package static let familyShared = Self(rawValue: "FAMILY_SHARED")

    package let rawValue: String

    package init(rawValue: String) {
        self.rawValue = rawValue
    }
}
