import Entitlements
import Testing

/// What an attach or a restore answers about a purchase (`semantics.md` §6; `api.md`, "Attach").
@Suite struct DispositionTests {
    private func check(
        _ story: Story, at: Instant, is disposition: Disposition?, settings: EntitlementSettings = .everyone,
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        let key = story.ledger.entries.first?.fact.purchase ?? .pass("p")
        #expect(
            story.timeline(settings: settings).disposition(of: key, at: at) == disposition,
            sourceLocation: sourceLocation)
    }

    @Test func `a purchase that is not bound has none`() {
        check(Story(), at: "01-01", is: nil)
        check(Story().records(.state(of: "p", at: "01-01"), at: "01-01"), at: "01-01", is: nil)
    }

    @Test func `a running or finished pass counts`() {
        check(Story().buys("p", at: "01-01"), at: "01-02", is: .counts)
        check(Story().buys("p", at: "01-01"), at: "06-01", is: .counts)
    }

    @Test func `a full refund revokes and a prorated one does not`() {
        check(Story().buys("p", at: "01-01").refunds("p", at: "01-05"), at: "01-05", is: .revoked)
        check(Story().buys("p", at: "01-01").refunds("p", at: "01-05", share: 99_999), at: "01-05", is: .counts)
        check(
            Story().buys("p", at: "01-01").refunds("p", at: "01-05").reverses("p", signedAt: "01-06"), at: "01-06",
            is: .counts)
        check(
            Story().buys("a", .xyz, at: "01-01", type: .addOn).refunds("a", at: "01-05", share: 1),
            at: "01-05", is: .revoked)
        check(Story().buys("p", "unknown", at: "01-01").refunds("p", at: "01-05"), at: "01-05", is: .revoked)
    }

    @Test func `what grants nothing is recorded with its reason`() {
        check(Story().buys("p", "unknown", at: "01-01"), at: "01-02", is: .recorded(.unknownProduct))
        check(Story().buys("p", at: "01-01", type: .consumable), at: "01-02", is: .recorded(.productTypeMismatch))
        check(Story().buys("p", at: "01-01", isFamilyShared: true), at: "01-02", is: .recorded(.familyShared))
        check(
            Story().buys("p", at: "01-01", environment: .sandbox), at: "01-02", is: .recorded(.sandboxNotAllowed),
            settings: .production)
        check(
            Story().buys("p", at: "01-01").records(
                .state(of: "p", .basic30, transaction: "copy", at: "01-02"), at: "01-02"),
            at: "01-02", is: .recorded(.quarantined))
    }

    @Test func `a pass that had run out before it was attached says so for ever`() {
        let story = Story().buys("p", at: "01-01", attachedAt: "03-01")
        check(story, at: "03-01", is: .endedBeforeAttached)
        check(story, at: "12-01", is: .endedBeforeAttached)
        check(story.reverses("p", signedAt: "04-01"), at: "04-02", is: .endedBeforeAttached)
        #expect(story.status(at: "03-02").explanation.map(\.reason) == [.endedBeforeAttached])
        check(Story().buys("p", at: "01-01", attachedAt: "01-31"), at: "02-01", is: .endedBeforeAttached)
        check(Story().buys("p", at: "01-01", attachedAt: "01-30 23:59:59.998"), at: "02-01", is: .counts)
    }

    @Test func `a pass that waited its turn had not run out`() {
        let story = Story().buys("p2", at: "01-10", attachedAt: "02-15").buys("p1", at: "01-01", attachedAt: "02-16")
        check(story, at: "02-17", is: .counts)
        let paused = Story().buys("b", .basic30, at: "01-01", attachedAt: "01-20").buys("x", at: "01-10")
        check(paused, at: "02-01", is: .counts)
    }

    @Test func `a pass that a refund ended had not run out`() {
        let cut = Story().buys("p", at: "01-01", attachedAt: "03-01").refunds("p", at: "01-20", share: 50000)
        check(cut, at: "03-02", is: .counts)
        let paid = Story().buys("p", at: "01-01", attachedAt: "03-01").refunds("p", at: "01-10", share: 50000)
        check(paid, at: "03-02", is: .endedBeforeAttached)
        let after = Story().buys("p", at: "01-01", attachedAt: "03-01").refunds("p", at: "01-31", share: 50000)
        check(after, at: "03-02", is: .endedBeforeAttached)
        for (instant, disposition) in [("01-15 23:59:59.999", .endedBeforeAttached), ("01-16", .counts)]
            as [(Instant, Disposition)]
        {
            let half = Story().buys("p", at: "01-01", attachedAt: "03-01").refunds("p", at: instant, share: 50000)
            check(half, at: "03-02", is: disposition)
        }
    }
}
