import Entitlements
import LedgerStore

/// The request for a page of a list whose rows have numbers, the highest first.
struct PageRequest {
    static let maximumLimit = 100
    private static let defaultLimit = 50

    /// The name of the list, which its cursors hold.
    private let list: String
    let limit: Int
    /// The number before which the page begins; nil for the first page.
    let before: UInt64?

    /// - Throws: `invalid_request` for a malformed limit, or a cursor of another list.
    init(_ query: Query, of list: String) throws(Problem) {
        self.list = list
        limit = try Self.limit(in: query)
        before = try query.cursor { Self.number(in: $0, of: list) }
    }

    /// The most rows of the page, from the parameter `limit`.
    ///
    /// - Throws: `invalid_request` for a malformed limit.
    static func limit(in query: Query) throws(Problem) -> Int {
        try query.integer("limit", in: 1...maximumLimit) ?? defaultLimit
    }

    /// The JSON of the page; `members` writes the members of a row.
    func body<Row>(of page: ListPage<Row>, _ members: (inout JSONWriter, Row) -> Void) -> [UInt8] {
        JSONWriter.object { json in
            json.member("data", objects: page.rows, members)
            json.member("next_cursor", page.next.map { CursorText.encode(list, [String($0)]) })
        }
    }

    /// The number in a cursor; nil if the text is no cursor of the list.
    static func number(in cursor: String, of list: String) -> UInt64? {
        guard let text = CursorText.decode(cursor, of: list, parts: 1)?[0], let number = UInt64(text),
            String(number) == text
        else { return nil }
        return number
    }
}

extension Query {
    /// The position in the list that the query's cursor stands for, parsed by `read`; nil if the query has no cursor.
    ///
    /// - Throws: `invalid_request` if `read` gives nil.
    func cursor<Place>(_ name: String = "cursor", _ read: (String) -> Place?) throws(Problem) -> Place? {
        guard let text = try text(name) else { return nil }
        guard let place = read(text) else {
            throw .invalidRequest("The parameter must be a cursor from an earlier page.", at: "?" + name)
        }
        return place
    }
}
