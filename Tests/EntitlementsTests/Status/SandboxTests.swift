import Entitlements
import Testing

/// Sandbox and Production are folded apart and united only for whom sandbox counts (`semantics.md` §9).
@Suite struct SandboxTests {
    private static let story = Story().buys("p", at: "01-01")
        .buys("s", at: "01-10", environment: .sandbox)
        .buys("a", .xyz, at: "01-10", environment: .sandbox, type: .addOn)
        .buys("c", .credits100, at: "01-10", environment: .sandbox, type: .consumable)

    @Test func `production and sandbox have clocks of their own`() {
        #expect(Self.story.segments() == ["p 01-01..01-31", "s 01-10..02-09"])
    }

    @Test func `where sandbox counts, coverage is united`() {
        let status = Self.story.status(at: "01-20")
        #expect(status.expiresAt == "02-09")
        #expect(status.addOns.map(\.state) == [.active])
        #expect(status.credits.map(\.environment) == [.sandbox])
    }

    @Test func `where it does not count, it is only recorded`() {
        let status = Self.story.status(at: "01-20", settings: .production)
        #expect(status.expiresAt == "01-31")
        #expect(status.segments.map(\.text) == ["p 01-01..01-31"])
        #expect(status.entitlements.map(\.state) == [.running, .recorded, .recorded, .recorded])
        #expect(status.explanation.map(\.reason) == [nil, .sandboxNotAllowed, .sandboxNotAllowed, .sandboxNotAllowed])
        #expect(status.explanation.map(\.gives.count) == [1, 0, 0, 0])
        #expect(status.addOns.isEmpty && status.credits.isEmpty && status.features == ["premium", "standard"])
    }

    @Test(arguments: [
        (EntitlementSettings.SandboxAccess.nobody, true, false), (.testers, false, false), (.testers, true, true),
        (.everyone, false, true),
    ])
    func `sandbox purchases count for whom the settings say`(
        _ access: EntitlementSettings.SandboxAccess, isTester: Bool, counts: Bool
    ) {
        let timeline = Self.story.told(.sandboxTester(isTester), at: "01-11")
            .timeline(settings: EntitlementSettings(sandboxAccess: access))
        #expect(timeline.countsSandbox == counts)
        #expect(timeline.counts(.production))
    }

    @Test func `the last that is known of the list of testers holds`() {
        let story = Self.story.told(.sandboxTester(true), at: "01-11").told(.sandboxTester(false), at: "01-12")
        #expect(!Self.story.timeline(settings: .testers).countsSandbox)
        #expect(story.timeline(settings: .testers, knownAt: "01-11").countsSandbox)
        #expect(!story.timeline(settings: .testers).countsSandbox)
        #expect(story.told(.sandboxTester(true), at: "01-13").timeline(settings: .testers).countsSandbox)
    }

    @Test func `the list of testers counts as it stood at the instant asked about`() {
        let ledger = Self.story.told(.sandboxTester(true), at: "01-11").told(.sandboxTester(false), at: "01-13").ledger
        for (at, counts) in [
            ("01-10", false), ("01-11", true), ("01-12", true), ("01-13", false), ("02-01", false),
        ] as [(Instant, Bool)] {
            let timeline = Timeline(folding: ledger, given: .example, settings: .testers, testersAt: at)
            #expect(timeline.countsSandbox == counts, "\(at.text)")
        }
        #expect(ledger.nextChangeOfTesters(after: "01-10") == "01-11")
        #expect(ledger.nextChangeOfTesters(after: "01-11") == "01-13")
        #expect(ledger.nextChangeOfTesters(after: "01-13") == nil)
    }

    @Test func `a standing holds until the status or the list of testers changes next`() {
        let ledger = Self.story.told(.sandboxTester(true), at: "01-11").told(.sandboxTester(false), at: "01-13").ledger
        for (at, end) in [
            ("01-05", "01-10"), ("01-10", "01-11"), ("01-11", "01-13"), ("01-12", "01-13"), ("01-13", "01-31"),
            ("01-31", "02-09"), ("02-09", .distantFuture),
        ] as [(Instant, Instant)] {
            let timeline = Timeline(folding: ledger, given: .example, settings: .testers, testersAt: at)
            let standing = Standing(of: ledger, in: timeline, at: at)
            #expect(standing.holdsUntil == end && standing.status.at == at, "\(at.text)")
        }
    }

    @Test func `subscription rows do not depend on the settings`() {
        #expect(
            Self.story.timeline(settings: .production).subscriptions
                == Self.story.timeline(settings: .everyone).subscriptions)
        #expect(Self.story.timeline(settings: .production).subscriptions.count == 2)
    }
}
