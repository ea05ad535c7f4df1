import MariaDB

/// A row of `mentions`: the lock of a name or number that deliveries mention, known or not. Of two transactions that
/// rely on one mention the second waits for the first, and sees what that wrote.
enum MentionRow {
    /// A write, and no read lock: the nodes of a cluster certify only rows that are written.
    private static let write = SQLStatement(
        "lock mention",
        "INSERT INTO mentions (mention) VALUES (?) ON DUPLICATE KEY UPDATE touched = touched + 1")

    private static let remove = SQLStatement(
        "remove mentions",
        "DELETE m FROM \(DeliveryMentionRow.bound) STRAIGHT_JOIN mentions m ON m.mention = j.mention")

    /// Holds the locks of `mentions` until the transaction ends, taken in ascending order. The rows are gone at once,
    /// and their locks are not. Throws when the database refuses a statement or is away.
    static func lock(_ mentions: Set<String>, in session: Session) throws(DatabaseError) {
        guard !mentions.isEmpty else { return }
        let sorted = mentions.sorted()
        try session.executeBulk(write, sorted.map { [.text($0)] })
        try session.execute(remove, [.text(JSONArray(sorted).closed)])
    }
}
