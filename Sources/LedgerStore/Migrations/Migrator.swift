package import MariaDB

/// Applies migrations to the schema, one recorded step after the other.
///
/// MariaDB commits at each DDL statement. So a step is claimed by inserting its row, then carried out, then marked as
/// done. An instance that finds a step claimed waits a while for the other instance, and then carries the step out as
/// well.
///
/// Every step is safe to repeat, so a kill at any point or several instances at once do no harm, also on several nodes
/// of a Galera cluster.
package struct Migrator: Sendable {
    /// The number and the interval of the checks by which an instance waits for a step that another one has claimed.
    private static let patience = (checks: 50, interval: Duration.milliseconds(100))

    /// The most tries of a step that fails because it cannot get a lock.
    private static let maximumAttempts = 10

    private let pool: Pool
    private let migrations: [Migration]

    /// A migrator for these migrations. Throws `MigrationRefusal.gap` unless their numbers are 1, 2, 3, … without a
    /// gap.
    package init(pool: Pool, migrations: [Migration]) throws(MigrationRefusal) {
        let sorted = migrations.sorted { $0.number < $1.number }
        for (position, migration) in sorted.enumerated() where migration.number != position + 1 {
            throw .gap(after: position)
        }
        self.pool = pool
        self.migrations = sorted
    }

    /// Applies the missing migrations, and returns the numbers of the steps that this call carried out.
    ///
    /// Throws `MigrationRefusal`, or `ServiceFailure` when the database is away or refuses a statement. Steps that were
    /// done stay done, and the next call continues after them.
    package func migrate() async throws -> [Int] {
        try await untilCarriedOut(MigrationRow.createTable)
        try await requireKnown()
        try await requireUnedited()
        var carriedOut: [Int] = []
        for migration in migrations {
            if try await carryOut(migration) { carriedOut.append(migration.number) }
        }
        return carriedOut
    }

    /// Checks that the applied steps have the same texts as these files.
    ///
    /// Throws `MigrationRefusal.edited` if a step has another text, and `ServiceFailure` when the database is away.
    /// Steps of a newer release are not checked here but by `Schema.accepted`.
    package func requireUnedited() async throws {
        if let number = try await difference().edited.first { throw MigrationRefusal.edited(number) }
    }

    private func requireKnown() async throws {
        guard let number = try await difference().unknown.first else { return }
        throw MigrationRefusal.newer(schema: number, known: migrations.count)
    }

    /// The numbers of the migrations in which a database differs from these files, each list in ascending order.
    package struct Difference: Hashable, Sendable {
        /// The migrations of these files that are not done.
        package let missing: [Int]
        /// The steps of the database that these files lack.
        package let unknown: [Int]
        /// The steps whose text in these files is another.
        package let edited: [Int]
    }

    /// Compares the database with these files, and changes nothing. Throws when the database is away.
    package func difference() async throws(ServiceFailure) -> Difference {
        let rows = Dictionary(try await rows().map { ($0.number, $0) }, uniquingKeysWith: { first, _ in first })
        return Difference(
            missing: migrations.map(\.number).filter { rows[$0]?.isDone != true },
            unknown: rows.keys.filter { number in !migrations.contains { $0.number == number } }.sorted(),
            edited: migrations.filter { rows[$0.number].map(\.checksum) ?? $0.checksum != $0.checksum }.map(\.number))
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
        try await untilCarriedOut(SQLStatement("migration \(migration.number)", migration.sql))
        try await pool.commit { (session) throws(DatabaseError) in
            try MigrationRow.finish(migration.number, in: session)
        }
        return true
    }

    /// Carries out a statement that is safe to repeat, again if another transaction holds the table, or another node of
    /// a Galera cluster changes it too.
    private func untilCarriedOut(_ statement: SQLStatement) async throws {
        var attempts = 0
        while true {
            do throws(ServiceFailure) {
                return try await pool.ask { (session) throws(DatabaseError) in try session.run(statement) }
            } catch {
                attempts += 1
                guard error.isRetryable, attempts < Self.maximumAttempts else { throw error }
            }
            try await Task.sleep(for: Self.patience.interval)
        }
    }

    private func claim(_ migration: Migration) async throws(ServiceFailure) -> Bool {
        do {
            try await pool.commit { (session) throws(DatabaseError) in try MigrationRow.claim(migration, in: session) }
            return true
        } catch  where error.isDuplicateKey {
            return false
        }
    }
}
