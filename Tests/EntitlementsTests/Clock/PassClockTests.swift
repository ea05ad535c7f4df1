import Entitlements
import Testing

/// The clock of one lane, held against the rule taken literally.
@Suite struct PassClockTests {
    private struct History {
        let subjects: [TickByTick.Subject]
        let pauses: [PassClock.Pause]

        init(seed: UInt64, pausing: Bool, moving: Bool = false) {
            var random = SplitMix64(seed: seed)
            subjects = (0..<Int.random(in: 0...8, using: &random)).map { number in
                var subject = TickByTick.Subject(
                    key: .pass("p\(number)"), anchor: Int64.random(in: 0...60, using: &random),
                    length: Int64.random(in: 0...16, using: &random), rank: Int.random(in: 1...3, using: &random),
                    states: (0..<Int.random(in: 0...4, using: &random)).map { _ in
                        VerifiedPurchase.random(of: "p\(number)", within: 90, using: &random)
                    })
                if moving, Bool.random(using: &random) { subject.ranBefore = Int64.random(in: 0...9, using: &random) }
                if moving, Bool.random(using: &random) {
                    subject.departure = Pass.Departure(
                        at: Instant(milliseconds: Int64.random(in: 0...90, using: &random)),
                        ran: subject.ranBefore + Int64.random(in: 0...12, using: &random))
                }
                return subject
            }
            pauses = (0..<(pausing ? Int.random(in: 0...4, using: &random) : 0)).map { _ in
                let startsAt = Int64.random(in: 0...90, using: &random)
                return PassClock.Pause(
                    rank: Int.random(in: 1...4, using: &random), startsAt: Instant(milliseconds: startsAt),
                    endsAt: Instant(milliseconds: startsAt + Int64.random(in: 0...30, using: &random)))
            }
        }

        var passes: [Pass] {
            subjects.map {
                Pass(
                    key: $0.key, anchor: Instant(milliseconds: $0.anchor), length: $0.length, rank: $0.rank,
                    share: ShareTrack(of: $0.states), ranBefore: $0.ranBefore, departure: $0.departure)
            }
        }
    }

    /// Later than any history of the above can run.
    private static let horizon: Int64 = 250

    private static func ticks(of clock: PassClock) -> [Int?] {
        var ticks = [Int?](repeating: nil, count: Int(horizon))
        for run in clock.runs {
            for tick in run.startsAt.milliseconds..<run.endsAt.milliseconds { ticks[Int(tick)] = run.pass }
        }
        return ticks
    }

    @Test(arguments: [(false, false), (true, false), (false, true), (true, true)])
    func `the clock agrees with the rule taken literally`(pausing: Bool, moving: Bool) {
        for seed in UInt64(0)..<2_000 {
            let history = History(seed: seed, pausing: pausing, moving: moving)
            let clock = PassClock(running: history.passes, pausedBy: history.pauses)
            let expected = TickByTick.run(history.subjects, pausedBy: history.pauses, until: Self.horizon)
            #expect(Self.ticks(of: clock) == expected, "seed \(seed), pausing \(pausing), moving \(moving)")
        }
    }

    @Test func `one pass runs at a time, and none before its anchor`() {
        for seed in UInt64(0)..<500 {
            let passes = History(seed: seed, pausing: true).passes
            let runs = PassClock(running: passes).runs
            for (run, next) in zip(runs, runs.dropFirst()) {
                #expect(run.endsAt <= next.startsAt, "seed \(seed)")
                #expect(run.endsAt < next.startsAt || run.pass != next.pass, "seed \(seed): one run in two pieces")
            }
            for run in runs {
                #expect(run.startsAt < run.endsAt, "seed \(seed)")
                #expect(passes[run.pass].anchor <= run.startsAt, "seed \(seed)")
            }
        }
    }

    @Test func `without refunds, every pass runs its whole length`() {
        for seed in UInt64(0)..<500 {
            let history = History(seed: seed, pausing: true)
            let passes = history.passes.map { Pass(key: $0.key, anchor: $0.anchor, length: $0.length, rank: $0.rank) }
            var ran = [Int64](repeating: 0, count: passes.count)
            for run in PassClock(running: passes, pausedBy: history.pauses).runs {
                ran[run.pass] += run.endsAt - run.startsAt
            }
            #expect(ran == passes.map(\.length), "seed \(seed)")
        }
    }

