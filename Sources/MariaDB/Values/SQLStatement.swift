/// An SQL statement and its name, which stands for it in errors and logs.
///
/// Invariant: a name stands for only one SQL text in a process. The statement cache uses the name as its key and
/// refuses a second text.
package struct SQLStatement: Hashable, Sendable {
    /// The name: short and unique, such as `ledger.insertEntries`.
    package let name: String
    /// The SQL text, with `?` for each parameter.
    package let sql: String

    /// - Parameters:
    ///   - name: The unique name of the statement.
    ///   - sql: The SQL text, with `?` for each parameter.
    package init(_ name: String, _ sql: String) {
        self.name = name
        self.sql = sql
    }
}
