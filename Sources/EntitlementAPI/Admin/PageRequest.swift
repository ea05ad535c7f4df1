import Entitlements

/// Which page of a list is asked for; its rows are numbered, the newest highest.
struct PageRequest {
    static let maximumLimit = 100
    static let defaultLimit = 50

    let limit: Int
    /// Only what stands before this number; nil for the first page.
    let before: UInt64?

    /// - Throws: `invalid_request` for a limit or a cursor that is none.
    init(_ query: Query) throws(Problem) {
        limit = try query.integer("limit", in: 1...Self.maximumLimit) ?? Self.defaultLimit
        guard let text = try query.text("cursor") else {
            before = nil
            return
        }
        guard let number = Self.number(of: text) else {
            throw .invalidRequest("The parameter must be a cursor from an earlier page.", at: "?cursor")
        }
        before = number
    }

    /// One more than the page has, to know whether there is another.
    var readLimit: Int { limit + 1 }

    /// The page as it is written, of what was read with `readLimit`.
    func body<Row>(
        of rows: [Row], number: (Row) -> UInt64, _ write: (inout JSONWriter, Row) -> Void
    ) -> [UInt8] {
        body(of: rows.prefix(limit), next: rows.count > limit ? number(rows[limit - 1]) : nil, write)
    }

    /// A page of what was gone over down to `next`; nil when that was all.
    func body<Row>(
        of rows: some Collection<Row>, next: UInt64?, _ write: (inout JSONWriter, Row) -> Void
    ) -> [UInt8] {
        var json = JSONWriter(capacity: 512 * (rows.count + 1))
        json.beginObject()
        json.name("data")
        json.array(rows, write)
        json.member("next_cursor", next.map(Self.cursor))
        json.endObject()
        return json.bytes
    }

    private static func cursor(after number: UInt64) -> String {
        Base64URL.encode("before \(number)".utf8)
    }

    private static func number(of cursor: String) -> UInt64? {
        guard let bytes = Base64URL.decode(cursor.utf8), let text = String(validating: bytes, as: UTF8.self),
            text.hasPrefix("before "), let number = UInt64(text.dropFirst(7)), self.cursor(after: number) == cursor
        else { return nil }
        return number
    }
}
