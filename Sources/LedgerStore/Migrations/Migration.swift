import Crypto

/// A numbered step of the schema: a single DDL statement, safe to repeat.
///
/// The statement must say `IF NOT EXISTS` or `IF EXISTS`, for a step whose instance died may be run again by another.
package struct Migration: Hashable, Sendable {
    /// From 1 up, without gaps within the files of one release.
    package let number: Int
    /// `verb_object`.
    package let name: String
    package let sql: String

    package init(number: Int, name: String, sql: String) {
        self.number = number
        self.name = name
        self.sql = sql
    }

    /// The migration in a file named `NNNN_verb_object.sql`; nil for any other name.
    package init?(fileName: String, sql: String) {
        guard fileName.utf8.count > 9, fileName.hasSuffix(".sql"), let number = Int(fileName.prefix(4)), number > 0,
            fileName.dropFirst(4).first == "_"
        else { return nil }
        self.init(number: number, name: String(fileName.dropFirst(5).dropLast(4)), sql: sql)
    }

    /// SHA-256 of the statement: an applied migration that was edited since is refused.
    var checksum: [UInt8] { Array(SHA256.hash(data: Array(sql.utf8))) }
}

/// Why migrations are not applied; nothing was changed.
package enum MigrationRefusal: Error, Hashable, CustomStringConvertible {
    /// The files do not count 1, 2, 3, ….
    case gap(after: Int)
    /// A migration was edited after it was applied here.
    case edited(Int)
    /// The database was migrated by a newer release.
    case newer(schema: Int, known: Int)

    package var description: String {
        switch self {
        case .gap(let number): "migration \(number + 1) is missing: the files must count from 1 without gaps"
        case .edited(let number):
            "migration \(number) was edited after it was applied here: restore its text and add a new migration instead"
        case .newer(let schema, let known):
            "the database is at schema \(schema), these migrations end at \(known): use the newer release's migrations"
        }
    }
}
