import Entitlements
import Hummingbird
import LedgerStore

/// `GET /api/admin/search?q=`: the users, account tokens, purchases and transactions whose exact name is the text, and
/// who owns them.
enum SearchRoute {
    /// - Throws: `invalid_request` for a missing or too long text, or a malformed limit or cursor; `unavailable`.
    static func respond(to call: ServerCall) async throws(Problem) -> Response {
        let query = try Query(call.request.uri.query)
        guard let text = try query.text("q"),
            (1...OperatorReader.maximumQueryLength).contains(text.unicodeScalars.count)
        else {
            throw .invalidRequest(
                "The parameter is required: 1 to \(OperatorReader.maximumQueryLength) characters.", at: "?q")
        }
        let page = try CursorPage<FoundCursor>(query)
        let labels = try call.labels()
        let found = try await call.served { try await $0.reports.search(text, under: labels) }
        let sorted = found.sorted { FoundCursor(after: $0).precedes($1) }
        return .json(
            page.body(of: sorted) { json, found in
                json.beginObject()
                json.member("kind", found.kind.rawValue)
                json.member("user_id", found.user?.text)
                json.member("source", found.key?.source.text)
                json.member("app", found.key?.appText)
                json.member("environment", found.key?.environment.rawValue)
                json.member("external_id", found.key?.externalID.text)
                json.member("transaction_id", found.transaction?.text)
                json.endObject()
            })
    }
}

/// The paging cursor of the search. It names the last result on a page; results are ordered by kind, then by purchase.
private struct FoundCursor: PageCursor {
    private static let list = "search"

    private let kind: Found.Kind
    /// The purchase that was found; nil if the result is a user or a delivery. Part of the cursor.
    private let key: PurchaseKey?

    init(after found: Found) {
        kind = found.kind
        key = found.key
    }

    init?(_ text: String) {
        guard let parts = CursorText.decode(text, of: Self.list, parts: 1 + PurchaseKey.cursorPartCount),
            let kind = Found.Kind(rawValue: parts[0])
        else { return nil }
        self.kind = kind
        key = PurchaseKey(cursorParts: parts.dropFirst())
    }

    var text: String {
        let none = [String](repeating: "", count: PurchaseKey.cursorPartCount)
        return CursorText.encode(Self.list, [kind.rawValue] + (key?.cursorParts ?? none))
    }

    func precedes(_ found: Found) -> Bool {
        guard kind == found.kind else { return kind.rank < found.kind.rank }
        guard let key, let other = found.key else { return false }
        return key < other
    }
}

extension Found.Kind {
    /// The place of this kind in the list.
    fileprivate var rank: Int { Self.allCases.firstIndex(of: self) ?? 0 }
}
