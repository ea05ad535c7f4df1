package import MariaDB

/// Brings the schema forward, one recorded step after the other.
///
/// MariaDB commits at each DDL statement, so a step is claimed by inserting its row, carried out, and marked done. An
/// instance that finds a step claimed waits a while for the claimant and then carries it out as well: every step is
/// safe to repeat, so neither a kill at any point nor several instances at once can harm. No lock is held, so a Galera
/// cluster can run it.
package struct Migrator: Sendable {
    /// How often, and for how long, a step that another instance claimed is waited for.
    private static let patience = (checks: 50, interval: Duration.milliseconds(100))

    /// How often a step is tried that waits for a lock in vain.
    private static let maximumAttempts = 10

    private let pool: Pool
    private let migrations: [Migration]

    /// Throws `MigrationRefusal.gap` unless the migrations count from 1 without gaps.
    package init(pool: Pool, migrations: [Migration]) throws(MigrationRefusal) {
        let sorted = migrations.sorted { $0.number < $1.number }
        for (position, migration) in sorted.enumerated() where migration.number != position + 1 {
            throw .gap(after: position)
        }
        self.pool = pool
        self.migrations = sorted
    }

    /// Applies what is missing and returns the numbers of the steps that this call carried out.
    ///
    /// Throws `MigrationRefusal`, or `ServiceFailure` when the database is away or refuses a statement; what was done
    /// stays, and the next call goes on from there.
    package func migrate() async throws -> [Int] {
        try await pool.ask { (session) throws(DatabaseError) in try session.run(MigrationRow.createTable) }
        try await requireKnown()
        try await requireUnedited()
        var carriedOut: [Int] = []
        for migration in migrations {
            if try await carryOut(migration) { carriedOut.append(migration.number) }
        }
        return carriedOut
    }

    /// Throws `MigrationRefusal.edited` when a step was applied here with another text than these files have, and
    /// `ServiceFailure` when the database is away. Steps of a newer release are left to `Schema.accepted`.
    package func requireUnedited() async throws {
        for row in try await rows() {
            guard let migration = migrations.first(where: { $0.number == row.number }) else { continue }
            guard migration.checksum == row.checksum else { throw MigrationRefusal.edited(row.number) }
        }
    }

    private func requireKnown() async throws {
        for row in try await rows() where !migrations.contains(where: { $0.number == row.number }) {
            throw MigrationRefusal.newer(schema: row.number, known: migrations.count)
        }
    }

    private func rows() async throws(ServiceFailure) -> [MigrationRow] {
        try await pool.ask { (session) throws(DatabaseError) in try MigrationRow.load(in: session) }
    }

    private func carryOut(_ migration: Migration) async throws -> Bool {
        var checks = 0
        while !(try await claim(migration)) {
            if try await rows().contains(where: { $0.number == migration.number && $0.isDone }) { return false }
            checks += 1
            guard checks < Self.patience.checks else { break }
            try await Task.sleep(for: Self.patience.interval)
        }
        var attempts = 0
        while true {
            do throws(ServiceFailure) {
                try await apply(migration)
                return true
            } catch {
                // Others hold the table; the step is as safe to repeat as after a kill.
                attempts += 1
                guard error.isRetryable, attempts < Self.maximumAttempts else { throw error }
            }
            try await Task.sleep(for: Self.patience.interval)
        }
    }

    private func apply(_ migration: Migration) async throws(ServiceFailure) {
        try await pool.ask { (session) throws(DatabaseError) in
            try session.run(SQLStatement("migration \(migration.number)", migration.sql))
            try MigrationRow.finish(migration.number, in: session)
        }
    }

    private func claim(_ migration: Migration) async throws(ServiceFailure) -> Bool {
        do {
            try await pool.ask { (session) throws(DatabaseError) in try MigrationRow.claim(migration, in: session) }
            return true
        } catch  where error.isDuplicateKey {
            return false
        }
    }
}