    @Test func `a new pass never lowers the tier at any instant`() {
        for seed in UInt64(0)..<500 {
            let passes = History(seed: seed, pausing: false).passes
            guard !passes.isEmpty else { continue }
            let before = Self.ticks(of: PassClock(running: Array(passes.dropLast())))
            let after = Self.ticks(of: PassClock(running: passes))
            let lowered = zip(before, after).enumerated().filter { _, ranks in
                (ranks.0.map { passes[$0].rank } ?? 0) > (ranks.1.map { passes[$0].rank } ?? 0)
            }
            #expect(lowered.map(\.offset) == [], "seed \(seed)")
        }
    }

    @Test func `ties go to the earliest anchor and then to the smallest id`() {
        let month = Pass.length(days: 30, quantity: 1)
        let passes = [("b", "01-01"), ("a", "01-01"), ("B", "01-01"), ("c", "2025-12-31")].map { id, anchor in
            Pass(key: .pass(id), anchor: Instant(stringLiteral: anchor), length: month, rank: 1)
        }
        #expect(PassClock(running: passes).runs.map { passes[$0.pass].key.externalID.text } == ["c", "B", "a", "b"])
    }

    @Test func `foreign dates and lengths do not overflow`() {
        let pass = Pass(
            key: .pass("p"), anchor: Instant(milliseconds: .max), length: Pass.length(days: .max, quantity: .max),
            rank: 1,
            share: ShareTrack(
                of: [
                    .state(
                        of: "p", at: "01-01", revocation: Revocation(revokedAt: Instant(milliseconds: .min), share: 1),
                        signedAt: Instant(milliseconds: .max))
                ]))
        #expect(PassClock(running: [pass]).runs.count == 1)
    }

    @Test func `a pass that is gone before its anchor never runs, nor does one that had run whole when it came`() {
        let day = Instant.millisecondsPerDay
        let passes = [
            Pass(key: .pass("gone"), anchor: "01-05", length: day, rank: 1, departure: .init(at: "01-05", ran: 0)),
            Pass(
                key: .pass("late"), anchor: .distantFuture, length: day, rank: 1,
                departure: .init(at: .distantFuture + 1, ran: day)),
            Pass(key: .pass("whole"), anchor: "01-05", length: day, rank: 1, ranBefore: day),
            Pass(key: .pass("rest"), anchor: "01-06", length: day, rank: 1, ranBefore: day - 1),
        ]
        #expect(PassClock(running: passes).runs == [.init(pass: 3, startsAt: "01-06", endsAt: "01-06 00:00:00.001")])
    }

    @Test(arguments: [
        (100_000, Int64(0)), (0, 2_592_000_000), (66667, 863_991_360), (1, 2_591_974_080), (99_999, 25_920),
    ])
    func `the paid length is an integer division`(share: Int, length: Int64) {
        #expect(Pass.paidLength(of: 2_592_000_000, refunded: share) == length)
    }

    @Test func `the paid length of the longest pass is exact`() {
        #expect(Pass.paidLength(of: Pass.maximumLength, refunded: 50000) == Pass.maximumLength / 2)
        #expect(Pass.length(days: 0, quantity: 1) == 0)
        #expect(Pass.length(days: 30, quantity: -1) == 0)
        #expect(Pass.length(days: 30, quantity: 1_000_000_000) == Pass.maximumLength)
    }

    @Test(arguments: [100, 1_000, 10_000])
    func `the work grows with the events`(count: Int) {
        var random = SplitMix64(seed: UInt64(count))
        let passes = (0..<count).map { number in
            let anchor = Instant("01-01") + Int64.random(in: 0...Int64(count), using: &random) * 86_400_000
            let revoked: [VerifiedPurchase] =
                number.isMultiple(of: 3)
                ? [.state(of: "p", at: anchor, revocation: Revocation(revokedAt: anchor + 1, share: 50000))] : []
            return Pass(
                key: .pass("p\(number)"), anchor: anchor, length: 30 * 86_400_000,
                rank: Int.random(in: 1...3, using: &random), share: ShareTrack(of: revoked))
        }
        let events = count + passes.reduce(0) { $0 + $1.share.steps.count }
        let clock = PassClock(running: passes)
        #expect(clock.steps <= events + count + 1, "a step for each event, and one for each pass that runs out")
        #expect(clock.runs.count <= clock.steps)
    }
}

extension PurchaseKey {
    static func pass(_ id: String) -> PurchaseKey {
        PurchaseKey(source: .appleIAP, app: .vpn, environment: .production, externalID: ExternalID(id))
    }
}
