import Entitlements
import LedgerStore
import Support
import Testing

@testable import EntitlementAPI

/// Two instances of different settings over one database. Each answer is held against a fold of the ledger, as a third
/// instance reads it, under the settings of the instance that was asked.
struct StandingInstancesTests {
    @Test func `each of two instances says what a fold under its own settings says, after every step of random walks`()
        async throws
    {
        let tally = StandingWalk.Tally()
        for seed in 0..<UInt64(TestRun.rounds(8, soak: 1_000)) {
            let clock = TestClock(at: Fixture.now)
            try await OpenStore.running(
                catalogue: Fixture.catalogue,
                settings: LedgerSettings(entitlements: Fixture.settings, labels: Fixture.labels),
                format: StatusBody.format, clock: clock
            ) { observer in
                await tally.add(try StandingWalk(observer: observer, clock: clock, seed: seed).run())
            }
        }
        let counts = await tally.counts
        #expect(counts.sent.count == StandingWalk.settings.count, "\(counts)")
        #expect(counts.sent.values.allSatisfy { $0 > 20 }, "\(counts)")
        #expect(counts.left > 5 && counts.taken > 5 && counts.late > 5 && counts.grown > 3, "\(counts)")
    }
}
