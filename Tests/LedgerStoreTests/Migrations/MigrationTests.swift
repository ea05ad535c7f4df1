import LedgerStore
import MariaDB
import Support
import Testing

/// The schema comes forward whole, whoever brings it and wherever somebody stopped (`threats.md` F25, F26).
@Suite struct MigrationTests {
    /// More at once and the server's DDL takes longer than a client waits.
    private static let sideBySide = 16
    private static let done = "SELECT COUNT(*) FROM schema_migrations WHERE is_done"

    @Test func `migrations are carried out once and a repeat does nothing`() async throws {
        try await Self.schema { schema, pool in
            let migrations = try TestStore.migrations()
            #expect(try await Schema.version(in: pool) == 0)
            #expect(try await Migrator(pool: pool, migrations: migrations).migrate() == migrations.map(\.number))
            #expect(try await Migrator(pool: pool, migrations: migrations).migrate() == [])
            #expect(try await Schema.version(in: pool) == migrations.count)
            #expect(Schema.accepted.contains(migrations.count))
            try await Self.expectWhole(schema)
        }
    }

    @Test func `of eight who migrate at once each step is carried out by one`() async throws {
        for _ in 0..<TestRun.rounds(1, soak: 100) {
            try await Self.schema { schema, _ in
                let steps = try await withThrowingTaskGroup(of: [Int].self) { group in
                    for _ in 0..<8 {
                        group.addTask {
                            try await Pool.running(schema.settings, maxConnections: 2) { pool in
                                try await Migrator(pool: pool, migrations: TestStore.migrations()).migrate()
                            }
                        }
                    }
                    return try await group.reduce(into: []) { $0 += $1 }
                }
                #expect(try steps.sorted() == TestStore.migrations().map(\.number))
                try await Self.expectWhole(schema)
            }
        }
    }

    /// Stops are tried side by side, because each waits some seconds for a claimant that never comes.
    @Test func `whoever comes after a stop at any step goes on from there`() async throws {
        let migrations = try TestStore.migrations()
        let stops = migrations.map(\.number).flatMap { number in [(number, false), (number, true)] }
        var resumed = 0
        for start in stride(from: 0, to: stops.count, by: Self.sideBySide) {
            resumed += try await withThrowingTaskGroup(of: Bool.self) { group in
                for (number, isCarriedOut) in stops[start..<min(start + Self.sideBySide, stops.count)] {
                    group.addTask {
                        try await Self.resumes(after: number, carriedOut: isCarriedOut, migrations)
                    }
                }
                return try await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
            }
        }
        #expect(resumed == stops.count)
    }

    /// The missing, the unknown and the edited migrations. Throws when the database is away.
    private static func lists(_ migrator: Migrator) async throws -> [[Int]] {
        let difference = try await migrator.difference()
        return [difference.missing, difference.unknown, difference.edited]
    }

    @Test func `a schema is compared with the files, and nothing is changed`() async throws {
        try await Self.schema { schema, pool in
            let migrations = try TestStore.migrations()
            let migrator = try Migrator(pool: pool, migrations: migrations)
            let numbers = migrations.map(\.number)
            #expect(try await Self.lists(migrator) == [numbers, [], []])
            _ = try await migrator.migrate()
            #expect(try await Self.lists(migrator) == [[], [], []])
            try await schema.rows("UPDATE schema_migrations SET is_done = FALSE WHERE number = 5")
            try await schema.rows("UPDATE schema_migrations SET checksum = '' WHERE number IN (2, 7)")
            let older = try Migrator(pool: pool, migrations: migrations.filter { $0.number < 10 })
            let rows = try await schema.dump("schema_migrations")
            let newer = numbers.filter { $0 >= 10 }
            #expect(try await Self.lists(older) == [[5], newer, [2, 7]])
            #expect(try await schema.dump("schema_migrations") == rows)
        }
    }

    @Test func `a migration that was edited after it was applied is refused`() async throws {
        try await Self.schema { schema, pool in
            let migrations = try TestStore.migrations()
            _ = try await Migrator(pool: pool, migrations: migrations).migrate()
            let edited = migrations.map { migration in
                migration.number == 3
                    ? Migration(number: 3, name: migration.name, sql: migration.sql + "\n") : migration
            }
            let migrator = try Migrator(pool: pool, migrations: edited)
            await #expect(throws: MigrationRefusal.edited(3)) { try await migrator.migrate() }
            await #expect(throws: MigrationRefusal.edited(3)) { try await migrator.requireUnedited() }
            try await Migrator(pool: pool, migrations: migrations).requireUnedited()
            try await Self.expectWhole(schema)
        }
    }

