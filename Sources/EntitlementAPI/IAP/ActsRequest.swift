import Entitlements

/// The request for a page of the acts in an explained answer. Acts are facts about no purchase; the last recorded comes
/// first.
package struct ActsRequest: Sendable {
    private static let list = "acts"

    private let limit: Int
    /// The number of the ledger entry before which the page begins; nil for the first page.
    private let before: Int?

    /// The first page, of the maximum length.
    package init() {
        limit = PageRequest.maximumLimit
        before = nil
    }

    /// Reads the query; nil unless it has `explain=1`.
    ///
    /// - Throws: `invalid_request` for a malformed flag or limit, and for a cursor of another list.
    init?(ifAskedIn query: Query) throws(Problem) {
        limit = try PageRequest.limit(in: query)
        before = try query.cursor("acts_cursor") { text in PageRequest.number(in: text, of: Self.list) }
            .map { Int(clamping: $0) }
        guard try query.flag("explain") else { return nil }
    }

    /// The page of the acts in `ledger` that took effect by `at` and satisfy `isWanted`.
    func page(
        of ledger: UserLedger, at: Instant, under settings: EntitlementSettings,
        where isWanted: (ExplainedFact) -> Bool = { _ in true }
    ) -> ExplainedFact.Page {
        ExplainedFact.page(
            of: ledger, at: at, under: settings, limit: limit, before: before ?? .max, where: isWanted)
    }

    /// The cursor of the next page; nil if `page` is the last.
    static func cursor(behind page: ExplainedFact.Page) -> String? {
        guard page.hasMore, let last = page.acts.last else { return nil }
        return CursorText.encode(list, [String(last.number)])
    }
}
