import Entitlements
import Hummingbird
import LedgerStore

/// `GET /api/iap/purchases`: the user's purchases and what each gives, newest first.
enum PurchasesRoute {
    /// - Throws: `invalid_request` for a malformed parameter, `rate_limited` if too many reads of the user wait,
    ///   `unavailable`.
    static func answer(_ principal: Principal, _ call: some SignedCall) async throws(Problem) -> Response {
        let query = try Query(call.request.uri.query)
        let asked = try CursorPage<PurchaseCursor>(query)
        let asOf = try AsOf(query, now: call.now)
        return try await call.folding(principal.user) { (ledger) async throws(Problem) in
            let known = asOf.known(of: ledger)
            let page = PurchasePage(asked, of: known, call.timeline(of: known, testersAt: asOf.at), at: asOf.at)
            let told = try await call.served { try await $0.inbox.payments(for: page.toldByEvents) }
            return .json(page.body(paid: told), cacheControl: "private, no-cache")
        }
    }
}

/// The paging cursor of `GET /api/iap/purchases`. It names the last purchase or grant on a page.
struct PurchaseCursor: PageCursor {
    private static let list = "purchases"

    private let purchasedAt: Instant
    private let key: PurchaseKey

    init(after purchase: ListedPurchase) {
        purchasedAt = purchase.purchasedAt
        key = purchase.key
    }

    init?(_ text: String) {
        guard let parts = CursorText.decode(text, of: Self.list, parts: 1 + PurchaseKey.cursorPartCount),
            let milliseconds = Int64(parts[0]), let key = PurchaseKey(cursorParts: parts.dropFirst())
        else { return nil }
        purchasedAt = Instant(milliseconds: milliseconds)
        self.key = key
    }

    var text: String { CursorText.encode(Self.list, [String(purchasedAt.milliseconds)] + key.cursorParts) }

    func precedes(_ purchase: ListedPurchase) -> Bool {
        purchase.purchasedAt == purchasedAt ? key < purchase.key : purchase.purchasedAt < purchasedAt
    }
}
