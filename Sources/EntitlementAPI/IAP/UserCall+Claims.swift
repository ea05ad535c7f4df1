import AppStore
import Entitlements
import LedgerStore

/// The result of an attach or a restore.
struct Claimed<Reply: Sendable, Refusal: Error> {
    let answer: Result<Reply, Refusal>
    /// The user's timeline now.
    let timeline: Timeline
    /// The instant that the answer is for. A purchase date just ahead of the server's clock moves it forward
    /// (`semantics.md` §2, *The instant of an attach*).
    let at: Instant
    /// The answer to the status at `at` if it was written with the ledger.
    fileprivate let written: StandingAnswer?

    /// The answer to the status at `at`.
    var status: StandingAnswer { written ?? StatusBody.answer(timeline.status(at: at, explains: false)) }

    /// The outcome of a claim as the API names it, and its reason.
    func outcome(of claim: Claim, _ purchase: VerifiedPurchase) -> (outcome: AttachOutcome, reason: AttachReason?) {
        AttachOutcome.of(claim, disposition: timeline.disposition(of: purchase, at: at))
    }
}

/// A verified transaction from a user's request, and the purchase state that it shows.
struct ShownPurchase {
    let transaction: VerifiedTransaction
    let state: VerifiedPurchase

    init(_ transaction: VerifiedTransaction, labels: Labels) {
        self.transaction = transaction
        state = VerifiedPurchase(transaction, labels: labels)
    }

    var evidence: Evidence { Evidence(state, provedBy: Evidence.Proof(transaction)) }
}

/// The recorded states of texts that were verified before, by the digest of the text (`semantics.md` §5, *Literal
/// replay*).
typealias Replays = [[UInt8]: Replay]

extension UserCall {
    /// Verifies texts with `judge`, which gets the digests of texts that were verified before and skips their
    /// signatures.
    ///
    /// If the recorded state of a known text differs from what the text says, all texts are verified in full. So an
    /// edited digest in the database spares no signature check.
    ///
    /// - Parameter shown: Gives the genuine purchases in the result of `judge`.
    /// - Throws: The error of `judge`.
    func judged<Judged>(
        _ signed: [SignedTransaction], shown: (Judged) -> [ShownPurchase],
        by judge: (KnownTexts) async throws(Problem) -> Judged
    ) async throws(Problem) -> (Judged, Replays) {
        // If the database fails, `try?` drops the known texts, and all texts are verified in full.
        let replays = (try? await served { try await $0.reader.replays(of: Set(signed.compactMap(\.digest))) }) ?? [:]
        let judged = try await judge(KnownTexts(replays.keys))
        let isAsVerified = shown(judged).allSatisfy { replays[$0.transaction.text.digest]?.shows($0.state) ?? true }
        if isAsVerified { return (judged, replays) }
        let judgedAnew = try await judge(.none)
        return (judgedAnew, [:])
    }

    /// Records the purchases that the user shows and claims them as `deciding` decides. If all texts were verified
    /// before and their purchases are the user's, nothing is recorded (`semantics.md` §5, *Literal replay*).
    ///
    /// - Parameter replays: The recorded states of the texts that were verified before.
    /// - Throws: `unavailable`.
    func claimed<Reply, Refusal>(
        _ shown: [ShownPurchase], replays: Replays,
        deciding: @escaping @Sendable (PurchaseHistory, ClaimContext) -> Decision<Reply, Refusal>
    ) async throws(Problem) -> Claimed<Reply, Refusal> {
        let purchases = shown.map(\.state)
        let rules = api.rules
        if isTheirs(shown, replays),
            let read = try await reread(purchases, deciding: { deciding($0, ClaimContext(rules: rules, fold: $1)) })
        {
            return read
        }
        let recorded = try await served {
            try await $0.ledger.record(shown.map(\.evidence), for: [user]) { history, fold in
                deciding(history, ClaimContext(rules: rules, fold: fold))
            }
        }
        let at = Attach.answeredAt(recorded.history.now, recording: purchases)
        return Claimed(
            answer: recorded.answer, timeline: recorded.timeline(of: user, in: fold), at: at,
            written: recorded.answer(about: user, at: at))
    }

    var fold: FoldContext { FoldContext(catalogue: api.catalogue, settings: api.settings) }

    /// True if every text was verified before and its purchase is the user's now.
    private func isTheirs(_ shown: [ShownPurchase], _ replays: Replays) -> Bool {
        shown.allSatisfy { purchase in
            replays[purchase.transaction.text.digest]?.owner == user
        }
    }

    /// The answer from the user's ledger alone; nil if the ledger does not have all of the purchases any more.
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
            at: Attach.answeredAt(now, recording: purchases), written: nil)
    }
}
