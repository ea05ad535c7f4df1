/// A page of a list whose rows have numbers, the highest number first.
///
/// A page looks at a bounded number of rows, so it may be short or empty although more rows follow.
package struct ListPage<Row: Sendable>: Sendable {
    package let rows: [Row]
    /// The cursor of the next page, whose rows have numbers below this one; nil if the list is finished.
    package let next: UInt64?

    package init(rows: [Row], next: UInt64?) {
        self.rows = rows
        self.next = next
    }

    /// - Parameter rows: The first rows of the list; one more than `limit` if the list goes on.
    package init(_ rows: [Row], limit: Int, number: (Row) -> UInt64) {
        self.init(rows: Array(rows.prefix(limit)), next: rows.count > limit ? number(rows[limit - 1]) : nil)
    }
}
