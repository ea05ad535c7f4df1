import Entitlements
import Hummingbird

/// `GET /api/credits`: what is left of each unit in each environment, and in which lots.
enum CreditsRoute {
    /// - Throws: `unavailable`.
    static func respond(to call: UserCall) async throws(Problem) -> Response {
        try await answer(about: call.acting, call)
    }

    /// The same about any user.
    ///
    /// - Throws: `unavailable`.
    static func answer(about acting: Acting, _ call: some SignedCall) async throws(Problem) -> Response {
        let timeline = try await call.timeline(of: acting)
        return .json(CreditsBody(timeline, at: call.now).bytes, cacheControl: "private, no-cache")
    }
}

/// All of a user's credits, by unit and environment; never more than one page.
struct CreditsBody {
    let bytes: [UInt8]

    init(_ timeline: Timeline, at instant: Instant) {
        let lots = Dictionary(grouping: timeline.lotBalances(at: instant), by: \.purse)
        var json = JSONWriter(capacity: 1024)
        json.beginObject()
        json.name("data")
        json.array(timeline.creditBalances(at: instant)) { json, balance in
            let purse = Purse(unit: balance.unit, environment: balance.environment)
            json.append(balance, lots[purse] ?? [])
        }
        json.name("next_cursor")
        json.null()
        json.endObject()
        bytes = json.bytes
    }
}

extension JSONWriter {
    fileprivate mutating func append(_ balance: CreditBalance, _ lots: [LotBalance]) {
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
        endObject()
    }

    private mutating func append(_ lot: LotBalance) {
        beginObject()
        member("source", lot.key.source.rawValue)
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
