import Entitlements

/// The timeline that a list about a user is made of: at the instant `?at=`, by what was known at `?known_at=`.
struct AskedTimeline {
    let timeline: Timeline
    let at: Instant
    private let ledger: UserLedger
    /// Which facts about no purchase to list; nil unless `?explain=1` asks for them.
    private let acts: ActsRequest?

    /// - Throws: `invalid_request` for a parameter that cannot be read, `unavailable`.
    init(of principal: Principal, _ query: Query, _ call: some SignedCall) async throws(Problem) {
        let asOf = try AsOf(query, now: call.now)
        acts = try ActsRequest(ifAskedIn: query)
        ledger = asOf.known(of: try await call.ledger(of: principal.user))
        timeline = call.timeline(of: ledger, testersAt: asOf.at)
        at = asOf.at
    }

    /// What an answer is made of, as far as `isWanted`; nil unless `?explain=1` asks for it.
    ///
    /// - Throws: `unavailable`.
    func explanation(
        for call: some SignedCall, where isWanted: (ExplainedFact) -> Bool
    ) async throws(Problem) -> AnswerExplanation? {
        guard let acts else { return nil }
        let page = acts.page(of: ledger, at: at, under: timeline.settings, where: isWanted)
        return AnswerExplanation(
            acts: page, devices: try await call.deviceNames(of: page.acts.compactMap(\.device), in: ledger),
            under: ExplainedUnder(timeline.settings, timeline.catalogue))
    }
}
