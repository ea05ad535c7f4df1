import Entitlements

/// The timeline for a list about a user, at the instant `?at=`, from the facts recorded by `?known_at=`.
struct AskedTimeline {
    let timeline: Timeline
    let at: Instant
    private let ledger: UserLedger
    /// The page of acts to list; nil unless `?explain=1` asks for them.
    private let acts: ActsRequest?

    /// The result of `body`, called with the timeline. Reads about one user run one at a time
    /// (``SignedCall/inTurn(about:_:)``).
    ///
    /// - Throws: `invalid_request` for a malformed parameter, `rate_limited` if too many reads about the user wait,
    ///   `unavailable`, and what `body` throws.
    static func answer<Answer>(
        about principal: Principal, _ query: Query, _ call: some SignedCall,
        _ body: (AskedTimeline) async throws(Problem) -> Answer
    ) async throws(Problem) -> Answer {
        let asOf = try AsOf(query, now: call.now)
        let acts = try ActsRequest(ifAskedIn: query)
        return try await call.folding(principal.user) { (ledger) async throws(Problem) in
            let known = asOf.known(of: ledger)
            let timeline = call.timeline(of: known, testersAt: asOf.at)
            return try await body(AskedTimeline(timeline: timeline, at: asOf.at, ledger: known, acts: acts))
        }
    }

    private init(timeline: Timeline, at: Instant, ledger: UserLedger, acts: ActsRequest?) {
        self.timeline = timeline
        self.at = at
        self.ledger = ledger
        self.acts = acts
    }

    /// The explanation of an answer, with those acts that satisfy `isWanted`; nil unless `?explain=1` asks for it.
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
