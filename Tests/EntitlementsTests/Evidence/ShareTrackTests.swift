import Entitlements
import Testing

/// Signed states of one transaction become a share as a step function of time (`semantics.md` §2).
@Suite struct ShareTrackTests {
    private static let bought = VerifiedPurchase.state(of: "p", at: "01-01")

    private static func unrevoked(_ signedAt: Instant) -> VerifiedPurchase {
        bought.with(revocation: nil, signedAt: signedAt)
    }

    private static func revoked(_ at: Instant, _ share: Int? = 100_000, signed: Instant) -> VerifiedPurchase {
        bought.with(revocation: Revocation(revokedAt: at, share: share), signedAt: signed)
    }

    /// Holds for every order of the states, and for any of them twice.
    private func check(
        _ states: [VerifiedPurchase], become steps: String..., measuring measure: ShareTrack.Measure = .share,
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        var random = SplitMix64(seed: 1)
        for _ in 0..<20 {
            let track = ShareTrack(of: (states + states.prefix(2)).shuffled(using: &random), measuring: measure)
            #expect(track.steps.map { "\($0.startsAt.text) \($0.share)" } == steps, sourceLocation: sourceLocation)
        }
    }

    @Test func `without a revocation, nothing is refunded`() {
        check([Self.bought, Self.unrevoked("01-05")])
    }

    @Test func `a revocation holds from its date, though signed later`() {
        check([Self.bought, Self.revoked("01-10", signed: "01-12")], become: "01-10 100000")
    }

    @Test func `a revocation signed before its date holds from its signing`() {
        check([Self.bought, Self.revoked("01-12", signed: "01-10")], become: "01-10 100000")
    }

    @Test func `a reversal holds from its signing`() {
        check(
            [Self.bought, Self.revoked("01-10", signed: "01-11"), Self.unrevoked("01-20")],
            become: "01-10 100000", "01-20 0")
    }

    @Test func `a smaller share follows a larger one from its signing`() {
        check(
            [Self.bought, Self.revoked("01-10", signed: "01-11"), Self.revoked("01-10", 50000, signed: "01-20")],
            become: "01-10 100000", "01-20 50000")
    }

    @Test func `a larger share reaches back over a smaller one`() {
        check(
            [
                Self.bought, Self.revoked("01-10", 30000, signed: "01-10"),
                Self.revoked("01-05", 60000, signed: "01-20"),
            ],
            become: "01-05 60000")
    }

    @Test func `a smaller share reaches back only where nothing larger holds`() {
        check(
            [
                Self.bought, Self.revoked("01-10", 60000, signed: "01-10"),
                Self.revoked("01-05", 30000, signed: "01-20"),
            ],
            become: "01-05 30000", "01-10 60000", "01-20 30000")
    }

    @Test func `of states signed together, the revoked one holds`() {
        check([Self.bought, Self.revoked("01-10", signed: "01-11"), Self.unrevoked("01-11")], become: "01-10 100000")
    }

    @Test func `of revocations signed together, the larger one holds, and both reach back`() {
        check(
            [
                Self.bought, Self.revoked("01-08", 20000, signed: "01-11"),
                Self.revoked("01-10", 70000, signed: "01-11"),
            ],
            become: "01-08 20000", "01-10 70000")
    }

    @Test func `a revocation reaches back to the instant after a reversal, and not to the reversal itself`() {
        let undone = [Self.bought, Self.revoked("01-05", signed: "01-05"), Self.unrevoked("01-10")]
        check(
            undone + [Self.revoked("01-10", signed: "01-12")], become: "01-05 100000", "01-10 0", "01-12 100000")
        check(
            undone + [Self.revoked("01-10 00:00:00.001", signed: "01-12")],
            become: "01-05 100000", "01-10 0", "01-10 00:00:00.001 100000")
    }

    @Test func `an anomalous share takes everything`() {
        check([Self.bought, Self.revoked("01-10", nil, signed: "01-10")], become: "01-10 100000")
        check([Self.bought, Self.revoked("01-10", 100_001, signed: "01-10")], become: "01-10 100000")
        check([Self.bought, Self.revoked("01-10", -1, signed: "01-10")], become: "01-10 100000")
    }

    @Test func `a window or an add-on loses everything by any share`() {
        check([Self.bought, Self.revoked("01-10", 1, signed: "01-10")], become: "01-10 100000", measuring: .whole)
        check([Self.bought, Self.revoked("01-10", 0, signed: "01-10")], become: "01-10 100000", measuring: .whole)
    }

    @Test func `a purchase is refunded by the largest share of its transactions`() {
        let copy = VerifiedPurchase.state(of: "p", transaction: "copy", at: "01-03", originallyAt: "01-01")
        let copyRevoked = copy.with(
            revocation: Revocation(revokedAt: "01-08", share: 40000), signedAt: "01-08")
        check(
            [
                Self.bought, copy, copyRevoked, Self.revoked("01-10", signed: "01-10"), Self.unrevoked("01-20"),
                copy.with(revocation: nil, signedAt: "01-25"),
            ],
            become: "01-08 40000", "01-10 100000", "01-20 40000", "01-25 0")
    }

    @Test func `the track agrees with the definition on random states`() {
        for seed in UInt64(0)..<2_000 {
            var random = SplitMix64(seed: seed)
            let states = (0..<Int.random(in: 0...6, using: &random)).map { _ in
                VerifiedPurchase.random(of: "p", within: 40, using: &random)
            }
            let track = ShareTrack(of: states)
            let instants = Int64(-1)...45
            #expect(
                instants.map { track.share(at: Instant(milliseconds: $0)) }
                    == instants.map { TickByTick.share(of: states, at: $0) }, "seed \(seed)")
        }
    }
}

extension VerifiedPurchase {
    /// A state with few distinct dates and shares, so that ties are common.
    static func random(of id: String, within span: Int64, using random: inout SplitMix64) -> VerifiedPurchase {
        let signedAt = Instant(milliseconds: Int64.random(in: 0..<span, using: &random))
        let revokedAt = Instant(milliseconds: Int64.random(in: 0..<span, using: &random))
        let share = [nil, 0, 33333, 50000, 100_000].randomElement(using: &random) ?? nil
        let isRevoked = Bool.random(using: &random)
        return .state(
            of: id, at: Instant(milliseconds: 0),
            revocation: isRevoked ? Revocation(revokedAt: revokedAt, share: share) : nil, signedAt: signedAt)
    }
}
