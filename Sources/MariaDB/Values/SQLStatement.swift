/// A statement with the name it goes by in errors and logs.
///
/// Invariant: a name stands for one SQL text in a process; the statement cache is keyed by it and refuses a second
/// text.
package struct SQLStatement: Hashable, Sendable {
    /// Short and unique, such as `ledger.insertEntries`.
    package let name: String
    /// The text of a statement, its parameters written as `?`.
    package let sql: String

    /// A statement named `name`.
    package init(_ name: String, _ sql: String) {
        self.name = name
        self.sql = sql
    }
}
