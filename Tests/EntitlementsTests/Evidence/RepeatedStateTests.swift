import Entitlements
import Testing

/// Which signed states ledgers hold: those that say something else than the ones before (`semantics.md` §1).
@Suite struct RepeatedStateTests {
    private static let first = VerifiedPurchase.state(of: "p", at: "01-01")
    private static let bought = Statement.purchase(first)

    private static func unrevoked(_ signedAt: Instant) -> Statement {
        .purchase(first.with(revocation: nil, signedAt: signedAt))
    }

    private static func revoked(_ share: Int, signed signedAt: Instant) -> Statement {
        .purchase(first.with(revocation: Revocation(revokedAt: "01-10", share: share), signedAt: signedAt))
    }

    private static func track(of statements: [Statement]) -> ShareTrack {
        ShareTrack(of: statements.compactMap { Fact.stated($0).state })
    }

    @Test func `a state that says what the one signed before it says is a repeat, in whatever order they came`() {
        let states = [
            Self.unrevoked("01-05"), Self.bought, Self.revoked(100, signed: "01-20"), Self.unrevoked("01-30"),
        ]
        #expect(states.map { $0.isRepeat(among: states) } == [true, false, false, false])
        #expect(states.reversed().map { $0.isRepeat(among: states.reversed()) } == [false, false, false, true])
    }

    @Test func `the states of another transaction are none before it`() {
        let copy = Statement.purchase(.state(of: "p", transaction: "copy", at: "01-01"))
        let later = Statement.purchase(.state(of: "p", transaction: "copy", at: "01-01", signedAt: "01-03"))
        #expect(!copy.isRepeat(among: [Self.bought, copy, later]))
        #expect(later.isRepeat(among: [Self.bought, copy, later]))
    }

    @Test func `states of a renewal repeat one another alike, and no purchase's`() {
        let key = Self.first.key
        let on = { (signedAt: Instant) in
            Statement.renewal(VerifiedRenewal(key: key, signedAt: signedAt, willRenew: true))
        }
        let off = { (signedAt: Instant) in
            Statement.renewal(VerifiedRenewal(key: key, signedAt: signedAt, willRenew: false, end: .cancelled))
        }
        let states = [Self.bought, on("01-02"), Self.unrevoked("01-03"), on("01-04"), off("01-05"), on("01-06")]
        #expect(states.map { $0.isRepeat(among: states) } == [false, false, true, true, false, false])
        #expect(off("01-03").endingRepeats(among: states) == [on("01-04")])
        #expect(!Self.bought.hasSameContent(as: on("01-01")) && !on("01-01").hasSameContent(as: Self.bought))
        let other = Statement.renewal(VerifiedRenewal(key: .pass("q"), signedAt: "01-07", willRenew: true))
        #expect(!other.isRepeat(among: states))
    }

    @Test func `an offer that comes and goes makes each state of a renewal another`() {
        let states = [("01-02", nil), ("01-03", "half"), ("01-04", nil)].map { (signedAt: Instant, offer: String?) in
            Statement.renewal(VerifiedRenewal(key: Self.first.key, signedAt: signedAt, willRenew: true, offer: offer))
        }
        #expect(states.map { $0.isRepeat(among: states) } == [false, false, false])
    }

    @Test func `of states that were signed at once and differ none is a repeat, nor is what follows them`() {
        let states = [
            Self.bought, Self.unrevoked("01-20"), Self.revoked(100, signed: "01-20"), Self.unrevoked("01-25"),
        ]
        #expect(states.map { $0.isRepeat(among: states) } == [false, false, false, false])
    }

    @Test func `a state of other content makes the next one no repeat any more, and those of its instant`() {
        let known = [Self.bought, Self.unrevoked("01-20"), Self.unrevoked("01-25"), Self.unrevoked("01-30")]
        #expect(known.map { $0.isRepeat(among: known) } == [false, true, true, true])
        #expect(Self.revoked(100, signed: "01-22").endingRepeats(among: known) == [known[2]])
        #expect(Self.revoked(100, signed: "01-20").endingRepeats(among: known) == [known[1], known[2]])
        #expect(Self.revoked(100, signed: "02-20").endingRepeats(among: known) == [])
        #expect(Self.unrevoked("01-22").endingRepeats(among: known) == [])
    }

    @Test func `whatever arrives in whatever order, what is entered gives what all of it gives, at every step`() {
        for seed in 1...400 as ClosedRange<UInt64> {
            var random = SplitMix64(seed: seed)
            let days: [Instant] = ["01-02", "01-05", "01-08", "01-12", "01-15", "01-20"]
            var known: [Statement] = []
            var entered: [Statement] = []
            for _ in 0..<14 {
                let day = days.randomElement(using: &random) ?? days[0]
                let shares = [nil, nil, 40_000, 100_000]
                let share = shares.randomElement(using: &random) ?? nil
                let state = share.map { Self.revoked($0, signed: day) } ?? Self.unrevoked(day)
                guard !known.contains(state) else { continue }
                if !state.isRepeat(among: known) {
                    entered += [state] + state.endingRepeats(among: known).filter { !entered.contains($0) }
                }
                known.append(state)
                #expect(Self.track(of: entered) == Self.track(of: known), "seed \(seed)")
                let lacking = known.filter { !$0.isRepeat(among: known) && !entered.contains($0) }
                #expect(lacking == [], "seed \(seed)")
            }
        }
    }
}
