package import Entitlements
package import MariaDB

/// Opens the pseudonym key of the installation. The first instance makes it.
package struct InstallationKeys: Sendable {
    /// A reason why the pseudonym key cannot be used.
    package enum Fault: Error, Hashable, Sendable, CustomStringConvertible {
        /// The key was sealed under a key-encryption key that is not configured, or its row was edited.
        case notOpened
        /// The key's row is missing in a database that may already contain labels made with the key.
        case missing

        package var description: String {
            switch self {
            case .notOpened:
                """
                the pseudonym key in the database cannot be opened with tokens.key_encryption_key: set the key that it \
                was sealed with there, or among tokens.previous_key_encryption_keys
                """
            case .missing:
                """
                the pseudonym key is missing in a database that was written under one: restore the table \
                installation_keys
                """
            }
        }
    }

    private static let name = "pseudonym"

    private let pool: Pool
    private let seal: KeySeal
    private let now: @Sendable () -> Instant
    private let random: @Sendable (Int) -> [UInt8]

    /// - Parameter random: Makes the given number of bytes that nobody can guess.
    package init(
        pool: Pool, seal: KeySeal, now: @escaping @Sendable () -> Instant, random: @escaping @Sendable (Int) -> [UInt8]
    ) {
        self.pool = pool
        self.seal = seal
        self.now = now
        self.random = random
    }

    /// The pseudonym key. It is made in a database without users, purchases, account tokens and servers' requests. A
    /// key that is sealed under a previous key-encryption key is sealed again.
    ///
    /// Repeat is safe because the key is one row: if several instances make a key, one wins. Throws when the database
    /// is away.
    package func pseudonymKey() async throws(ServiceFailure) -> Result<PseudonymKey, Fault> {
        let new = PseudonymKey(bytes: random(PseudonymKey.byteCount))
        guard let sealedNew = seal.seal(new.bytes, as: Self.name) else { return .failure(.notOpened) }
        let now = now()
        return try await pool.commit { (session) throws(DatabaseError) in
            if try InstallationKeyRow.load(Self.name, in: session) == nil {
                guard try !InstallationKeyRow.isMissed(in: session) else { return .failure(.missing) }
                try InstallationKeyRow.insert(
                    .init(key: sealedNew, checkValue: new.checkValue), as: Self.name, at: now, in: session)
            }
            guard let kept = try InstallationKeyRow.load(Self.name, in: session), let (key, isOutdated) = open(kept)
            else { return .failure(.notOpened) }
            if isOutdated, let sealed = seal.seal(key.bytes, as: Self.name) {
                try InstallationKeyRow.reseal(Self.name, from: kept.key, to: sealed, in: session)
            }
            return .success(key)
        }
    }

    /// The reason why the pseudonym key cannot be used; nil if it can, or if the first is still to be made. Nothing is
    /// written. Throws when the database is away.
    package func fault() async throws(ServiceFailure) -> Fault? {
        try await pool.ask { (session) throws(DatabaseError) in
            guard let kept = try InstallationKeyRow.load(Self.name, in: session) else {
                return try InstallationKeyRow.isMissed(in: session) ? .missing : nil
            }
            return open(kept) == nil ? .notOpened : nil
        }
    }

    private func open(_ kept: InstallationKeyRow.Sealed) -> (key: PseudonymKey, isOutdated: Bool)? {
        guard let opened = seal.open(kept.key, as: Self.name) else { return nil }
        let key = PseudonymKey(bytes: opened.secret)
        return key.checkValue == kept.checkValue ? (key, opened.isOutdated) : nil
    }
}
