/// A page of a list whose rows are numbered, the highest number first.
///
/// It goes over so many rows only, so it may be short, or empty, though more is left.
package struct ListPage<Row: Sendable>: Sendable {
    package let rows: [Row]
    /// Only what stands before this number is left; nil when everything was gone over.
    package let next: UInt64?

    package init(rows: [Row], next: UInt64?) {
        self.rows = rows
        self.next = next
    }

    /// Of up to `limit` rows that were found down to `floor`; nil where the table ended before.
    init(_ rows: [Row], limit: Int, downTo floor: UInt64?, number: (Row) -> UInt64) {
        self.init(rows: rows, next: rows.count == limit ? rows.last.map(number) : floor)
    }

    /// The same without the rows that are not listed.
    func filter(_ isListed: (Row) -> Bool) -> ListPage {
        ListPage(rows: rows.filter(isListed), next: next)
    }
}
