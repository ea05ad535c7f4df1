/// The prepared statements of one connection, at most `capacity` of them; the least recently used is closed first.
struct StatementCache {
    private let capacity: Int
    private var prepared: [String: PreparedStatement] = [:]
    private var uses = 0

    init(capacity: Int) {
        self.capacity = max(capacity, 1)
    }

    /// The names of the cached statements, for tests and diagnosis.
    var names: Set<String> { Set(prepared.keys) }

    /// The prepared form of `statement`, from the cache or newly prepared. Throws what preparing throws, and `.misuse`
    /// if another SQL text has the same name.
    mutating func prepared(_ statement: SQLStatement, on wire: Wire) throws(DatabaseError) -> PreparedStatement {
        uses += 1
        if let found = prepared[statement.name] {
            guard found.statement.sql == statement.sql else { throw DatabaseError(.misuse, statement: statement.name) }
            found.lastUse = uses
            return found
        }
        if prepared.count >= capacity, let oldest = prepared.min(by: { $0.value.lastUse < $1.value.lastUse }) {
            prepared[oldest.key] = nil
        }
        let fresh = try PreparedStatement(statement, on: wire)
        fresh.lastUse = uses
        prepared[statement.name] = fresh
        return fresh
    }

    /// Closes the statement named `name`, which is then prepared again at its next use.
    mutating func forget(_ name: String) {
        prepared[name] = nil
    }
}
