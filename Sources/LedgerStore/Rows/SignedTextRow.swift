import MariaDB

/// A row of `signed_texts`: the compact JWS that proves a state.
enum SignedTextRow {
    /// A text to keep.
    struct New {
        let state: UInt64
        let text: String
    }

    private static let insert = Statement("insert text", "INSERT INTO signed_texts (state_id, jws) VALUES (?, ?)")

    /// Keeps texts. Throws when the database is away.
    static func insert(_ texts: [New], in session: Session) throws(DatabaseError) {
        try session.executeBulk(insert, texts.map { [.uint64($0.state), .text($0.text)] })
    }
}
