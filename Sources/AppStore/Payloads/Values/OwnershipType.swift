/// How somebody came to a purchase (`inAppOwnershipType`).
///
/// Open: a value that is not named here is kept as it is.
package struct OwnershipType: RawRepresentable, Hashable, Sendable {
    /// Bought by this customer.
    package static let purchased = Self(rawValue: "PURCHASED")
    /// Shared by a family member.
    package static let familyShared = Self(rawValue: "FAMILY_SHARED")

    package let rawValue: String

    package init(rawValue: String) {
        self.rawValue = rawValue
    }
}
