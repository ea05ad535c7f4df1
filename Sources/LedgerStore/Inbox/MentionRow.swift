import MariaDB

/// A row of `mentions`: the lock of a name or number in a delivery, whether or not anything is known about it.
///
/// If two transactions rely on the same mention, the second waits until the first ends, and then sees what the first
/// wrote.
enum MentionRow {
    /// The statement that locks a mention by writing its row. A locking read would not do in a Galera cluster, whose
    /// nodes find conflicts only between rows that are written.
    private static let write = SQLStatement(
        "lock mention",
        "INSERT INTO mentions (mention) VALUES (?) ON DUPLICATE KEY UPDATE touched = touched + 1")

    private static let remove = SQLStatement(
        "remove mentions",
        "DELETE m FROM \(DeliveryMentionRow.bound) STRAIGHT_JOIN mentions m ON m.mention = j.mention")

    /// Locks `mentions` in ascending order, until the transaction ends. The rows are inserted and deleted again at
    /// once; their locks stay. Throws when the database refuses a statement or is away.
    static func lock(_ mentions: Set<String>, in session: Session) throws(DatabaseError) {
        guard !mentions.isEmpty else { return }
        let sorted = mentions.sorted()
        try session.executeBulk(write, sorted.map { [.text($0)] })
        try session.execute(remove, [.text(JSONArray(sorted).closed)])
    }
}
