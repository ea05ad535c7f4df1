import Crypto
package import Entitlements
import LedgerStore
import Synchronization

/// Decides which user a bearer token admits, if any.
///
/// A token that counted is remembered under its SHA-256, so that the next request with it costs no signature check. At
/// every request its end is judged, and whether the keys that checked it are still in force.
package final class BearerVerifier: Sendable {
    /// Exactly one way in which the login signs.
    package enum Keys: Sendable {
        /// Shared secrets, the present one first; the others are for rotation.
        case secrets([[UInt8]])
        /// A PEM public key.
        case publicKey(String)
        /// A JWKS document behind a URL.
        case remote(RemoteKeys)
    }

    /// Tokens that are remembered.
    static let maximumRemembered = 100_000

    /// The keys that check signatures.
    private enum Trust: Sendable {
        case fixed([VerificationKey])
        case remote(RemoteKeys)
    }

    /// A token's admission, and the edition of the keys that checked it.
    private struct Remembered: Sendable {
        let admission: Admission
        let edition: Int
    }

    private let trust: Trust
    private let policy: BearerPolicy
    private let remembered = Mutex(BoundedCache<SHA256.Digest, Remembered>(capacity: BearerVerifier.maximumRemembered))

    /// - Throws: ``UnusableKey`` when there is no secret, an empty one, or the public key is of no kind that can be
    ///   used.
    package init(_ keys: Keys, policy: BearerPolicy) async throws(UnusableKey) {
        switch keys {
        case .secrets(let secrets):
            guard !secrets.isEmpty, !secrets.contains(where: \.isEmpty) else { throw UnusableKey() }
            trust = .fixed(secrets.map { .hs256(SymmetricKey(data: $0)) })
        case .publicKey(let pem):
            trust = .fixed([try await .pem(pem)])
        case .remote(let keys):
            trust = .remote(keys)
        }
        self.policy = policy
    }

    /// The user whom an `Authorization` field admits.
    ///
    /// - Throws: ``BearerRefusal``.
    package func user(authorization field: String?, at now: Instant) async throws(BearerRefusal) -> UserID {
        guard let field, let text = Self.token(in: field) else { throw .missing }
        let digest = SHA256.hash(data: Array(text.utf8))
        if let known = remembered.withLock({ $0[digest] }), isInForce(known.edition) {
            return try known.admission.user(at: now)
        }
        let token = try BearerToken(text)
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

    /// - Returns: The edition of the keys that vouch for the token.
    private func requireSignature(of token: BearerToken) async throws(BearerRefusal) -> Int {
        let keys: [VerificationKey]
        let edition: Int
        switch trust {
        case .fixed(let fixed): (keys, edition) = (fixed, 0)
        case .remote(let remote):
            let found = try await remote.key(named: token.kid).get()
            (keys, edition) = ([found.key], found.edition)
        }
        guard keys.contains(where: { $0.algorithm == token.algorithm }) else {
            throw .invalid("The token is signed with another algorithm.")
        }
        guard keys.contains(where: { $0.isValid(token.signature, for: token.signedText) }) else {
            throw .invalid("The token's signature does not match.")
        }
        return edition
    }

    /// The token after `Bearer`, whose case does not matter (RFC 9110 §11.1); nil for another scheme.
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
