import Entitlements
import Testing

/// Which signed states ledgers hold: those that say something else than the ones before (`semantics.md` §1).
@Suite struct RepeatedStateTests {
    private static let bought = VerifiedPurchase.state(of: "p", at: "01-01")

    private static func unrevoked(_ signedAt: Instant) -> VerifiedPurchase {
        bought.with(revocation: nil, signedAt: signedAt)
    }

    private static func revoked(_ share: Int, signed signedAt: Instant) -> VerifiedPurchase {
        bought.with(revocation: Revocation(revokedAt: "01-10", share: share), signedAt: signedAt)
    }

    @Test func `a state that says what the one signed before it says is a repeat, in whatever order they came`() {
        let states = [
            Self.unrevoked("01-05"), Self.bought, Self.revoked(100, signed: "01-20"), Self.unrevoked("01-30"),
        ]
        #expect(states.map { $0.isRepeat(among: states) } == [true, false, false, false])
        #expect(states.reversed().map { $0.isRepeat(among: states.reversed()) } == [false, false, false, true])
    }

    @Test func `the states of another transaction are none before it`() {
        let copy = VerifiedPurchase.state(of: "p", transaction: "copy", at: "01-01")
        let later = VerifiedPurchase.state(of: "p", transaction: "copy", at: "01-01", signedAt: "01-03")
        #expect(!copy.isRepeat(among: [Self.bought, copy, later]))
        #expect(later.isRepeat(among: [Self.bought, copy, later]))
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
            var known: [VerifiedPurchase] = []
            var entered: [VerifiedPurchase] = []
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
                #expect(ShareTrack(of: entered) == ShareTrack(of: known), "seed \(seed)")
                let lacking = known.filter { !$0.isRepeat(among: known) && !entered.contains($0) }
                #expect(lacking == [], "seed \(seed)")
            }
        }
    }
}
