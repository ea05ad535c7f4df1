import Crypto

/// A numbered step of the schema: one DDL statement that is safe to repeat.
///
/// The statement must say `IF NOT EXISTS` or `IF EXISTS`, because another instance may run a step again whose first
/// instance died.
package struct Migration: Hashable, Sendable {
    /// The number of the step: from 1, without gaps within one release.
    package let number: Int
    /// The name of the step, such as `create_users`.
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

    /// The SHA-256 of the statement. A migration that was edited after it was applied is refused by it.
    var checksum: [UInt8] { Array(SHA256.hash(data: Array(sql.utf8))) }
}

/// A reason why migrations are refused; nothing was changed.
package enum MigrationRefusal: Error, Hashable, CustomStringConvertible {
    /// The numbers of the files are not 1, 2, 3, … without a gap.
    case gap(after: Int)
    /// A migration was edited after it was applied to this database.
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
