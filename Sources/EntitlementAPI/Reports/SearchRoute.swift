import Entitlements
import Hummingbird
import LedgerStore

/// `GET /api/admin/search?q=`: everything that the text is the exact name of, and who owns it.
enum SearchRoute {
    /// - Throws: `invalid_request` without a text, or for one that is too long, for a limit or a cursor that is
    ///   none, `unavailable`.
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
        return .json(page.body(of: sorted) { $0.append($1) })
    }
}

/// The place behind a find: by its kind, then by its purchase.
private struct FoundCursor: PageCursor {
    private static let list = "search"

    private let kind: Found.Kind
    /// Nil for what belongs to no purchase, of which a text names one of each kind at most.
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

extension Found {
    /// The raw value is what the API writes.
    fileprivate enum Kind: String, CaseIterable {
        case user
        case accountToken = "account_token"
        case purchase
        case transaction

        /// The place of this kind in the list.
        var rank: Int { Self.allCases.firstIndex(of: self) ?? 0 }
    }

    fileprivate var kind: Kind {
        switch self {
        case .user: .user
        case .accountToken: .accountToken
        case .purchase: .purchase
        case .transaction: .transaction
        }
    }

    fileprivate var key: PurchaseKey? {
        switch self {
        case .user, .accountToken: nil
        case .purchase(let key, _), .transaction(_, let key, _): key
        }
    }

    fileprivate var user: UserID? {
        switch self {
        case .user(let user): user
        case .accountToken(let user): user
        case .purchase(_, let owner), .transaction(_, _, let owner): owner
        }
    }

    fileprivate var transaction: TransactionID? {
        if case .transaction(let id, _, _) = self { id } else { nil }
    }
}

extension JSONWriter {
    fileprivate mutating func append(_ found: Found) {
        let key = found.key
        beginObject()
        member("kind", found.kind.rawValue)
        member("user_id", found.user?.text)
        member("source", key?.source.text)
        member("app", key?.appText)
        member("environment", key?.environment.rawValue)
        member("external_id", key?.externalID.text)
        member("transaction_id", found.transaction?.text)
        endObject()
    }
}
