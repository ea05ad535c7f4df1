import Crypto
package import Entitlements
package import MariaDB
import Synchronization

/// Issues, revokes and recognises the API keys of servers (`api.md`, "API keys").
///
/// A valid key is cached for `memory`. So a revocation takes effect at once on the instance that makes it, and within
/// two seconds on all others. The audit trail has a key's name, scopes and secret digest, so that ``APIKeyCheck`` finds
/// a key that was inserted or changed in the table.
package final class APIKeys: Sendable {
    /// How long a key is cached, in milliseconds.
    package static let memory: Int64 = 2_000
    /// The shortest time between two writes of a key's use, in milliseconds.
    package static let touchInterval: Int64 = 60_000
    /// The most keys in the cache.
    private static let maximumRemembered = 4_096

    /// A cached key, and the instant at which it was read.
    private struct Remembered {
        let key: APIKey
        let foundAt: Instant
    }

    /// The cache: the keys found lately, and the number of revocations on this instance. A key is not cached if a
    /// revocation came while its row was read.
    private struct Memory {
        var keys = BoundedCache<[UInt8], Remembered>(capacity: APIKeys.maximumRemembered)
        var revocations = 0
    }

    private let pool: Pool
    private let audit: AuditTrail
    private let now: @Sendable () -> Instant
    private let random: @Sendable () -> APIKeySecret
    private let remembered = Mutex(Memory())

    /// - Parameter random: Makes a secret that nobody can guess.
    package init(
        pool: Pool, audit: AuditTrail, now: @escaping @Sendable () -> Instant,
        random: @escaping @Sendable () -> APIKeySecret
    ) {
        self.pool = pool
        self.audit = audit
        self.now = now
        self.random = random
    }

    /// The valid key with this secret; nil if there is none.
    ///
    /// The row is found by the secret's digest, which is then compared in constant time. Timing reveals nothing about
    /// the secret, because it is hashed first. Throws when the database is away.
    package func key(for secret: APIKeySecret) async throws(ServiceFailure) -> APIKey? {
        let digest = SHA256.hash(data: Array(secret.text.utf8))
        let bytes = Array(digest)
        let now = now()
        let (known, revocations) = remembered.withLock { ($0.keys[bytes], $0.revocations) }
        if let known, (0..<Self.memory).contains(now - known.foundAt) { return known.key }
        let found = try await pool.ask { (session) throws(DatabaseError) -> APIKey? in
            guard let found = try APIKeyRow.find(secretHash: bytes, in: session), digest == found.secretHash,
                found.key.revokedAt == nil
            else { return nil }
            let limit = now + -Self.touchInterval
            if found.key.lastUsedAt.map({ $0 <= limit }) ?? true {
                // A failure is ignored: the next request writes the use.
                try? APIKeyRow.touch(found.key.id, at: now, ifNotSince: limit, in: session)
            }
            return found.key
        }
        remembered.withLock {
            // A key that was read before a revocation may be the revoked one.
            guard $0.revocations == revocations else { return }
            $0.keys[bytes] = found.map { Remembered(key: $0, foundAt: now) }
        }
        return found
    }

    /// Makes an API key. Only this result has its secret. If `remembering` is given, the answer that it makes is stored
    /// for repeats of the request, in the same transaction.
    ///
    /// Throws when the database is away.
    package func create(
        _ request: APIKeyRequest, by actor: Actor, reason: String?,
        remembering: (@Sendable (APIKey, APIKeySecret) -> RememberedAnswer)? = nil
    ) async throws(ServiceFailure) -> (key: APIKey, secret: APIKeySecret) {
        let secret = random()
        let hash = Array(SHA256.hash(data: Array(secret.text.utf8)))
        let now = now()
        let key = try await pool.commit { (session) throws(DatabaseError) in
            // If the connection broke at COMMIT, the key may be stored already; its secret finds it.
            if let earlier = try APIKeyRow.find(secretHash: hash, in: session) { return earlier.key }
            let key = try APIKeyRow.insert(request, secretHash: hash, at: now, in: session)
            if let remembering { try IdempotencyKeys.finish(remembering(key, secret), at: now, in: session) }
            let record = Self.record(
                .createAPIKey, key, ["secret_hash": Hexadecimal.text(hash)], by: actor, reason, at: now)
            try audit.append(record, in: session)
            return key
        }
        return (key, secret)
    }

    /// Revokes a key for good, and returns it; nil if there is none. Repeat is safe.
    ///
    /// Throws when the database is away.
    package func revoke(_ id: UInt64, by actor: Actor, reason: String?) async throws(ServiceFailure) -> APIKey? {
        let now = now()
        let key = try await pool.commit { (session) throws(DatabaseError) -> APIKey? in
            let isRevoked = try APIKeyRow.revoke(id, at: now, in: session)
            guard let key = try APIKeyRow.read(id, in: session) else { return nil }
            if isRevoked { try audit.append(Self.record(.revokeAPIKey, key, by: actor, reason, at: now), in: session) }
            return key
        }
        remembered.withLock {
            $0.keys.removeAll()
            $0.revocations += 1
        }
        return key
    }

    /// The key with this id, valid or revoked; nil if there is none. Throws when the database is away.
    package func key(_ id: UInt64) async throws(ServiceFailure) -> APIKey? {
        try await pool.ask { (session) throws(DatabaseError) in try APIKeyRow.read(id, in: session) }
    }

    /// Up to `limit` keys with ids below `id`, the newest first, including revoked keys. Throws when the database is
    /// away.
    package func page(before id: UInt64?, limit: Int) async throws(ServiceFailure) -> [APIKey] {
        try await pool.ask { (session) throws(DatabaseError) in
            try APIKeyRow.page(before: id, limit: limit, in: session)
        }
    }

    private static func record(
        _ action: AuditAction, _ key: APIKey, _ further: [String: String] = [:], by actor: Actor, _ reason: String?,
        at now: Instant
    ) -> AuditRecord {
        let details = [
            "id": String(key.id), "name": key.name,
            "scopes": key.scopes.sorted().map(\.rawValue).joined(separator: ","),
        ]
        return AuditRecord(
            at: now, actor: actor, action: action, subject: nil,
            details: details.merging(further) { first, _ in first }, reason: reason)
    }
}
