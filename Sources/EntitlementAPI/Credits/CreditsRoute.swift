package import Entitlements
import Hummingbird

/// `GET /api/credits`: the balance of each unit in each environment with its lots, ordered by unit, then environment.
package enum CreditsRoute {
    /// - Throws: `invalid_request` for a malformed parameter, `rate_limited`, `unavailable`.
    static func answer(about principal: Principal, _ call: some SignedCall) async throws(Problem) -> Response {
        let query = try Query(call.request.uri.query)
        let page = try CursorPage<BalanceCursor>(query)
        return try await AskedTimeline.answer(about: principal, query, call) { (asked) async throws(Problem) in
            let lots = Dictionary(grouping: asked.timeline.lotBalances(at: asked.at), by: \.purse)
            let listed = page.rows(of: asked.timeline.creditBalances(at: asked.at))
            let purses = Set(listed.rows.map(\.purse))
            let explanation = try await asked.explanation(for: call) { act in
                act.purse.map(purses.contains) ?? false
            }
            let bytes = CursorPage<BalanceCursor>.body(of: listed, explanation: explanation) { json, balance in
                json.append(balance, lots[balance.purse] ?? [], explanation)
            }
            return .json(bytes, cacheControl: "private, no-cache")
        }
    }

    /// The list of all balances at `at`, as JSON on one page.
    package static func document(of timeline: Timeline, at: Instant) -> [UInt8] {
        let lots = Dictionary(grouping: timeline.lotBalances(at: at), by: \.purse)
        return CursorPage<BalanceCursor>.body(of: (rows: timeline.creditBalances(at: at), nextCursor: nil)) {
            $0.append($1, lots[$1.purse] ?? [], nil)
        }
    }
}

/// The paging cursor of `GET /api/credits`. It names the last balance on a page.
private struct BalanceCursor: PageCursor {
    private static let list = "credits"

    private let purse: Purse

    init(after balance: CreditBalance) {
        purse = balance.purse
    }

    init?(_ text: String) {
        guard let parts = CursorText.decode(text, of: Self.list, parts: 2),
            let environment = StoreEnvironment(rawValue: parts[0])
        else { return nil }
        purse = Purse(unit: parts[1], environment: environment)
    }

    var text: String { CursorText.encode(Self.list, [purse.environment.rawValue, purse.unit]) }

    func precedes(_ balance: CreditBalance) -> Bool { purse < balance.purse }
}

extension CreditBalance {
    fileprivate var purse: Purse { Purse(unit: unit, environment: environment) }
}

extension JSONWriter {
    fileprivate mutating func append(_ balance: CreditBalance, _ lots: [LotBalance], _ explanation: AnswerExplanation?)
    {
        beginObject()
        member("unit", balance.unit)
        member("environment", balance.environment.rawValue)
        member("spendable", balance.spendable)
        member("debt", balance.debt)
        member("reserved", balance.reserved)
        member("credited", balance.credited)
        member("refunded", balance.refunded)
        member("expired", balance.expired)
        member("spent", balance.spent)
        member("written_off", balance.writtenOff)
        name("lots")
        array(lots) { $0.append($1) }
        if let explanation {
            member(acts: explanation.acts.acts.filter { $0.purse == balance.purse }, explanation.devices)
        }
        endObject()
    }

    private mutating func append(_ lot: LotBalance) {
        beginObject()
        member("source", lot.key.source.text)
        member("external_id", lot.key.externalID.text)
        member("credited_at", exactly: "credited_at_ms", lot.creditedAt)
        member("expires_at", exactly: "expires_at_ms", lot.expiresAt)
        member("spendable", lot.spendable)
        member("reserved", lot.reserved)
        member("credited", lot.credited)
        member("refunded", lot.refunded)
        member("expired", lot.expired)
        member("spent", lot.spent)
        member("repaid", lot.repaid)
        member("written_off", lot.writtenOff)
        endObject()
    }
}
