package import Entitlements
package import MariaDB

/// Keeps the keys that entitlement tokens are signed with; it never sees a private key that is not sealed.
///
/// Generations count the keys and are unique, so of any number of instances that make the next one, one wins.
package struct SigningKeyStore: Sendable {
    /// A key as it is made.
    package struct Key: Hashable, Sendable {
        /// The RFC 7638 thumbprint of the public key.
        package let kid: String
        /// The public key, as the JSON that the thumbprint is taken of.
        package let publicJWK: String
        /// The private key under the key-encryption key.
        package let sealedKey: [UInt8]
        package let createdAt: Instant
        /// From then on it signs nothing; exclusive.
        package let signsUntil: Instant
        /// The longest life of a token that it may have signed.
        package let tokenHours: Int

        package init(
            kid: String, publicJWK: String, sealedKey: [UInt8], createdAt: Instant, signsUntil: Instant,
            tokenHours: Int
        ) {
            self.kid = kid
            self.publicJWK = publicJWK
            self.sealedKey = sealedKey
            self.createdAt = createdAt
            self.signsUntil = signsUntil
            self.tokenHours = tokenHours
        }
    }

    /// A key as it is kept.
    package struct Stored: Hashable, Sendable {
        package let generation: Int
        package let key: Key
        /// When an operator's rotation ended its signing.
        package let retiredAt: Instant?

        package init(generation: Int, key: Key, retiredAt: Instant?) {
            self.generation = generation
            self.key = key
            self.retiredAt = retiredAt
        }

        /// From then on it signs nothing; exclusive.
        package var stopsAt: Instant { min(key.signsUntil, retiredAt ?? key.signsUntil) }
    }

    private let pool: Pool

    package init(pool: Pool) {
        self.pool = pool
    }

    /// All keys, oldest first. Throws when the database is away.
    package func load() async throws(ServiceFailure) -> [Stored] {
        try await pool.ask { (session) throws(DatabaseError) in try SigningKeyRow.load(in: session) }
    }

    /// Keeps `key` as `generation`, and answers false when that generation was there already.
    ///
    /// Repeat is safe because a generation is one row. Throws when the database is away.
    package func add(_ key: Key, as generation: Int) async throws(ServiceFailure) -> Bool {
        do {
            try await pool.commit { (session) throws(DatabaseError) in
                try SigningKeyRow.insert(key, generation: generation, in: session)
            }
            return true
        } catch  where error.isDuplicateKey {
            return false
        }
    }

    /// Keeps `key` as the next generation and ends the signing of all others, in one transaction, which the audit trail
    /// tells.
    ///
    /// Repeat is safe because a key that is there already is left as it is. Throws when the database is away.
    package func replaceAll(with key: Key, audit: TrailWriter) async throws(ServiceFailure) {
        while true {
            do {
                return try await pool.commit { (session) throws(DatabaseError) in
                    let stored = try SigningKeyRow.load(in: session)
                    guard !stored.contains(where: { $0.key.kid == key.kid }) else { return }
                    try SigningKeyRow.retireAll(at: key.createdAt, in: session)
                    try SigningKeyRow.insert(key, generation: (stored.last?.generation ?? 0) + 1, in: session)
                    try audit.enter(.rotateTokenKey, ["kid": key.kid], at: key.createdAt, in: session)
                }
            } catch  where error.isDuplicateKey {
                continue
            }
        }
    }

    /// Notes that tokens of the key may live as long as `hours`, before the first one that does is signed.
    /// Throws when the database is away.
    package func promise(_ hours: Int, by kid: String) async throws(ServiceFailure) {
        try await pool.commit { (session) throws(DatabaseError) in
            try SigningKeyRow.promise(hours, by: kid, in: session)
        }
    }

    /// Replaces the seal of a key; repeat is safe. Throws when the database is away.
    package func reseal(_ key: Key, as sealed: [UInt8]) async throws(ServiceFailure) {
        try await pool.commit { (session) throws(DatabaseError) in
            try SigningKeyRow.reseal(key.kid, from: key.sealedKey, to: sealed, in: session)
        }
    }

    /// Deletes keys; one that is gone already is no fault. Throws when the database is away.
    package func delete(_ keys: [Stored]) async throws(ServiceFailure) {
        guard !keys.isEmpty else { return }
        try await pool.commit { (session) throws(DatabaseError) in
            for key in keys { try SigningKeyRow.delete(key, in: session) }
        }
    }
}
