import Entitlements

/// The rule of `semantics.md` §2 taken literally: at every millisecond, of the passes that may run, the first.
///
/// Slow, and written without a look at `PassClock`: the reference that it is held against, for histories of a few
/// hundred milliseconds.
struct TickByTick {
    /// A pass and the states that its share is made of.
    struct Subject {
        let key: PurchaseKey
        let anchor: Int64
        let length: Int64
        let rank: Int
        let states: [VerifiedPurchase]
        /// What it ran elsewhere.
        var ranBefore: Int64 = 0
        var departure: Pass.Departure?
        /// The share at each instant from 0 on, the last one for ever, where more than `states` makes it.
        var shares: [Int]?
    }

    /// Which subject runs at each millisecond from 0 on, and none.
    static func run(_ subjects: [Subject], pausedBy pauses: [PassClock.Pause], until end: Int64) -> [Int?] {
        var ran = subjects.map(\.ranBefore)
        let states = subjects.map { ordered($0.states) }
        return (0..<end).map { now in
            var first: Int?
            for (index, subject) in subjects.enumerated() where subject.anchor <= now {
                if let departure = subject.departure {
                    guard now < departure.at.milliseconds, ran[index] < departure.ran else { continue }
                }
                let share = Int64(
                    subject.shares.map { $0[min(Int(now), $0.count - 1)] } ?? share(ofOrdered: states[index], at: now))
                guard ran[index] < subject.length * (100_000 - share) / 100_000 else { continue }
                guard let best = first else {
                    first = index
                    continue
                }
                if goes(subject, before: subjects[best]) { first = index }
            }
            guard let first, !isPaused(subjects[first], by: pauses, at: now) else { return nil }
            ran[first] += 1
            return first
        }
    }

    private static func goes(_ subject: Subject, before other: Subject) -> Bool {
        if subject.rank != other.rank { return subject.rank > other.rank }
        if subject.anchor != other.anchor { return subject.anchor < other.anchor }
        return subject.key.externalID.text < other.key.externalID.text
    }

    private static func isPaused(_ subject: Subject, by pauses: [PassClock.Pause], at now: Int64) -> Bool {
        pauses.contains {
            $0.startsAt.milliseconds <= now && now < $0.endsAt.milliseconds && $0.rank > subject.rank
        }
    }

    /// The share at one instant, from the definition: the last state signed by then, and whatever reaches back over it.
    static func share(of states: [VerifiedPurchase], at now: Int64) -> Int {
        share(ofOrdered: ordered(states), at: now)
    }

    /// The same at several instants.
    static func shares(of states: [VerifiedPurchase], at instants: [Int64]) -> [Int] {
        let inOrder = ordered(states)
        return instants.map { share(ofOrdered: inOrder, at: $0) }
    }

    private static func share(ofOrdered states: [VerifiedPurchase], at now: Int64) -> Int {
        var share = 0
        var undoneAt = Int64.min
        var wasRevoked = false
        for state in states {
            let signedAt = state.signedAt.milliseconds
            if let revocation = state.revocation {
                let reachesTo = revocation.revokedAt.milliseconds
                if reachesTo > undoneAt, reachesTo <= now, now < signedAt {
                    share = max(share, revocation.share ?? 100_000)
                }
            } else if wasRevoked {
                undoneAt = signedAt
            }
            wasRevoked = state.revocation != nil
            if signedAt <= now { share = state.revocation.map { $0.share ?? 100_000 } ?? 0 }
        }
        return share
    }

    private static func ordered(_ states: [VerifiedPurchase]) -> [VerifiedPurchase] {
        states.sorted { rank($0).lexicographicallyPrecedes(rank($1)) }
    }

    private static func rank(_ state: VerifiedPurchase) -> [Int64] {
        [
            state.signedAt.milliseconds, state.revocation == nil ? 0 : 1,
            Int64(state.revocation.map { $0.share ?? 100_000 } ?? 0), -(state.revocation?.revokedAt.milliseconds ?? 0),
        ]
    }
}
