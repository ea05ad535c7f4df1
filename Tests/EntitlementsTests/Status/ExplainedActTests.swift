import Entitlements
import Testing

/// The facts about no purchase under `explain`: from when to when each holds, and why it does not count
/// (`semantics.md` §10).
@Suite struct ExplainedActTests {
    private static let phone: Label = "phone"

    /// Lines such as `The user … 01-01..01-02 superseded`; an end is left out where there is none.
    private func acts(
        of story: Story, at instant: Instant, _ settings: EntitlementSettings = .everyone
    ) -> [String] {
        all(of: story, at: instant, settings).map { act in
            [
                act.entry.fact.sentence(writing: \.text),
                "\(act.holds.startsAt.text)..\(act.holds.endsAt?.text ?? "")", act.reason?.rawValue,
            ].compactMap(\.self).joined(separator: " ")
        }
    }

    /// In the order of recording.
    private func all(
        of story: Story, at instant: Instant, _ settings: EntitlementSettings = .everyone
    ) -> [ExplainedFact] {
        ExplainedFact.page(of: story.ledger, at: instant, under: settings, limit: .max).acts.reversed()
    }

    @Test func `a spend holds for ever and a reservation until it ends`() {
        let story = Story().credits("c", at: "01-01").spends(10, at: "01-02")
            .reserves("r", 20, seconds: 86_400, at: "01-03").reserves("s", 5, at: "01-03").commits("s", 3, at: "01-05")
        #expect(acts(of: story, at: "01-01") == [])
        #expect(
            acts(of: story, at: "01-03") == [
                "10 of credit were spent. 01-02..",
                "20 of credit were reserved as r. 01-03..01-04", "5 of credit were reserved as s. 01-03..01-05",
            ])
        #expect(
            acts(of: story, at: "01-05") == [
                "10 of credit were spent. 01-02..",
                "20 of credit were reserved as r. 01-03..01-04 finished",
                "5 of credit were reserved as s. 01-03..01-05 finished", "3 of reservation s were spent. 01-05..",
            ])
        let purses = all(of: story, at: "01-05").map(\.purse)
        #expect(purses == [.credit, .credit, .credit, .credit])
        let draws = all(of: story, at: "01-05").map { $0.draws.map(\.amount) }
        #expect(draws == [[10], [20], [5], [3]], "a commitment takes what was spent of the reservation")
    }

    @Test func `an act holds until the next that undoes it`() {
        let story = Story().registers(Self.phone, at: "01-01").sees(Self.phone, at: "01-02")
            .does(.suspended, to: Self.phone, at: "01-03").does(.reactivated, to: Self.phone, at: "01-04")
            .sees(Self.phone, at: "01-05").registers("tablet", at: "01-05")
            .does(.removed, to: Self.phone, at: "01-06").registers(Self.phone, at: "01-07")
        #expect(
            acts(of: story, at: "01-05") == [
                "Device phone was registered. 01-01..01-06", "Device phone was seen. 01-02..01-05 superseded",
                "Device phone was suspended by the user. 01-03..01-04 superseded",
                "Device phone was reactivated. 01-04..01-06", "Device phone was seen. 01-05..01-06",
                "Device tablet was registered. 01-05..",
            ])
        #expect(
            acts(of: story, at: "01-07").suffix(2) == [
                "Device phone was removed. 01-06..01-07 superseded", "Device phone was registered. 01-07..",
            ])
        let renamed = Story().registers(Self.phone, at: "01-01").registers(Self.phone, at: "01-02", isPinned: true)
        #expect(
            acts(of: renamed, at: "01-02") == [
                "Device phone was registered. 01-01..01-02 superseded", "Device phone was registered. 01-02..",
            ])
        #expect(all(of: story, at: "01-05").last?.device == "tablet")
    }

    @Test func `the last that was said of testers and consent holds`() {
        let story = Story().adding([.sandboxTester(true)], at: "01-01").adding([.consumptionConsent(true)], at: "01-02")
            .adding([.sandboxTester(false)], at: "01-03")
        #expect(
            acts(of: story, at: "01-04") == [
                "The user was put on the list of sandbox testers. 01-01..01-03 superseded",
                "The user allowed to tell Apple about their consumption. 01-02..",
                "The user was taken off the list of sandbox testers. 01-03..",
            ])
        let behind = Story().adding([.consumptionConsent(true)], at: "01-05")
            .adding([.consumptionConsent(false)], at: "01-03")
        #expect(
            acts(of: behind, at: "01-06") == [
                "The user allowed to tell Apple about their consumption. 01-05..01-05 superseded",
                "The user forbade to tell Apple about their consumption. 01-03..",
            ], "by a clock that is behind")
    }

    @Test func `what was spent in the sandbox counts for testers only`() {
        let sandbox = Purse(unit: "credit", environment: .sandbox)
        let story = Story().credits("c", at: "01-01", environment: .sandbox).spends(10, from: sandbox, at: "01-02")
        #expect(acts(of: story, at: "01-02", .testers) == ["10 of credit were spent. 01-02.. sandbox_not_allowed"])
        let tester = story.adding([.sandboxTester(true)], at: "01-03")
        #expect(acts(of: tester, at: "01-03", .testers).first == "10 of credit were spent. 01-02..")
    }

    @Test func `pages of any length, one after the other, tell every act once and as one page tells it`() {
        let story = Story().credits("c", at: "01-01").registers(Self.phone, at: "01-01").spends(10, at: "01-02")
            .sees(Self.phone, at: "01-02").reserves("r", 20, seconds: 86_400, at: "01-03")
            .adding([.consumptionConsent(true)], at: "01-03").commits("r", 3, at: "01-03").sees(Self.phone, at: "01-05")
        let whole = ExplainedFact.page(of: story.ledger, at: "01-06", under: .everyone, limit: .max)
        #expect(whole.acts.count == 7 && !whole.hasMore)
        #expect(whole.acts.map(\.number) == whole.acts.map(\.number).sorted(by: >))
        for limit in 1...7 {
            var told: [ExplainedFact] = []
            var hasMore = true
            while hasMore {
                let page = ExplainedFact.page(
                    of: story.ledger, at: "01-06", under: .everyone, limit: limit, before: told.last?.number ?? .max)
                #expect(page.acts.count == limit || !page.hasMore)
                told += page.acts
                hasMore = page.hasMore
            }
            #expect(told == whole.acts)
        }
        let devices = ExplainedFact.page(of: story.ledger, at: "01-06", under: .everyone, limit: 2) { $0.device != nil }
        #expect(devices.hasMore && devices.acts.map(\.entry.effectiveAt) == ["01-05", "01-02"])
    }
}
