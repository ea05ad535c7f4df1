package import Entitlements
package import MariaDB

/// The pauses that Apple asks for, which all instances keep (`apple.md` §10.4).
package struct ApplePauses: Sendable {
    private static let find = SQLStatement(
        "find pause", "SELECT paused_until FROM apple_pauses WHERE environment = ?")
    private static let write = SQLStatement(
        "write pause",
        """
        INSERT INTO apple_pauses (environment, paused_until) VALUES (?, ?)
        ON DUPLICATE KEY UPDATE paused_until = GREATEST(paused_until, VALUES(paused_until))
        """)

    private let pool: Pool

    package init(pool: Pool) { self.pool = pool }

    /// The end of the pause in an environment; nil if there never was one. Throws when the database is away.
    package func end(in environment: StoreEnvironment) async throws(ServiceFailure) -> Instant? {
        try await pool.ask { (session) throws(DatabaseError) in
            try session.query(Self.find, [.text(environment.rawValue)]).first?.int64(0)
        }.map(Instant.init(milliseconds:))
    }

    /// Lets nobody ask in an environment before `instant`. Throws when the database is away.
    package func pause(_ environment: StoreEnvironment, until instant: Instant) async throws(ServiceFailure) {
        try await pool.commit { (session) throws(DatabaseError) in
            try session.execute(Self.write, [.text(environment.rawValue), .int64(instant.milliseconds)])
        }
    }
}
