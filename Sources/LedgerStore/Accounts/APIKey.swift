package import Entitlements

/// The rights of a server. They are comparable so that a key's rights are always listed in the order of the cases.
package enum APIKeyScope: String, Hashable, Sendable, CaseIterable, Comparable {
    case read
    case write
    case admin
    /// The audit trail alone.
    case audit

    package static func < (left: APIKeyScope, right: APIKeyScope) -> Bool { left.rank < right.rank }

    private var rank: Int {
        switch self {
        case .read: 0
        case .write: 1
        case .admin: 2
        case .audit: 3
        }
    }

    /// This scope and every scope that includes it: `write` includes `read`, and `admin` includes all others.
    fileprivate var including: Set<APIKeyScope> {
        switch self {
        case .read: [.read, .write, .admin]
        case .write: [.write, .admin]
        case .admin: [.admin]
        case .audit: [.audit, .admin]
        }
    }
}

/// A server's API key, without its secret.
package struct APIKey: Hashable, Sendable {
    package let id: UInt64
    package let name: String
    package let scopes: Set<APIKeyScope>
    package let createdAt: Instant
    /// The instant of revocation; nil while the key is valid.
    package let revokedAt: Instant?
    /// The instant of the last use, accurate to a minute; nil if the key was never used.
    package let lastUsedAt: Instant?

    package init(
        id: UInt64, name: String, scopes: Set<APIKeyScope>, createdAt: Instant, revokedAt: Instant? = nil,
        lastUsedAt: Instant? = nil
    ) {
        self.id = id
        self.name = name
        self.scopes = scopes
        self.createdAt = createdAt
        self.revokedAt = revokedAt
        self.lastUsedAt = lastUsedAt
    }

    /// True if a scope of the key is `scope`, or includes it.
    package func allows(_ scope: APIKeyScope) -> Bool {
        !scopes.isDisjoint(with: scope.including)
    }
}

/// A request for a new API key: a name for people to read, and at least one scope.
package struct APIKeyRequest: Hashable, Sendable {
    package static let nameLimit = 64

    package let name: String
    package let scopes: Set<APIKeyScope>

    /// A request; nil unless the name has 1–64 characters and no control character, and there is a scope.
    package init?(name: String, scopes: Set<APIKeyScope>) {
        let scalars = name.unicodeScalars
        guard (1...Self.nameLimit).contains(scalars.count), !scopes.isEmpty,
            scalars.allSatisfy({ $0.properties.generalCategory != .control })
        else { return nil }
        self.name = name
        self.scopes = scopes
    }
}

/// The secret of an API key: `gp_` and 32 random bytes in base64url. It is shown once and stored nowhere.
package struct APIKeySecret: Sendable {
    package static let prefix = "gp_"
    /// The number of random bytes that a secret encodes.
    package static let byteCount = 32

    package let text: String

    /// A secret; nil if the text does not have the form of a secret. So a malformed secret costs no database query.
    package init?(_ text: String) {
        let bytes = text.utf8
        guard bytes.count == Self.prefix.utf8.count + Self.textLength, text.hasPrefix(Self.prefix),
            bytes.dropFirst(Self.prefix.utf8.count).allSatisfy(Self.alphabet.contains)
        else { return nil }
        self.text = text
    }

    private static let textLength = 43
    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)
}
