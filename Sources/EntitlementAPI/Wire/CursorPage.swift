import Entitlements

/// The place behind a row of a list that is made in memory; it stays right when rows come and go.
protocol PageCursor {
    associatedtype Row

    init(after row: Row)

    /// Nil for what is no place in this list.
    init?(_ text: String)

    var text: String { get }

    /// True if `row` comes behind this place.
    func precedes(_ row: Row) -> Bool
}

/// Which page is asked for of a list that is made in memory.
struct CursorPage<Cursor: PageCursor> {
    private let limit: Int
    /// Only what comes behind this place; nil for the first page.
    private let after: Cursor?

    /// - Throws: `invalid_request` for a limit or a cursor that is none.
    init(_ query: Query) throws(Problem) {
        limit = try PageRequest.limit(in: query)
        after = try query.cursor { text in Cursor(text).flatMap { $0.text == text ? $0 : nil } }
    }

    /// The rows of the page, of all in the list's order, and where the next one begins.
    func rows(of all: [Cursor.Row]) -> (rows: ArraySlice<Cursor.Row>, nextCursor: String?) {
        let rest = all.drop { row in after.map { !$0.precedes(row) } ?? false }
        let rows = rest.prefix(limit)
        return (rows, rest.count > rows.count ? rows.last.map { Cursor(after: $0).text } : nil)
    }

    /// The page as it is written, of all rows in the list's order.
    func body(of all: [Cursor.Row], _ write: (inout JSONWriter, Cursor.Row) -> Void) -> [UInt8] {
        Self.body(of: rows(of: all), write)
    }

    /// A page as it is written.
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

/// The text of a cursor: the name of its list, and its parts, of which only the last may have line breaks.
enum CursorText {
    static func encode(_ list: String, _ parts: [String]) -> String {
        Base64URL.encode(([list] + parts).joined(separator: "\n").utf8)
    }

    /// Nil for what is no cursor of the list, or has not so many parts.
    static func decode(_ text: String, of list: String, parts count: Int) -> [String]? {
        guard let bytes = Base64URL.decode(text.utf8), let decoded = String(validating: bytes, as: UTF8.self) else {
            return nil
        }
        let parts = decoded.split(separator: "\n", maxSplits: count, omittingEmptySubsequences: false).map(String.init)
        return parts.count == count + 1 && parts[0] == list ? Array(parts.dropFirst()) : nil
    }
}

/// A purchase as the last parts of a cursor.
extension PurchaseKey {
    static let cursorPartCount = 4

    var cursorParts: [String] { [source.text, environment.rawValue, app.text, externalID.text] }

    /// Nil for parts that name none.
    convenience init?(cursorParts parts: some BidirectionalCollection<String>) {
        let parts = Array(parts)
        guard parts.count == Self.cursorPartCount, let environment = StoreEnvironment(rawValue: parts[1]) else {
            return nil
        }
        self.init(
            source: Source(parts[0]), app: AppID(parts[2]), environment: environment, externalID: ExternalID(parts[3]))
    }
}
