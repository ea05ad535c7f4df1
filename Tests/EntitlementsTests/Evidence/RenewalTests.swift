import Testing

@testable import Entitlements

/// What the state of its renewal makes of a chain's last period (`semantics.md` §7).
@Suite struct RenewalTests {
    private static let key = PurchaseKey.pass("w")

    private static func period(
        _ name: String = "1", at: Instant = "01-01", until: Instant = "02-01", signedAt: Instant? = nil,
        isUpgraded: Bool = false, revokedAt: Instant? = nil
    ) -> VerifiedPurchase {
        .state(
            of: "w", .proMonthly, .plan, transaction: "t\(name)", period: name, at: at, until: until,
            isUpgraded: isUpgraded, revocation: revokedAt.map { Revocation(revokedAt: $0, share: 100_000) },
            signedAt: signedAt)
    }

    private static func renewal(
        _ willRenew: Bool = true, graceEndsAt: Instant? = nil, isInRetry: Bool = false, end: RenewalEnd? = nil,
        into product: ProductID? = nil, course: VerifiedRenewal.Course? = nil, signedAt: Instant = "01-31"
    ) -> VerifiedRenewal {
        VerifiedRenewal(
            key: key, signedAt: signedAt, willRenew: willRenew, renewsInto: product, graceEndsAt: graceEndsAt,
            isInRetry: isInRetry, end: end, course: course)
    }

    private static func chain(_ states: [VerifiedPurchase] = [period()], _ renewals: VerifiedRenewal...) -> Story {
        let story = states.reduce(Story()) { $0.attaches($1, at: "03-01") }
        return renewals.reduce(story) { $0.states(.renewal($1), at: "03-01") }
    }

    /// Until when the chain covers after its last period.
    private static func graceEnd(of story: Story) -> String {
        story.timeline().graces.sorted { $0.segment.startsAt < $1.segment.startsAt }.map {
            "\($0.segment.startsAt.text)..\($0.segment.endsAt.text)"
        }.joined(separator: ", ")
    }

    @Test(
        arguments: [
            (renewal(), "02-01..02-02"), (renewal(graceEndsAt: "02-17"), "02-01..02-17"),
            (renewal(graceEndsAt: "02-17", isInRetry: true), "02-01..02-17"),
            (renewal(graceEndsAt: "02-01 06:00", isInRetry: true), "02-01..02-01 06:00:00"),
            (renewal(graceEndsAt: "02-01", isInRetry: true), ""), (renewal(graceEndsAt: "01-20"), ""),
            (renewal(isInRetry: true), ""), (renewal(false), ""), (renewal(end: .billing), ""),
            (renewal(false, end: .cancelled), ""), (renewal(false, graceEndsAt: "02-17"), "02-01..02-17"),
            (renewal(false, graceEndsAt: "02-17", end: .billing), ""), (renewal(course: .grace), "02-01..02-04"),
            (renewal(isInRetry: true, course: .grace), "02-01..02-04"),
            (renewal(false, end: .billing, course: .grace), "02-01..02-04"),
            (renewal(false, graceEndsAt: "02-17", end: .billing, course: .grace), "02-01..02-17"),
            (renewal(graceEndsAt: "02-17", course: .ended), ""), (renewal(course: .ended), ""),
            (renewal(graceEndsAt: "02-17", isInRetry: true, course: .ended), ""),
            (renewal(graceEndsAt: "02-17", isInRetry: true, end: .billing), "02-01..02-17"),
        ] as [(VerifiedRenewal, String)])
    func `grace is as long as the store grants, and the leeway is for what may still be renewed`(
        renewal: VerifiedRenewal, grace: String
    ) {
        let story = Self.chain([Self.period()], renewal)
        #expect(Self.graceEnd(of: story) == grace)
        #expect(story.segments() == ["w 01-01..02-01"])
    }