    @Test func `a schema that lacks a table cannot be served from`() async throws {
        for table in TestSchema.tables {
            try await Self.schema { schema, pool in
                _ = try await Migrator(pool: pool, migrations: try TestStore.migrations()).migrate()
                #expect(try await Schema.writableVersion(in: pool) == Schema.accepted.lowerBound)
                try await schema.rows("DROP TABLE \(table)")
                await #expect(throws: ServiceFailure.self, "\(table)") { try await Schema.writableVersion(in: pool) }
            }
        }
    }

    @Test func `files with a gap are refused before anything is done`() async throws {
        try await Self.schema { schema, pool in
            let migrations = try TestStore.migrations().filter { $0.number != 5 }
            #expect(throws: MigrationRefusal.gap(after: 4)) { try Migrator(pool: pool, migrations: migrations) }
            #expect(try await schema.rows("SHOW TABLES").isEmpty)
        }
    }

    @Test func `a schema of a newer release is refused`() async throws {
        try await Self.schema { schema, pool in
            let migrations = try TestStore.migrations()
            let next = migrations.count + 1
            let newer =
                migrations + [
                    Migration(
                        number: next, name: "create_more", sql: "CREATE TABLE IF NOT EXISTS more (a INT PRIMARY KEY)")
                ]
            _ = try await Migrator(pool: pool, migrations: newer).migrate()
            let migrator = try Migrator(pool: pool, migrations: migrations)
            await #expect(throws: MigrationRefusal.newer(schema: next, known: migrations.count)) {
                try await migrator.migrate()
            }
            #expect(try await schema.number(Self.done) == next)
        }
    }

    @Test func `each migration is one statement that may be repeated, numbered without a gap`() throws {
        let migrations = try TestStore.migrations()
        #expect(migrations.map(\.number) == Array(1...migrations.count))
        for migration in migrations {
            let lines = migration.sql.split(separator: "\n").filter { !$0.hasPrefix("--") }
            let statements = lines.joined(separator: "\n").split(separator: ";").filter {
                $0.contains { !$0.isWhitespace }
            }
            #expect(statements.count == 1, "\(migration.name)")
            #expect(migration.sql.contains("IF NOT EXISTS") || migration.sql.contains("IF EXISTS"), "\(migration.name)")
        }
    }

    /// Whether a migrator completes the schema after another stopped at step `number`, claimed and perhaps carried out.
    private static func resumes(
        after number: Int, carriedOut: Bool, _ migrations: [Migration]
    ) async throws -> Bool {
        let settings = try await patientDatabase()
        let schema = TestSchema(settings)
        return try await Pool.running(settings, maxConnections: 2) { pool in
            _ = try await Migrator(pool: pool, migrations: Array(migrations.prefix(number))).migrate()
            try await schema.rows("UPDATE schema_migrations SET is_done = FALSE WHERE number = \(number)")
            if !carriedOut {
                for undoing in Self.undoing(migrations[number - 1]) { try await schema.rows(undoing) }
            }
            #expect(try await Schema.version(in: pool) == number - 1)
            let steps = try await Migrator(pool: pool, migrations: migrations).migrate()
            #expect(steps == Array(number...migrations.count))
            try await expectWhole(schema)
            return true
        }
    }

    /// What takes back the one step.
    private static func undoing(_ migration: Migration) -> [String] {
        TestSchema.tables.filter { migration.sql.contains("EXISTS \($0) ") }.map { "DROP TABLE \($0)" }
    }

    private static func expectWhole(_ schema: TestSchema) async throws {
        #expect(try await schema.number(done) == TestStore.migrations().count)
        #expect(try await schema.rows("SHOW TABLES").count == TestSchema.tables.count + 1)
        #expect(try await schema.counts().count == TestSchema.tables.count)
        let odd = """
            SELECT COUNT(*) FROM information_schema.tables t WHERE table_schema = DATABASE() AND (engine <> 'InnoDB'
                OR NOT EXISTS (SELECT * FROM information_schema.table_constraints c WHERE c.table_schema = DATABASE()
                    AND c.table_name = t.table_name AND c.constraint_type = 'PRIMARY KEY'))
            """
        #expect(try await schema.number(odd) == 0)
    }

    /// A step that writes a table anew takes its time on a busy disk.
    private static func patientDatabase() async throws -> ConnectionSettings {
        var settings = try await PrivateMariaDB.shared.freshDatabase()
        settings.readTimeoutSeconds = 60
        return settings
    }

    private static func schema(_ body: @Sendable (TestSchema, Pool) async throws -> Void) async throws {
        let settings = try await patientDatabase()
        try await Pool.running(settings, maxConnections: 2) { try await body(TestSchema(settings), $0) }
    }
}
