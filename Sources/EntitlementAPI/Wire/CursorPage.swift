import Entitlements

/// A paging cursor of a list in memory. It holds the sort key of the last row on a page, so it stays right when rows
/// come and go.
protocol PageCursor {
    associatedtype Row

    init(after row: Row)

    /// Reads a cursor; nil for a text that is no cursor of this list.
    init?(_ text: String)

    var text: String { get }

    /// True if `row` comes after this cursor in the list.
    func precedes(_ row: Row) -> Bool
}

/// The request for a page of a list in memory.
struct CursorPage<Cursor: PageCursor> {
    private let limit: Int
    /// The cursor behind which the page begins; nil for the first page.
    private let after: Cursor?

    /// - Throws: `invalid_request` for a malformed limit or cursor.
    init(_ query: Query) throws(Problem) {
        limit = try PageRequest.limit(in: query)
        after = try query.cursor { text in Cursor(text).flatMap { $0.text == text ? $0 : nil } }
    }

    /// The rows of the page, and the cursor of the next page. `all` is the whole list in its order.
    func rows(of all: [Cursor.Row]) -> (rows: ArraySlice<Cursor.Row>, nextCursor: String?) {
        let rest = all.drop { row in after.map { !$0.precedes(row) } ?? false }
        let rows = rest.prefix(limit)
        return (rows, rest.count > rows.count ? rows.last.map { Cursor(after: $0).text } : nil)
    }

    /// The JSON of the page. `all` is the whole list in its order.
    func body(of all: [Cursor.Row], _ write: (inout JSONWriter, Cursor.Row) -> Void) -> [UInt8] {
        Self.body(of: rows(of: all), write)
    }

    /// The JSON of a page.
    static func body<Row>(
        of page: (rows: some Collection<Row>, nextCursor: String?), explanation: AnswerExplanation? = nil,
        _ write: (inout JSONWriter, Row) -> Void
    ) -> [UInt8] {
        var json = JSONWriter(capacity: 512 * (page.rows.count + 1))
        json.beginObject()
        json.name("data")
        json.array(page.rows, write)
        json.member("next_cursor", page.nextCursor)
        if let explanation { json.member(endOf: explanation) }
        json.endObject()
        return json.bytes
    }
}

/// The text of a cursor: base64url of the list's name and the parts, separated by line breaks. Only the last part may
/// hold line breaks.
enum CursorText {
    static func encode(_ list: String, _ parts: [String]) -> String {
        Base64URL.encode(([list] + parts).joined(separator: "\n").utf8)
    }

    /// The parts of a cursor; nil if it is of another list, or has another number of parts.
    static func decode(_ text: String, of list: String, parts count: Int) -> [String]? {
        guard let bytes = Base64URL.decode(text.utf8), let decoded = String(validating: bytes, as: UTF8.self) else {
            return nil
        }
        let parts = decoded.split(separator: "\n", maxSplits: count, omittingEmptySubsequences: false).map(String.init)
        return parts.count == count + 1 && parts[0] == list ? Array(parts.dropFirst()) : nil
    }
}

/// The parts of a cursor that name a purchase; they stand last.
extension PurchaseKey {
    static let cursorPartCount = 4

    var cursorParts: [String] { [source.text, environment.rawValue, app.text, externalID.text] }

    /// The purchase that the parts name; nil if they name none.
    convenience init?(cursorParts parts: some BidirectionalCollection<String>) {
        let parts = Array(parts)
        guard parts.count == Self.cursorPartCount, let environment = StoreEnvironment(rawValue: parts[1]) else {
            return nil
        }
        self.init(
            source: Source(parts[0]), app: AppID(parts[2]), environment: environment, externalID: ExternalID(parts[3]))
    }
}
