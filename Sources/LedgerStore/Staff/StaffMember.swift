package import Entitlements

/// The rights of a person of the staff; each role includes those before it.
package enum StaffRole: String, Hashable, Sendable, CaseIterable {
    case viewer
    case support
    case owner

    /// True if the role has the right of an API key with this scope.
    package func allows(_ scope: APIKeyScope) -> Bool {
        switch self {
        case .viewer: scope == .read
        case .support: scope == .read || scope == .write
        case .owner: true
        }
    }
}

/// The colours of the pages.
package enum StaffTheme: String, Hashable, Sendable, CaseIterable {
    /// The colours that the browser prefers.
    case system
    case light
    case dark
}

/// A person's choices about the pages: the language tag (BCP 47), the name of the time zone, and the colours.
package struct StaffPreferences: Hashable, Sendable {
    package let language: String
    package let zone: String
    package let theme: StaffTheme

    package init(language: String, zone: String, theme: StaffTheme) {
        self.language = language
        self.zone = zone
        self.theme = theme
    }
}

/// A person who uses the dashboard. The number is never given to another person.
package struct StaffMember: Hashable, Sendable {
    package let id: UInt64
    package let name: String
    package let role: StaffRole
    /// The language tag (BCP 47) of the pages.
    package let language: String
    /// The name of the time zone, such as `Europe/Rome`.
    package let zone: String
    package let theme: StaffTheme
    package let createdAt: Instant
    /// The instant from which the person may not sign in; nil while they may.
    package let disabledAt: Instant?
    /// True if the person has set a password.
    package let hasPassword: Bool
}

/// A request for a new person: a name for people to read and to type, and a role.
package struct StaffRequest: Hashable, Sendable {
    package static let nameLimit = 64

    package let name: String
    package let role: StaffRole

    /// A request; nil unless the name has 1–64 characters, no control character, and no blank at either end.
    package init?(name: String, role: StaffRole) {
        let scalars = name.unicodeScalars
        guard (1...Self.nameLimit).contains(scalars.count),
            scalars.allSatisfy({ $0.properties.generalCategory != .control }),
            scalars.first?.properties.isWhitespace == false, scalars.last?.properties.isWhitespace == false
        else { return nil }
        self.name = name
        self.role = role
    }
}

/// A sign-in that lasts.
package struct StaffSession: Hashable, Sendable {
    package let id: UInt64
    package let member: StaffMember
    package let createdAt: Instant
    /// The instant of the last request, accurate to a minute.
    package let seenAt: Instant
    /// The absolute end.
    package let endsAt: Instant
}
