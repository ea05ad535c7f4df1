import AppStore
import Entitlements
import Hummingbird
package import LedgerStore

/// `GET /api/admin/search?q=`: whatever the text names, and whose it is.
package enum SearchRoute {
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
        let found = try await call.served { try await $0.reports.search(text, under: labels) } + orders(text)
        return .json(page.body(of: sorted(found)) { $0.append($1) })
    }

    /// A hint that a text has the form of an order number. Apple is not asked.
    package static func orders(_ text: String) -> [Found] {
        OrderID(text) == nil ? [] : [.order]
    }

    /// The list of everything that was found, as JSON on one page.
    package static func document(of found: [Found]) -> [UInt8] {
        CursorPage<FoundCursor>.body(of: (rows: sorted(found), nextCursor: nil)) { $0.append($1) }
    }

    /// The things that were found, in the order of the list.
    package static func sorted(_ found: [Found]) -> [Found] {
        found.map { (FoundCursor(after: $0), $0) }.sorted { $0.0.precedes($1.0) }.map(\.1)
    }
}

/// The paging cursor of the search. It names the last result on a page. Results are ordered by kind, then by user and
/// purchase; deliveries by number, the newest first.
private struct FoundCursor: PageCursor {
    private static let list = "search"

    /// The kind, user and purchase; of a delivery the kind alone.
    private let names: [String]
    private let delivery: UInt64

    init(after found: Found) {
        let isDelivery = found.delivery != nil
        let about = [
            found.user?.text, found.space?.source.text, found.space?.app.text, found.space?.environment.rawValue,
            found.purchase?.text,
        ].map { isDelivery ? "" : $0 ?? "" }
        names = [String(found.kind.rank)] + about
        delivery = found.delivery ?? 0
    }

    init?(_ text: String) {
        guard let parts = CursorText.decode(text, of: Self.list, parts: 7), let delivery = UInt64(parts[0]) else {
            return nil
        }
        self.delivery = delivery
        names = Array(parts.dropFirst())
    }

    var text: String { CursorText.encode(Self.list, [String(delivery)] + names) }

    func precedes(_ found: Found) -> Bool { precedes(FoundCursor(after: found)) }

    func precedes(_ other: FoundCursor) -> Bool {
        names == other.names ? delivery > other.delivery : names.lexicographicallyPrecedes(other.names)
    }
}

extension Found.Kind {
    /// The place of this kind in the list.
    fileprivate var rank: Int { Self.allCases.firstIndex(of: self) ?? 0 }
}

extension JSONWriter {
    /// Writes something that was found as one value.
    fileprivate mutating func append(_ found: Found) {
        object { json in
            json.member("kind", found.kind.rawValue)
            json.member("user_id", found.user?.text)
            json.member("source", found.space?.source.text)
            json.member("app", found.space.flatMap { $0.app.text.isEmpty ? nil : $0.app.text })
            json.member("environment", found.space?.environment.rawValue)
            json.member("external_id", found.purchase?.text)
            json.member("transaction_id", found.transaction?.text)
            json.member("delivery_id", found.delivery.map { String($0) })
            json.member("notification_id", found.notification)
        }
    }
}
