import Entitlements
import LedgerStore

/// Which page of a list is asked for; its rows are numbered, the newest highest.
struct PageRequest {
    static let maximumLimit = 100
    private static let defaultLimit = 50

    /// The list that the cursors are of.
    private let list: String
    let limit: Int
    /// Only what stands before this number; nil for the first page.
    let before: UInt64?

    /// - Throws: `invalid_request` for a limit that is none, and for what is no cursor of the list.
    init(_ query: Query, of list: String) throws(Problem) {
        self.list = list
        limit = try Self.limit(in: query)
        before = try query.cursor { Self.number(in: $0, of: list) }
    }

    /// How many rows a page of any list may have.
    ///
    /// - Throws: `invalid_request` for a limit that is none.
    static func limit(in query: Query) throws(Problem) -> Int {
        try query.integer("limit", in: 1...maximumLimit) ?? defaultLimit
    }

    /// The page as it is written; `members` writes the members of a row.
    func body<Row>(of page: ListPage<Row>, _ members: (inout JSONWriter, Row) -> Void) -> [UInt8] {
        JSONWriter.object { json in
            json.member("data", objects: page.rows, members)
            json.member("next_cursor", page.next.map { CursorText.encode(list, [String($0)]) })
        }
    }

    /// Nil for what is no cursor of the list.
    static func number(in cursor: String, of list: String) -> UInt64? {
        guard let text = CursorText.decode(cursor, of: list, parts: 1)?[0], let number = UInt64(text),
            String(number) == text
        else { return nil }
        return number
    }
}

extension Query {
    /// The place where a page begins; nil for the first.
    ///
    /// - Throws: `invalid_request` for a text that `read` answers with nil.
    func cursor<Place>(_ name: String = "cursor", _ read: (String) -> Place?) throws(Problem) -> Place? {
        guard let text = try text(name) else { return nil }
        guard let place = read(text) else {
            throw .invalidRequest("The parameter must be a cursor from an earlier page.", at: "?" + name)
        }
        return place
    }
}
