import Entitlements

/// Which of the facts about no purchase an explained answer lists: the last recorded first, some at a time.
package struct ActsRequest: Sendable {
    private static let list = "acts"

    private let limit: Int
    /// Only what stands before this place; nil for the first page.
    private let before: Int?

    /// The first page, as long as one may be.
    package init() {
        limit = PageRequest.maximumLimit
        before = nil
    }

    /// Nil unless `explain=1` asks for it.
    ///
    /// - Throws: `invalid_request` for a flag or a limit that is none, and for what is no cursor of such a list.
    init?(ifAskedIn query: Query) throws(Problem) {
        limit = try PageRequest.limit(in: query)
        before = try query.cursor("acts_cursor") { text in PageRequest.number(in: text, of: Self.list) }
            .map { Int(clamping: $0) }
        guard try query.flag("explain") else { return nil }
    }

    /// The page of acts of `ledger` that is asked for.
    func page(
        of ledger: UserLedger, at: Instant, under settings: EntitlementSettings,
        where isWanted: (ExplainedFact) -> Bool = { _ in true }
    ) -> ExplainedFact.Page {
        ExplainedFact.page(
            of: ledger, at: at, under: settings, limit: limit, before: before ?? .max, where: isWanted)
    }

    /// Where the next page begins; nil behind the last.
    static func cursor(behind page: ExplainedFact.Page) -> String? {
        guard page.hasMore, let last = page.acts.last else { return nil }
        return CursorText.encode(list, [String(last.number)])
    }
}
