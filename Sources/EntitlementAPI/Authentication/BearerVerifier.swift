import Crypto
package import Entitlements
import LedgerStore
import Synchronization

/// Verifies users' bearer tokens.
///
/// A valid token is cached under its SHA-256, so the next request with it needs no signature check. Each request still
/// checks that the token has not expired and that the keys that verified it are still in force.
package final class BearerVerifier: Sendable {
    /// The way in which the login signs its tokens.
    package enum Keys: Sendable {
        /// HMAC secrets shared with the login. There may be several while a secret is replaced.
        case secrets([[UInt8]])
        /// The login's public key as PEM text.
        case publicKey(String)
        /// The login's key set (JWKS), fetched from a URL.
        case remote(RemoteKeys)
        /// Without a login of the app's own no token is valid.
        case noLogin
    }

    /// The most tokens in the cache.
    static let maximumRemembered = 100_000

    /// The keys that verify signatures: from the settings, or fetched.
    private enum Trust: Sendable {
        case fixed([VerificationKey])
        case remote(RemoteKeys)
    }

    /// A token's admission, and the edition of the key set that verified it.
    private struct Remembered: Sendable {
        let admission: Admission
        let edition: Int
    }

    private let trust: Trust
    private let policy: BearerPolicy
    private let remembered = Mutex(BoundedCache<SHA256.Digest, Remembered>(capacity: BearerVerifier.maximumRemembered))

    /// - Throws: ``UnusableKey`` if a secret is empty or missing, or the public key cannot be used.
    package init(_ keys: Keys, policy: BearerPolicy) async throws(UnusableKey) {
        switch keys {
        case .secrets(let secrets):
            guard !secrets.isEmpty, !secrets.contains(where: \.isEmpty) else { throw UnusableKey() }
            trust = .fixed(secrets.map { .hs256(SymmetricKey(data: $0)) })
        case .publicKey(let pem):
            trust = .fixed([try await .pem(pem)])
        case .remote(let keys):
            trust = .remote(keys)
        case .noLogin:
            trust = .fixed([])
        }
        self.policy = policy
    }

    /// The user that the token in an `Authorization` header names.
    ///
    /// - Throws: ``BearerRefusal``.
    package func user(authorization field: String?, at now: Instant) async throws(BearerRefusal) -> UserID {
        guard let field, let text = Self.token(in: field) else { throw .missing }
        let digest = SHA256.hash(data: Array(text.utf8))
        if let known = remembered.withLock({ $0[digest] }), isInForce(known.edition) {
            return try known.admission.user(at: now)
        }
        let token = try BearerToken(text)
        guard token.type != EntitlementClaims.type else {
            throw .invalid("The token is for offline use and signs nobody in.")
        }
        let edition = try await requireSignature(of: token)
        let admission = try policy.admission(by: token.claims, at: now)
        remembered.withLock { $0[digest] = Remembered(admission: admission, edition: edition) }
        return admission.user
    }

    private func isInForce(_ edition: Int) -> Bool {
        switch trust {
        case .fixed: true
        case .remote(let keys): keys.isFresh(edition)
        }
    }

    /// Checks the token's signature.
    ///
    /// - Returns: The edition of the key set that verified it.
    private func requireSignature(of token: BearerToken) async throws(BearerRefusal) -> Int {
        let keys: [VerificationKey]
        let edition: Int
        switch trust {
        case .fixed(let fixed): (keys, edition) = (fixed, 0)
        case .remote(let remote):
            let found = try await remote.key(named: token.kid).get()
            (keys, edition) = ([found.key], found.edition)
        }
        guard !keys.isEmpty else { throw .invalid("No login is configured here: only Apple accounts sign in.") }
        guard keys.contains(where: { $0.algorithm == token.algorithm }) else {
            throw .invalid("The token is signed with another algorithm.")
        }
        guard keys.contains(where: { $0.isValid(token.signature, for: token.signedText) }) else {
            throw .invalid("The token's signature does not match.")
        }
        return edition
    }

    /// The token in an `Authorization` header; nil for another scheme than `Bearer`, whose case does not matter (RFC
    /// 9110 §11.1).
    static func token(in field: String) -> String? {
        let bytes = field.utf8
        let scheme = bytes.prefix(7)
        guard scheme.count == 7, scheme.last == 0x20,
            zip(scheme, "bearer ".utf8).allSatisfy({ $0 | 0x20 == $1 | 0x20 })
        else { return nil }
        let token = bytes.dropFirst(7).drop { $0 == 0x20 }
        return token.isEmpty ? nil : String(Substring(token))
    }
}
