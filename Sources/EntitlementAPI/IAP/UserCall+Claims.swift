import AppStore
import Entitlements
import LedgerStore

/// What came of purchases that a user showed.
struct Claimed<Reply: Sendable, Refusal: Error> {
    let answer: Result<Reply, Refusal>
    /// What the user has now.
    let timeline: Timeline
    /// The instant that the answer is for: not before the purchase dates just recorded (`semantics.md` §2).
    let at: Instant

    /// What to say of a purchase that the user claimed.
    func outcome(of claim: Claim, _ purchase: VerifiedPurchase) -> (outcome: AttachOutcome, reason: AttachReason?) {
        AttachOutcome.of(claim, standing: timeline.standing(of: purchase.key, at: at))
    }
}

extension KnownTexts {
    /// Texts that were verified before, each as its row says.
    init(_ replays: [[UInt8]: Replay], under labels: Labels) {
        self.init(replays.keys) { replays[$0.text.digest]?.shows(VerifiedPurchase($0, labels: labels)) ?? false }
    }
}

extension UserCall {
    /// Those of the texts that were verified before, by their digests; none while that cannot be looked up.
    func replays(of signed: [SignedTransaction]) async -> [[UInt8]: Replay] {
        // Lost: what was verified before, which is verified again.
        (try? await api.service.replays(of: Set(signed.map(\.digest)))) ?? [:]
    }

    /// Records what the user shows, and claims it as `deciding` decides. What is the user's already and was shown by the same
    /// texts before is read and not recorded again (`semantics.md` §5, *literal replay*).
    ///
    /// - Parameter replays: Those of the texts that were verified before.
    /// - Throws: `unavailable`.
    func claimed<Reply, Refusal>(
        _ evidence: [Evidence], replays: [[UInt8]: Replay],
        deciding: @escaping @Sendable (PurchaseHistory, ClaimContext) -> Decision<Reply, Refusal>
    ) async throws(Problem) -> Claimed<Reply, Refusal> {
        let purchases = evidence.compactMap(\.statement.state)
        let rules = api.service.rules
        if isTheirs(evidence, replays),
            let read = try await reread(purchases, deciding: { deciding($0, ClaimContext(rules: rules, fold: $1)) })
        {
            return read
        }
        let recorded = try await served { () async throws(ServiceFailure) in
            try await api.service.record(evidence, for: [user], keys: [], everythingOf: nil, audit: nil) {
                history, fold in
                deciding(history, ClaimContext(rules: rules, fold: fold))
            }
        }
        return Claimed(
            answer: recorded.answer, timeline: recorded.timeline(of: user, in: fold),
            at: Attach.answeredAt(recorded.history.now, recording: purchases))
    }

    private var fold: FoldContext { FoldContext(catalogue: api.service.catalogue, settings: api.service.settings) }

    /// Whether all of it was shown before, is the user's, and brings no debt along.
    private func isTheirs(_ evidence: [Evidence], _ replays: [[UInt8]: Replay]) -> Bool {
        evidence.allSatisfy { evidence in
            guard let replay = evidence.proof.flatMap({ replays[$0.text.digest] }) else { return false }
            return replay.owner == user && !replay.isInDebt
        }
    }

    /// The answer by what is recorded; nil when the ledger does not have all of the purchases any more.
    private func reread<Reply, Refusal>(
        _ purchases: [VerifiedPurchase],
        deciding: (PurchaseHistory, FoldContext) -> Decision<Reply, Refusal>
    ) async throws(Problem) -> Claimed<Reply, Refusal>? {
        let ledger = try await ledger(of: user)
        let timeline = timeline(of: ledger)
        guard purchases.allSatisfy({ timeline.position(ofHeld: $0.key) != nil }) else { return nil }
        let known = Dictionary(grouping: purchases, by: \.key).mapValues {
            PurchaseHistory.KnownPurchase(owner: user, states: $0)
        }
        let history = PurchaseHistory(now: now, ledgers: [user: ledger], purchases: known, tokenHolders: [:])
        return Claimed(
            answer: deciding(history, fold).answer, timeline: timeline,
            at: Attach.answeredAt(now, recording: purchases))
    }
}