    @Test(
        arguments: [
            ([], [], "02-01", true), ([], [renewal()], "02-01", true), ([], [renewal(isInRetry: true)], "02-01", false),
            ([], [renewal(graceEndsAt: "02-17")], "02-01", false),
            ([], [renewal(graceEndsAt: "02-17", isInRetry: true)], "02-01", false),
            ([], [renewal(false, end: .cancelled)], "02-01", false),
            ([period(signedAt: "01-11", revokedAt: "01-10")], [], "02-01", false),
            ([period(signedAt: "01-12", isUpgraded: true)], [], "01-12", false),
            ([period("2", at: "02-01", until: "03-01")], [], "03-01", true),
            ([period(until: "01-01", signedAt: "01-02")], [], "01-01", false),
            (
                [], [VerifiedRenewal(key: key, signedAt: "01-31", willRenew: true, endedAt: "01-20")], "01-20", false
            ),
        ] as [([VerifiedPurchase], [VerifiedRenewal], Instant, Bool)])
    func `a chain of which nothing says what follows its newest period is untold`(
        states: [VerifiedPurchase], renewals: [VerifiedRenewal], endsAt: Instant, isUntold: Bool
    ) throws {
        let story = renewals.reduce(Self.chain([Self.period()] + states)) { $0.states(.renewal($1), at: "03-01") }
        let end = try #require(story.timeline().purchases.first?.newestEnd)
        #expect(end.at == endsAt && end.isUntold == isUntold)
    }

    @Test func `grace counts once entered, and is shown as grace`() {
        let story = Self.chain([Self.period()], Self.renewal(graceEndsAt: "02-17", isInRetry: true))
        #expect(story.status(at: "01-31 23:59:59.999").expiresAt == "02-01")
        let within = story.status(at: "02-16")
        #expect(within.state == .grace && within.expiresAt == "02-17")
        #expect(within.entitlements.map(\.state) == [.grace] && within.entitlements.map(\.willRenew) == [true])
        let after = story.status(at: "02-17")
        #expect(after.state == .expired && after.entitlements.map(\.state) == [.billingRetry])
        #expect(after.entitlements.map(\.willRenew) == [true] && after.explanation.map(\.reason) == [.finished])
        #expect(story.timeline().nextChange(after: "02-01") == "02-17")
        let none = EntitlementSettings(sandboxAccess: .nobody, renewalLeewayHours: 0)
        #expect(story.status(at: "02-16", settings: none).state == .grace, "no leeway does not end what is granted")
    }

    @Test func `what does not renew says so before its end, and is finished after it`() {
        for renewal in [
            Self.renewal(false), Self.renewal(false, end: .cancelled), Self.renewal(end: .priceIncrease),
        ] {
            let story = Self.chain([Self.period()], renewal)
            #expect(story.status(at: "01-15").entitlements.map(\.state) == [.running])
            #expect(story.status(at: "01-15").entitlements.map(\.willRenew) == [false])
            #expect(story.status(at: "02-01").entitlements.map(\.state) == [.finished])
        }
        for renewal in [Self.renewal(isInRetry: true), Self.renewal(isInRetry: true, end: .billing)] {
            let retried = Self.chain([Self.period()], renewal)
            #expect(retried.status(at: "01-15").entitlements.map(\.state) == [.running])
            #expect(retried.status(at: "02-01").entitlements.map(\.state) == [.billingRetry])
            #expect(retried.status(at: "02-01").state == .expired)
        }
    }

    @Test(
        arguments: [
            ([renewal(isInRetry: true, signedAt: "02-01 00:30")], "02-01..02-01 00:30:00"),
            ([renewal(signedAt: "02-01 12:00")], "02-01..02-02"),
            ([renewal(signedAt: "02-01 12:00"), renewal(false, signedAt: "02-01 18:00")], "02-01..02-01 18:00:00"),
            ([renewal(course: .grace, signedAt: "02-01 00:30")], "02-01..02-01 00:30:00, 02-01 00:30:00..02-04"),
            (
                [
                    renewal(graceEndsAt: "02-17", isInRetry: true, course: .grace),
                    renewal(false, graceEndsAt: "02-17", end: .billing, course: .ended, signedAt: "02-10"),
                ], "02-01..02-10"
            ),
            (
                [
                    renewal(graceEndsAt: "02-17", isInRetry: true),
                    renewal(isInRetry: true, course: .ended, signedAt: "02-17"),
                ], "02-01..02-17"
            ),
            (
                [
                    renewal(graceEndsAt: "02-17", isInRetry: true),
                    renewal(false, graceEndsAt: "02-17", isInRetry: true, signedAt: "02-05"),
                    renewal(false, isInRetry: true, signedAt: "02-09"),
                ], "02-01..02-09"
            ),
            (
                [renewal(graceEndsAt: "02-04"), renewal(graceEndsAt: "02-20", signedAt: "02-05")],
                "02-01..02-04, 02-05..02-20"
            ),
            (
                [
                    renewal(isInRetry: true, signedAt: "02-01"), renewal(graceEndsAt: "02-10", signedAt: "02-03"),
                    renewal(false, end: .billing, signedAt: "02-05"), renewal(graceEndsAt: "02-20", signedAt: "02-04"),
                ], "02-03..02-05"
            ),
        ] as [([VerifiedRenewal], String)])
    func `each state speaks from its signing until the next one, in whatever order they came`(
        states: [VerifiedRenewal], grace: String
    ) {
        for order in states.orders {
            let story = order.reduce(Self.chain()) { $0.states(.renewal($1), at: "03-01") }
            #expect(Self.graceEnd(of: story) == grace)
            let first = order.reduce(Story()) { $0.states(.renewal($1), at: "02-20") }
            #expect(Self.graceEnd(of: first.attaches(Self.period(), at: "03-01")) == grace)
        }
    }

