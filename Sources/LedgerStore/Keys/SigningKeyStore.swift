package import Entitlements
package import MariaDB

/// Stores the keys that sign entitlement tokens; private keys are always sealed.
///
/// Each key has a generation, a number that counts the keys and is unique. So if several instances make the next key,
/// one wins.
package struct SigningKeyStore: Sendable {
    /// A signing key as it is made.
    package struct Key: Hashable, Sendable {
        /// The RFC 7638 thumbprint of the public key.
        package let kid: String
        /// The public key, as the JSON text over which the thumbprint is computed.
        package let publicJWK: String
        /// The private key, sealed under the key-encryption key.
        package let sealedKey: [UInt8]
        package let createdAt: Instant
        /// The instant from which the key signs nothing more.
        package let signsUntil: Instant
        /// The longest life, in hours, of the tokens that the key may have signed.
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

    /// A stored signing key.
    package struct Stored: Hashable, Sendable {
        package let generation: Int
        package let key: Key
        /// The instant at which an operator's rotation ended the key's signing; nil if none did.
        package let retiredAt: Instant?

        package init(generation: Int, key: Key, retiredAt: Instant?) {
            self.generation = generation
            self.key = key
            self.retiredAt = retiredAt
        }

        /// The instant from which the key signs nothing more, with a rotation taken into account.
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

    /// Stores `key` as `generation`; false if that generation exists already.
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

    /// Stores `key` as the next generation, ends the signing of all other keys, and enters that into the audit trail,
    /// in one transaction.
    ///
    /// Repeat is safe because nothing changes if the key is already stored. Throws when the database is away.
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

    /// Notes that tokens of the key may live as long as `hours`. It must be called before a token with this life is
    /// signed. Throws when the database is away.
    package func promise(_ hours: Int, by kid: String) async throws(ServiceFailure) {
        try await pool.commit { (session) throws(DatabaseError) in
            try SigningKeyRow.promise(hours, by: kid, in: session)
        }
    }

    /// Replaces the stored private key of `key` by `sealed`, unless another instance has replaced it. Repeat is safe.
    /// Throws when the database is away.
    package func reseal(_ key: Key, as sealed: [UInt8]) async throws(ServiceFailure) {
        try await pool.commit { (session) throws(DatabaseError) in
            try SigningKeyRow.reseal(key.kid, from: key.sealedKey, to: sealed, in: session)
        }
    }

    /// Deletes keys; keys that are already gone are ignored. Throws when the database is away.
    package func delete(_ keys: [Stored]) async throws(ServiceFailure) {
        guard !keys.isEmpty else { return }
        try await pool.commit { (session) throws(DatabaseError) in
            for key in keys { try SigningKeyRow.delete(key, in: session) }
        }
    }
}
