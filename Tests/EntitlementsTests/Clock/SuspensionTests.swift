import Entitlements
import Testing

/// Stretches in which a store suspends a period: nothing is covered.
@Suite struct SuspensionTests {
    private static func period(
        _ suspension: Suspension?, signedAt: Instant = "01-01", revokedAt: Instant? = nil
    ) -> VerifiedPurchase {
        .state(
            of: "w", .proMonthly, .plan, period: "1", at: "01-01", until: "02-01", suspension: suspension,
            revocation: revokedAt.map { Revocation(revokedAt: $0, share: 100_000) }, signedAt: signedAt)
    }

    private static func chain(_ states: VerifiedPurchase...) -> Story {
        states.reduce(Story()) { $0.attaches($1, at: "03-01") }
    }

    @Test(
        arguments: [
            ("01-10", "01-20", ["w 01-01..01-10", "w 01-20..02-01"], "02-02"), ("01-10", nil, ["w 01-01..01-10"], nil),
            ("2025-12-01", "01-20", ["w 01-20..02-01"], "02-02"), ("2025-12-01", nil, [], nil),
            ("2025-12-01", "2025-12-20", ["w 01-01..02-01"], "02-02"), ("03-01", nil, ["w 01-01..02-01"], "02-02"),
            ("01-10", "01-10", ["w 01-01..02-01"], "02-02"), ("01-20", "01-10", ["w 01-01..02-01"], "02-02"),
            ("01-20", "02-10", ["w 01-01..01-20"], nil),
        ] as [(Instant, Instant?, [String], Instant?)])
    func `a period covers what is not suspended, and so does its leeway`(
        startsAt: Instant, endsAt: Instant?, segments: [String], graceEndsAt: Instant?
    ) {
        let story = Self.chain(Self.period(Suspension(startsAt: startsAt, endsAt: endsAt)))
        #expect(story.segments() == segments)
        #expect(story.timeline().graces.map(\.segment.endsAt) == [graceEndsAt].compactMap { $0 })
    }

    @Test func `while it is suspended it says so, and gives nothing`() {
        let story = Self.chain(Self.period(Suspension(startsAt: "01-10", endsAt: "01-20")))
        for (instant, state) in [
            ("01-09", .running), ("01-10", .suspended), ("01-19 23:59:59.999", .suspended), ("01-20", .running),
        ] as [(Instant, Entitlement.State)] {
            #expect(story.status(at: instant).entitlements.map(\.state) == [state])
        }
        let within = story.status(at: "01-15")
        #expect(!within.active && within.explanation.map(\.reason) == [nil])
        #expect(within.entitlements.map(\.willRenew) == [true] && within.entitlements.map(\.endsAt) == ["02-01"])
        #expect(story.timeline().nextChange(after: "01-05") == "01-10")
        #expect(story.timeline().nextChange(after: "01-10") == "01-20")
        let second = VerifiedPurchase.state(
            of: "w", .proMonthly, .plan, transaction: "2", period: "2", at: "02-05", until: "03-05",
            suspension: Suspension(startsAt: "02-03", endsAt: "02-10"))
        let later = Self.chain(Self.period(nil), second)
        #expect(later.status(at: "02-04").entitlements.map(\.state) == [.finished])
        #expect(later.timeline().nextChange(after: "02-04") == "02-05", "it begins suspended")
        #expect(later.status(at: "02-05").entitlements.map(\.state) == [.suspended])
        let open = Self.chain(Self.period(Suspension(startsAt: "01-10", endsAt: nil)))
        #expect(open.status(at: "01-31").entitlements.map(\.state) == [.suspended])
        #expect(open.status(at: "02-01").entitlements.map(\.state) == [.finished])
    }

    @Test func `the newest state says whether it is suspended, in whatever order they came`() {
        let suspended = Self.period(Suspension(startsAt: "01-10", endsAt: nil), signedAt: "01-10")
        let resumed = Self.period(Suspension(startsAt: "01-10", endsAt: "01-15"), signedAt: "01-15")
        let never = Self.period(nil, signedAt: "01-20")
        for states in [[suspended, resumed], [resumed, suspended]] {
            #expect(Self.chain(states[0], states[1]).segments() == ["w 01-01..01-10", "w 01-15..02-01"])
        }
        for states in [[suspended, never], [never, suspended]] {
            #expect(Self.chain(states[0], states[1]).segments() == ["w 01-01..02-01"])
        }
    }

    @Test func `of states that were signed at once the one that suspends most counts`() {
        let states = [
            Self.period(nil), Self.period(Suspension(startsAt: "01-20", endsAt: nil)),
            Self.period(Suspension(startsAt: "01-10", endsAt: "01-15")),
            Self.period(Suspension(startsAt: "01-10", endsAt: nil)),
        ]
        let segments = [
            ["w 01-01..02-01"], ["w 01-01..01-20"], ["w 01-01..01-10", "w 01-15..02-01"], ["w 01-01..01-10"],
        ]
        for (first, state) in states.enumerated() {
            for (second, other) in states.enumerated() {
                #expect(Self.chain(state, other).segments() == segments[max(first, second)])
            }
        }
    }

    @Test func `a refund ends what is suspended too`() {
        let stretch = Suspension(startsAt: "01-10", endsAt: "01-20")
        let refunded = Self.period(stretch, signedAt: "01-26", revokedAt: "01-25")
        let story = Self.chain(Self.period(stretch), refunded)
        #expect(story.segments() == ["w 01-01..01-10", "w 01-20..01-25"])
        #expect(story.status(at: "01-26").entitlements.map(\.state) == [.revoked])
    }

    @Test func `no pass is paused under a window that is suspended`() {
        let catalogue = CatalogueVersions(.example(pausing: true))
        let story = Self.chain(Self.period(Suspension(startsAt: "01-10", endsAt: "01-20")))
            .buys("b", .basic30, at: "01-01")
        let runs = story.segments(in: catalogue).filter { $0.hasPrefix("b") }
        #expect(runs == ["b 01-10..01-20", "b 02-01..02-21"])
    }
}