    @Test func `what followed a period stays when the next one begins, and nothing follows longer`() {
        let next = Self.period("2", at: "02-05", until: "03-05")
        let grace = Self.renewal(graceEndsAt: "02-17", isInRetry: true)
        #expect(Self.graceEnd(of: Self.chain([Self.period(), next], grace)) == "02-01..02-05, 03-05..03-06")
        #expect(Self.graceEnd(of: Self.chain([Self.period(), next])) == "02-01..02-02, 03-05..03-06")
        let soon = Self.period("2", at: "02-01 12:00", until: "03-05")
        #expect(Self.graceEnd(of: Self.chain([Self.period(), soon])) == "02-01..02-01 12:00:00, 03-05..03-06")
        let unknown = VerifiedPurchase.state(
            of: "w", "pro.weekly", .plan, transaction: "t2", at: "02-05", until: "02-12")
        let story = Self.chain([Self.period(), unknown], grace)
        #expect(Self.graceEnd(of: story) == "02-01..02-05")
        #expect(story.status(at: "02-06").entitlements.map(\.state) == [.finished], "nothing is retried any more")
    }

    @Test func `what was said before a period was there says nothing of its end`() {
        let ended = Self.renewal(false, end: .billing, course: .ended, signedAt: "02-01")
        let back = Self.period("2", at: "03-01", until: "04-01", signedAt: "03-20")
        let story = Self.chain([Self.period(), back], ended)
        #expect(Self.graceEnd(of: story) == "04-01..04-02")
        #expect(story.timeline().purchases.map(\.newestEnd?.isUntold) == [true])
    }

    @Test func `leeway and grace without a date are never longer than the period was`() {
        let short = Self.period(at: "01-01", until: "01-01 00:05")
        #expect(Self.graceEnd(of: Self.chain([short])) == "01-01 00:05:00..01-01 00:10:00")
        let told = Self.renewal(course: .grace, signedAt: "01-01 00:05")
        #expect(Self.graceEnd(of: Self.chain([short], told)) == "01-01 00:05:00..01-01 00:10:00")
        let named = Self.renewal(graceEndsAt: "01-01 01:00", course: .grace, signedAt: "01-01 00:05")
        #expect(Self.graceEnd(of: Self.chain([short], named)) == "01-01 00:05:00..01-01 01:00:00")
    }

