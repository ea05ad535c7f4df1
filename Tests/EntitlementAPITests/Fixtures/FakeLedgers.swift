import Entitlements
import LedgerStore

/// Ledgers in memory as they grow by evidence and decisions: what the store does, without a store.
struct FakeLedgers {
    private(set) var ledgers: [UserID: UserLedger] = [:]
    private(set) var notes: [NoteDigest: Note] = [:]
    private var purchases: [PurchaseKey: PurchaseHistory.KnownPurchase] = [:]
    private var tokenHolders: [Label: UserID] = [:]
    /// What each text stated that was kept, by its digest.
    private var texts: [[UInt8]: VerifiedPurchase] = [:]

    subscript(user: UserID) -> UserLedger { ledgers[user] ?? UserLedger(user: user) }

    func history(at now: Instant, isEvidenceNew: Bool = false) -> PurchaseHistory {
        PurchaseHistory(
            now: now, ledgers: ledgers, purchases: purchases, tokenHolders: tokenHolders, isEvidenceNew: isEvidenceNew)
    }

    /// Those of the texts with these digests that were kept.
    func replays(of digests: Set<[UInt8]>) -> [[UInt8]: Replay] {
        texts.filter { digests.contains($0.key) }
            .mapValues { Replay(of: $0, owner: purchases[$0.key]?.owner) }
    }

    /// Says whom a token was issued to.
    mutating func issue(_ token: Label, to user: UserID) {
        tokenHolders[token] = user
    }

    /// Keeps what is shown; whether it was not known.
    mutating func keep(_ evidence: Evidence, at now: Instant) -> Bool {
        guard let state = evidence.statement.state, keep(state, at: now) else { return false }
        if let text = evidence.proof?.text { texts[text.digest] = state }
        return true
    }

    /// The same of a state without a text. It enters its owner's ledger.
    mutating func keep(_ state: VerifiedPurchase, at now: Instant) -> Bool {
        guard purchases[state.key]?.states.contains(state) != true else { return false }
        purchases[state.key, default: .init()].states.append(state)
        if let owner = purchases[state.key]?.owner {
            append([.init(.stated(.purchase(state)), at: state.signedAt)], to: owner, at: now)
        }
        return true
    }

    /// Keeps a state, and binds its purchase if nobody has it.
    mutating func sell(_ state: VerifiedPurchase, to user: UserID, at now: Instant) {
        _ = keep(state, at: now)
        if purchases[state.key]?.owner == nil { bind(state.key, to: user, note: nil, at: now) }
    }

    /// Tells the owner of a chain what the store says of its renewal.
    mutating func tell(_ renewal: VerifiedRenewal, at now: Instant) {
        guard let owner = purchases[renewal.key]?.owner else { return }
        append([.init(.stated(.renewal(renewal)), at: renewal.signedAt)], to: owner, at: now)
    }

    /// Appends what a decision wants.
    mutating func apply<Reply, Refusal>(_ decision: Decision<Reply, Refusal>, at now: Instant) {
        for (key, user) in decision.bindings.sorted(by: { $0.key < $1.key }) {
            bind(key, to: user, note: decision.bindingNote, at: now)
        }
        for (key, move) in decision.moves.sorted(by: { $0.key < $1.key }) { apply(move, of: key, at: now) }
        for (user, drafts) in decision.drafts {
            append(drafts, to: user, at: now)
            for case .granted(let grant) in drafts.map(\.fact) {
                purchases[grant.key, default: .init()].owner = user
            }
        }
        tokenHolders.merge(decision.tokens) { $1 }
    }

    /// Whether there was such a user.
    mutating func erase(_ user: UserID) -> Bool {
        ledgers.removeValue(forKey: user) != nil
    }

    private mutating func append(_ drafts: [LedgerEntry.Draft], to user: UserID, at now: Instant) {
        let digests = drafts.map { draft in draft.note.map { keep($0) } ?? draft.kept }
        var next = digests.makeIterator()
        ledgers[user, default: UserLedger(user: user)].append(drafts, at: now) { _ in next.next() ?? nil }
    }

    /// Words under a digest that no other words have.
    private mutating func keep(_ note: Note) -> NoteDigest {
        let digest = NoteDigest(bytes: Array(String(notes.count).utf8))
        notes[digest] = note
        return digest
    }

    private mutating func bind(_ key: PurchaseKey, to user: UserID, note: Note?, at now: Instant) {
        let states = purchases[key]?.states ?? []
        append(
            states.map { .init(.stated(.purchase($0)), at: $0.signedAt) } + [.init(.bound(key), at: now, note: note)],
            to: user, at: now)
        purchases[key]?.owner = user
    }

    private mutating func apply(_ move: Move, of key: PurchaseKey, at now: Instant) {
        guard let giver = purchases[key]?.owner else { return }
        let known = Set(self[move.receiver].entries.map(\.fact))
        let going = self[giver].entries.filter {
            $0.fact.purchase == key && $0.fact.goesWithPurchase && !known.contains($0.fact)
        }
        let note = move.note.map { keep($0) }
        append(going.map { .init($0.fact, at: $0.effectiveAt, kept: $0.note) }, to: move.receiver, at: now)
        append([.init(.gaveAway(key, move.handover), at: move.effectiveAt, kept: note)], to: giver, at: now)
        append([.init(.received(key, move.handover), at: move.effectiveAt, kept: note)], to: move.receiver, at: now)
        purchases[key]?.owner = move.receiver
    }
}
