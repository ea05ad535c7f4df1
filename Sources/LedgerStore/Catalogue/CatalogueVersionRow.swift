import Entitlements
import MariaDB

/// A row of `catalog_versions`: the text of a catalogue file, and the instant since which it is in force.
enum CatalogueVersionRow {
    /// A stored version.
    struct Stored {
        let number: Int
        let effectiveAt: Instant
        let content: String
    }

    private static let newest = SQLStatement("read catalogue version", "SELECT MAX(version) FROM catalog_versions")

    private static let all = SQLStatement(
        "read catalogue", "SELECT version, effective_at, content FROM catalog_versions ORDER BY version")

    private static let insert = SQLStatement(
        "apply catalogue", "INSERT INTO catalog_versions (version, effective_at, content) VALUES (?, ?, ?)")

    /// The number of the newest version; 0 while there is none.
    static func latest(in session: Session) throws(DatabaseError) -> Int {
        try session.query(newest).first?.optionalInt(0) ?? 0
    }

    /// All versions, oldest first.
    static func load(in session: Session) throws(DatabaseError) -> [Stored] {
        try session.query(all) { (row) throws(DatabaseError) in
            Stored(
                number: try row.int(0), effectiveAt: Instant(milliseconds: try row.int64(1)), content: try row.text(2))
        }
    }

    /// Inserts a version. Throws a duplicate-key error if another instance has inserted this number first.
    static func insert(_ version: Stored, in session: Session) throws(DatabaseError) {
        try session.execute(
            insert, [Value(version.number), .int64(version.effectiveAt.milliseconds), .text(version.content)])
    }
}
