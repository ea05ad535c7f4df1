import MariaDB

/// A row of `schema_migrations`: a step that an instance has claimed, and whether it is done.
struct MigrationRow {
    let number: Int
    let checksum: [UInt8]
    let isDone: Bool

    static let createTable = SQLStatement(
        "create schema_migrations",
        """
        CREATE TABLE IF NOT EXISTS schema_migrations (
            number INT UNSIGNED NOT NULL,
            name VARCHAR(255) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL,
            checksum BINARY(32) NOT NULL,
            is_done BOOLEAN NOT NULL DEFAULT FALSE,
            PRIMARY KEY (number)
        ) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin
        """)

    private static let exists = SQLStatement(
        "find schema_migrations",
        """
        SELECT COUNT(*) FROM information_schema.tables
        WHERE table_schema = DATABASE() AND table_name = 'schema_migrations'
        """)

    private static let all = SQLStatement(
        "read migrations", "SELECT number, checksum, is_done FROM schema_migrations ORDER BY number")

    private static let claim = SQLStatement(
        "claim migration", "INSERT INTO schema_migrations (number, name, checksum) VALUES (?, ?, ?)")

    private static let finish = SQLStatement(
        "finish migration", "UPDATE schema_migrations SET is_done = TRUE WHERE number = ?")

    /// The recorded steps, in order; empty while there is no table.
    static func load(in session: Session) throws(DatabaseError) -> [MigrationRow] {
        guard try session.query(exists).first?.int(0) == 1 else { return [] }
        return try session.query(all) { (row) throws(DatabaseError) in
            MigrationRow(number: try row.int(0), checksum: try row.bytes(1), isDone: try row.bool(2))
        }
    }

    /// Claims a step for this instance. Throws a duplicate-key error if the step is already claimed.
    static func claim(_ migration: Migration, in session: Session) throws(DatabaseError) {
        try session.execute(claim, [Value(migration.number), .text(migration.name), .bytes(migration.checksum)])
    }

    /// Marks a step as done. Throws when the database is away.
    static func finish(_ number: Int, in session: Session) throws(DatabaseError) {
        try session.execute(finish, [Value(number)])
    }
}
