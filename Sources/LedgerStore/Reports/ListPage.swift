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

    /// - Parameters:
    ///   - rows: Up to `limit` rows that were found down to `floor`.
    ///   - floor: Nil where the table ended before.
    init(_ rows: [Row], limit: Int, downTo floor: UInt64?, number: (Row) -> UInt64) {
        self.init(rows: rows, next: rows.count == limit ? rows.last.map(number) : floor)
    }

    /// This page without the rows that are not listed.
    func filter(_ isListed: (Row) -> Bool) -> ListPage {
        ListPage(rows: rows.filter(isListed), next: next)
    }
}
