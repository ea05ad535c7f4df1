import Entitlements

/// What a list about a user is made of: at the instant asked about, by what was known at the other.
struct AskedTimeline {
    let timeline: Timeline
    let at: Instant
    /// The facts about no purchase; nil unless `?explain=1` asks for them.
    private let acts: [ExplainedAct]?

    /// Nil unless `?explain=1` asks for it.
    var explainedUnder: ExplainedUnder? {
        acts.map { _ in ExplainedUnder(timeline.settings, timeline.catalogue) }
    }

    /// - Throws: `invalid_request` for a parameter that cannot be read, `unavailable`.
    init(of acting: Acting, _ query: Query, _ call: some SignedCall) async throws(Problem) {
        let asOf = try AsOf(query, now: call.now)
        let isExplained = try query.flag("explain")
        let ledger = asOf.known(of: try await call.ledger(of: acting.user))
        timeline = call.timeline(of: ledger, testersAt: asOf.at)
        at = asOf.at
        acts = isExplained ? ExplainedAct.all(in: ledger, at: asOf.at, under: timeline.settings) : nil
    }

    /// Those about one thing, by what names it; nil unless they are asked for.
    func acts<Name: Hashable>(by name: (ExplainedAct) -> Name) -> [Name: [ExplainedAct]]? {
        acts.map { Dictionary(grouping: $0, by: name) }
    }
}