    @Test func `retry is shown for 60 days, and not once the renewal is off`() {
        let retried = Self.chain([Self.period()], Self.renewal(isInRetry: true, signedAt: "02-01 00:30"))
        func told(_ story: Story, at instant: Instant) -> [String] {
            story.status(at: instant).entitlements.map {
                "\($0.state.rawValue), \($0.plan?.isInBillingRetry == true ? "in retry" : "not in retry")"
            }
        }
        #expect(told(retried, at: "02-01") == ["grace, not in retry"])
        #expect(told(retried, at: "02-01 00:30") == ["billing_retry, in retry"])
        #expect(told(retried, at: "04-01 23:59:59.999") == ["billing_retry, in retry"])
        #expect(told(retried, at: "04-02") == ["finished, not in retry"])
        #expect(retried.timeline().nextChange(after: "03-01") == "04-02")
        #expect(retried.status(at: "04-02").entitlements.map(\.willRenew) == [false])
        let off = retried.states(.renewal(Self.renewal(false, isInRetry: true, signedAt: "02-10")), at: "03-01")
        #expect(told(off, at: "02-09") == ["billing_retry, in retry"])
        #expect(told(off, at: "02-10") == ["finished, not in retry"])
        let over = retried.states(
            .renewal(Self.renewal(false, end: .billing, course: .ended, signedAt: "02-20")), at: "03-01")
        #expect(
            told(over, at: "02-19") == ["billing_retry, in retry"]
                && told(over, at: "02-20") == ["finished, not in retry"])
    }

    @Test func `a chain is asked about until its end is told`() {
        func isUntold(_ renewals: VerifiedRenewal...) -> Bool? {
            renewals.reduce(Self.chain()) { $0.states(.renewal($1), at: "03-01") }.timeline().purchases.first?
                .newestEnd?
                .isUntold
        }
        #expect(isUntold() == true && isUntold(Self.renewal()) == true)
        for isInRetry in [false, true] {
            let undated = Self.renewal(isInRetry: isInRetry, course: .grace)
            #expect(isUntold(undated) == true, "until when is not told")
        }
        #expect(isUntold(Self.renewal(graceEndsAt: "02-17", course: .grace)) == false)
        #expect(isUntold(Self.renewal(isInRetry: true)) == false && isUntold(Self.renewal(end: .billing)) == false)
        #expect(isUntold(Self.renewal(course: .ended)) == false)
        #expect(isUntold(Self.renewal(isInRetry: true), Self.renewal(course: .grace, signedAt: "02-01")) == true)
    }

    @Test func `of states that were signed at once the one that gives least counts`() {
        let rising = [
            Self.renewal(), Self.renewal(false, graceEndsAt: "02-20"), Self.renewal(false, graceEndsAt: "02-10"),
            Self.renewal(false, into: "a"), Self.renewal(false, into: "b"), Self.renewal(false),
            Self.renewal(false, course: .grace), Self.renewal(isInRetry: true), Self.renewal(end: .billing),
            Self.renewal(end: .cancelled), Self.renewal(end: .cancelled, course: .grace), Self.renewal(course: .ended),
        ]
        for (position, state) in rising.enumerated() {
            for (other, otherState) in rising.enumerated() {
                #expect(VerifiedRenewal.precedes(state, otherState) == (position < other), "\(position), \(other)")
            }
        }
        let newer = Self.renewal(signedAt: "02-01")
        #expect(rising.allSatisfy { VerifiedRenewal.precedes($0, newer) && !VerifiedRenewal.precedes(newer, $0) })
    }

    @Test func `a state that was signed before the last period says nothing about it`() {
        let second = Self.period("2", at: "02-05", until: "03-05", signedAt: "02-04")
        let old = Self.renewal(false, graceEndsAt: "02-17", isInRetry: true, signedAt: "02-03")
        #expect(
            Self.graceEnd(of: Self.chain([Self.period(), second], old)) == "02-01..02-02, 02-03..02-05, 03-05..03-06")
        let withIt = Self.renewal(false, signedAt: "02-04")
        #expect(Self.graceEnd(of: Self.chain([Self.period(), second], old, withIt)) == "02-01..02-02, 02-03..02-04")
        let resigned = Self.period("2", at: "02-05", until: "03-05", signedAt: "02-20")
        let since = Self.renewal(false, signedAt: "02-05")
        #expect(Self.graceEnd(of: Self.chain([Self.period(), resigned], since)) == "02-01..02-02")
    }

    @Test func `nothing is granted after a refund or an upgrade`() {
        let grace = Self.renewal(graceEndsAt: "02-17", signedAt: "02-01")
        let refunded = Self.period(signedAt: "01-11", revokedAt: "01-10")
        #expect(Self.graceEnd(of: Self.chain([Self.period(), refunded], grace)) == "")
        let late = Self.period(signedAt: "02-05", revokedAt: "02-04")
        #expect(Self.graceEnd(of: Self.chain([Self.period(), late], grace)) == "02-01..02-04")
        let upgraded = Self.period(signedAt: "01-12", isUpgraded: true)
        #expect(Self.graceEnd(of: Self.chain([Self.period(), upgraded], grace)) == "")
    }

    @Test func `a renewal alone makes no purchase`() {
        let alone = Story().states(.renewal(Self.renewal()), at: "02-01")
        #expect(alone.timeline().purchases.isEmpty && alone.status(at: "02-01").state == .none)
        let bound = alone.told(.bound(Self.key), at: "02-01")
        #expect(bound.timeline().purchases.isEmpty && bound.status(at: "02-01").entitlements.isEmpty)
    }

    @Test func `a renewal changes nothing of what was bought once`() {
        let story = Story().buys("w", at: "01-01").states(.renewal(Self.renewal(false, end: .billing)), at: "01-31")
        #expect(story.segments() == ["w 01-01..01-31"] && story.timeline().graces.isEmpty)
    }

    @Test func `what was known before it came stays`() {
        let story = Self.chain().states(.renewal(Self.renewal(false, end: .billing)), at: "03-05")
        #expect(story.status(at: "02-01", knownAt: "03-02").state == .grace)
        #expect(story.status(at: "02-01").state == .expired)
    }

    @Test func `a chain that is charged for again, or suspended, is not inactive`() throws {
        let policies = OwnershipPolicies([.plan: .transferIfInactive])
        let context = ClaimContext(
            rules: ClaimRules(),
            fold: FoldContext(catalogue: CatalogueVersions(.example(ownership: policies)), settings: .everyone))
        let bought = VerifiedPurchase.state(of: "w", .proMonthly, .plan, at: "01-01", until: "02-01", account: "A")
        for (renewal, moves) in [
            (Self.renewal(isInRetry: true), false), (Self.renewal(false, end: .billing), true),
            (Self.renewal(graceEndsAt: "03-10"), false), (Self.renewal(graceEndsAt: "02-10"), true),
        ] {
            var world = World()
            world.attach(bought, to: .alice, at: "01-01")
            world.record(renewal, at: "02-01")
            let answer = world.attach(bought, to: "bob", proof: "A", at: "03-01", in: context)
            #expect(answer == (moves ? .success(.transferred) : .failure(.ownedByAnotherUser)))
        }
        var refunded = World()
        refunded.attach(bought, to: .alice, at: "01-01")
        refunded.record(Self.renewal(isInRetry: true), at: "02-01")
        refunded.record(
            bought.with(revocation: Revocation(revokedAt: "02-10", share: 100_000), signedAt: "02-10"), at: "02-10")
        #expect(refunded.attach(bought, to: "bob", proof: "A", at: "03-01", in: context) == .success(.transferred))
        let suspended = VerifiedPurchase.state(
            of: "w", .proMonthly, .plan, at: "01-01", until: "02-01",
            suspension: Suspension(startsAt: "01-10", endsAt: nil), account: "A")
        var world = World()
        world.attach(suspended, to: .alice, at: "01-01")
        let answer = world.attach(suspended, to: "bob", proof: "A", at: "01-20", in: context)
        #expect(answer == .failure(.ownedByAnotherUser))
    }

    @Test func `the facts of a chain name the states of its renewal`() {
        let story = Self.chain([Self.period()], Self.renewal(false, signedAt: "01-20"))
        let facts = story.status(at: "01-25").explanation.flatMap(\.facts)
        #expect(facts.map(\.kind) == [.state, .bound, .renewal])
        #expect(facts.last?.signedAt == "01-20" && facts.last?.transactionID == nil && facts.last?.revocation == nil)
    }

    @Test func `random chains cover after their end what their newest state grants, in any order`() {
        let ends: [RenewalEnd?] = [nil, nil, .cancelled, .other("x")]
        for seed in 1...300 as ClosedRange<UInt64> {
            var random = SplitMix64(seed: seed)
            let states = (0..<Int.random(in: 0...6, using: &random)).map { _ in
                Self.renewal(
                    Bool.random(using: &random),
                    graceEndsAt: Bool.random(using: &random)
                        ? Instant("02-01") + Int64.random(in: -2...5, using: &random) * Instant.millisecondsPerDay
                        : nil,
                    isInRetry: Bool.random(using: &random), end: ends.randomElement(using: &random) ?? nil,
                    signedAt: Instant("01-20") + Int64.random(in: 0...3, using: &random))
            }
            // What gives less ranks higher. All are signed before the end, from which on the last one speaks.
            let newest = states.max { left, right in
                Self.rank(left).lexicographicallyPrecedes(Self.rank(right))
            }
            let expected = Self.expectedGrace(newest)
            for _ in 0..<3 {
                let story = states.shuffled(using: &random).reduce(Self.chain()) {
                    $0.states(.renewal($1), at: "03-01")
                }
                #expect(Self.graceEnd(of: story) == expected, "seed \(seed)")
            }
        }
    }

    private static func rank(_ state: VerifiedRenewal) -> [Int64] {
        [
            state.signedAt.milliseconds, state.end == nil ? 0 : 1, state.isInRetry ? 1 : 0, state.willRenew ? 0 : 1,
            -(state.graceEndsAt?.milliseconds ?? 0),
        ]
    }

    private static func expectedGrace(_ newest: VerifiedRenewal?) -> String {
        guard let newest else { return "02-01..02-02" }
        if newest.end != nil, !newest.isInRetry { return "" }
        guard let grace = newest.graceEndsAt else {
            return newest.willRenew && !newest.isInRetry && newest.end == nil ? "02-01..02-02" : ""
        }
        return grace > "02-01" ? "02-01..\(grace.text)" : ""
    }
}
