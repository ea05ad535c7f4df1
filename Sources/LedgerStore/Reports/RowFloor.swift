import MariaDB

/// Finds the lowest row number that a page reads, so that a page looks at a bounded number of rows.
struct RowFloor {
    static let purchases = RowFloor(
        "find floor of purchases",
        "SELECT COUNT(*), MIN(id) FROM (SELECT id FROM purchases WHERE id < ? ORDER BY id DESC LIMIT ?) j")

    static let states = RowFloor(
        "find floor of states",
        """
        SELECT COUNT(*), MIN(id)
        FROM (SELECT id FROM apple_iap_transactions WHERE id < ? ORDER BY id DESC LIMIT ?) j
        """)

    static let jobs = RowFloor(
        "find floor of jobs",
        "SELECT COUNT(*), MIN(id) FROM (SELECT id FROM jobs WHERE id < ? ORDER BY id DESC LIMIT ?) j")

    static let consumptionRequests = RowFloor(
        "find floor of consumption requests",
        """
        SELECT COUNT(*), MIN(id)
        FROM (SELECT id FROM consumption_requests WHERE id < ? ORDER BY id DESC LIMIT ?) j
        """)

    /// The floor of a page of sandbox testers, which is the lowest pseudonym that the page reads. A page reads a
    /// bounded number of audit entries that name a tester, and a user may have several of them.
    static let sandboxTesters = RowFloor(
        "find floor of sandbox testers",
        """
        SELECT COUNT(*), MIN(subject)
        FROM (
            SELECT subject FROM audit_entries FORCE INDEX (by_action)
            WHERE action = '\(AuditAction.nameSandboxTester.text)' AND subject < ? ORDER BY subject DESC LIMIT ?) j
        """)

    private let statement: SQLStatement

    private init(_ name: String, _ sql: String) {
        statement = SQLStatement(name, sql)
    }

    /// The lowest of the `rows` highest numbers below `number`; nil if there are fewer.
    func number(before number: UInt64, rows: Int, in session: Session) throws(DatabaseError) -> UInt64? {
        guard let row = try session.query(statement, [.uint64(number), Value(rows)]).first, try row.int(0) == rows
        else { return nil }
        return try row.optionalUInt64(1)
    }
}
