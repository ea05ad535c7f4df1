import Entitlements
import Testing

/// Features for ever, while what they require is there (`semantics.md` §3, §8).
@Suite struct AddOnTests {
    private static let story = Story().buys("a", .proOnly, at: "01-05", type: .addOn).buys("p", at: "01-01")

    private func check(
        _ story: Story, at: Instant, is states: AddOn.State..., with features: [Feature],
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        let status = story.status(at: at)
        #expect(status.addOns.map(\.state) == states, sourceLocation: sourceLocation)
        #expect(status.features == features, sourceLocation: sourceLocation)
    }

    @Test func `an add-on is owned from its purchase on`() {
        let story = Story().buys("a", .xyz, at: "01-05", type: .addOn)
        check(story, at: "01-04", with: [])
        check(story, at: "01-05", is: .active, with: ["xyz"])
        check(story, at: "2030-01-01", is: .active, with: ["xyz"])
        #expect(story.status(at: "01-06").state == .none, "an add-on is no coverage")
        #expect(story.status(at: "01-04").entitlements.map(\.state) == [.queued])
        #expect(story.status(at: "01-06").entitlements.map(\.state) == [.running])
    }

    @Test func `an add-on that requires a tier is suspended without it`() {
        check(Self.story, at: "01-10", is: .active, with: ["extra", "premium", "standard"])
        check(Self.story, at: "02-10", is: .suspended, with: [])
        let status = Self.story.status(at: "02-10")
        #expect(status.entitlements.map(\.state) == [.finished, .suspended])
        #expect(status.explanation.map(\.reason) == [.requiresTier, .finished])
        check(Self.story.buys("b", .basic30, at: "02-05"), at: "02-10", is: .suspended, with: ["standard"])
        let again = Self.story.buys("b", .basic30, at: "02-05").buys("q", at: "03-10").buys("r", at: "03-12")
        #expect(
            again.status(at: "02-10").explanation.map(\.gives).first == [
                .init(startsAt: "01-05", endsAt: "01-31"), .init(startsAt: "03-10", endsAt: "05-09"),
            ], "while its tier or a higher one is there")
        #expect(
            again.status(at: "02-10").entitlements.first { $0.kind == .addOn }?.endsAt == nil, "it is owned for ever")
    }

    @Test func `a revoked add-on is off and back on from the reversal`() {
        let story = Story().buys("a", .xyz, at: "01-05", type: .addOn)
            .refunds("a", at: "01-10", share: 20000, signedAt: "01-11").reverses("a", signedAt: "01-20")
        check(story, at: "01-09", is: .active, with: ["xyz"])
        check(story, at: "01-10", is: .revoked, with: [])
        check(story, at: "01-20", is: .active, with: ["xyz"])
        #expect(
            story.status(at: "01-15").explanation.map(\.gives) == [
                [.init(startsAt: "01-05", endsAt: "01-10"), .init(startsAt: "01-20", endsAt: nil)]
            ])
    }

    @Test func `a product bought twice is shown once at its best`() {
        let story = Story().buys("a1", .xyz, at: "01-05", type: .addOn)
            .buys("a2", .xyz, at: "01-06", type: .addOn).refunds("a1", at: "01-10")
        check(story, at: "01-15", is: .active, with: ["xyz"])
        check(story.refunds("a2", at: "01-12"), at: "01-15", is: .revoked, with: [])
        let waiting = Story().buys("a1", .proOnly, at: "01-05", type: .addOn)
            .buys("a2", .proOnly, at: "01-06", type: .addOn)
        for id in ["a1", "a2"] { check(waiting.refunds(id, at: "01-10"), at: "01-15", is: .suspended, with: []) }
    }

    @Test func `coverage within longer coverage does not end what an add-on gives`() {
        let story = Self.story.grants("g", .window(tier: "pro", endsAt: "01-20"), at: "01-10")
        #expect(
            story.status(at: "01-15").explanation.map(\.gives).first == [.init(startsAt: "01-05", endsAt: "01-31")])
    }

    @Test func `seats of add-ons are added to the largest of what covers`() {
        let story = Story().buys("s1", .seats, at: "01-02", type: .addOn)
            .buys("s2", .seats, at: "01-03", type: .addOn).buys("b", .basic30, at: "01-05")
        #expect(story.status(at: "01-04").devices.allowed == 4)
        #expect(story.status(at: "01-06").devices.allowed == 5)
        #expect(story.refunds("s1", at: "01-07").status(at: "01-08").devices.allowed == 3)
    }
}
