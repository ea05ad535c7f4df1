/// A page of a list whose rows are numbered, the highest number first.
///
/// A page goes over a bounded number of rows, so it may be short, or empty, though more is left.
package struct ListPage<Row: Sendable>: Sendable {
    package let rows: [Row]
    /// Only what stands before this number is left; nil when everything was gone over.
    package let next: UInt64?

    package init(rows: [Row], next: UInt64?) {
        self.rows = rows
        self.next = next
    }

    /// - Parameter rows: The first rows of the list, one more than `limit` if there are more.
    package init(_ rows: [Row], limit: Int, number: (Row) -> UInt64) {
        self.init(rows: Array(rows.prefix(limit)), next: rows.count > limit ? number(rows[limit - 1]) : nil)
    }
}
