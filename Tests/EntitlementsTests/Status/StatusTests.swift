import Entitlements
import Testing

/// The answer at an instant (`semantics.md` §2; `api.md`, "Status").
@Suite struct StatusTests {
    private static let v4 = Story().buys("b", .basic30, at: "01-01").buys("x", at: "01-10")

    private func check(
        _ status: Status, is state: Status.State, _ tier: TierID?, until expiresAt: Instant?,
        access accessExpiresAt: Instant?, sourceLocation: SourceLocation = #_sourceLocation
    ) {
        #expect(status.state == state, sourceLocation: sourceLocation)
        #expect(status.tier == tier, sourceLocation: sourceLocation)
        #expect(status.expiresAt == expiresAt, sourceLocation: sourceLocation)
        #expect(status.accessExpiresAt == accessExpiresAt, sourceLocation: sourceLocation)
        #expect(status.active == (state == .active || state == .grace), sourceLocation: sourceLocation)
    }

    private func states(_ story: Story, at: Instant) -> [String] {
        let status = story.status(at: at)
        let reasons = Dictionary(uniqueKeysWithValues: status.explanation.map { ($0.key, $0.reason) })
        return status.entitlements.map { entitlement in
            let reason = reasons[entitlement.key]?.map { " \($0.rawValue)" } ?? ""
            return "\(entitlement.key.externalID) \(entitlement.state.rawValue)\(reason)"
        }
    }

    @Test func `nothing bought is the default tier with its limits`() {
        let status = Story().status(at: "01-01")
        check(status, is: .none, "free", until: nil, access: nil)
        #expect(status.tierRank == 0)
        #expect(status.limits == ["trips": 1])
        #expect(status.user == .alice && status.at == "01-01")
    }

    @Test func `some purchases are explained as the status explains all, and no others`() {
        let story = Self.v4.buys("y", at: "01-12").buys("b2", .basic30, at: "01-15")
        for at in ["01-05", "01-20", "03-20"] as [Instant] {
            let (timeline, status) = (story.timeline(), story.status(at: at))
            for (entitlement, explanation) in status.entitlements.compactMap({ entitlement in
                status.explanation.first { $0.key == entitlement.key }.map { (entitlement, $0) }
            }) {
                let explained = timeline.explained([entitlement.key], at: at)
                #expect(explained.count == 1)
                #expect(explained[entitlement.key]?.entitlement == entitlement)
                #expect(explained[entitlement.key]?.explanation == explanation)
            }
            #expect(timeline.explained(Set(status.entitlements.map(\.key)), at: at).count == status.entitlements.count)
            #expect(timeline.explained([], at: at).isEmpty)
        }
    }

    @Test func `without a default tier, there is none`() {
        let status = Story().status(at: "01-01", in: CatalogueVersions(.example(defaultTier: nil)))
        check(status, is: .none, nil, until: nil, access: nil)
        #expect(status.tierRank == nil && status.limits.isEmpty && status.features.isEmpty)
    }

    @Test func `the highest coverage is the tier until the end of its gap-free coverage`() {
        check(Self.v4.status(at: "01-05"), is: .active, "basic", until: "03-02", access: "03-02")
        check(Self.v4.status(at: "01-20"), is: .active, "pro", until: "02-09", access: "03-02")
        check(Self.v4.status(at: "02-09"), is: .active, "basic", until: "03-02", access: "03-02")
    }

    @Test func `coverage ends at its exclusive end`() {
        check(Self.v4.status(at: "03-01 23:59:59.999"), is: .active, "basic", until: "03-02", access: "03-02")
        check(Self.v4.status(at: "03-02"), is: .expired, "free", until: "03-02", access: "03-02")
        check(Self.v4.status(at: "2025-12-31"), is: .none, "free", until: nil, access: nil)
    }

    @Test func `a gap ends the coverage that is promised`() {
        let story = Story().buys("p1", at: "01-01").buys("p2", at: "02-10")
        check(story.status(at: "01-05"), is: .active, "pro", until: "01-31", access: "01-31")
        check(story.status(at: "02-05"), is: .expired, "free", until: "01-31", access: "01-31")
    }

    @Test func `features are the union and limits the largest of what covers`() {
        let story = Self.v4.buys("e", .eyes30, at: "01-12")
        let status = story.status(at: "01-20")
        #expect(status.features == ["eyes", "premium", "standard"])
        #expect(status.limits == ["trips": 1000, "views": 7])
        #expect(status.devices == DeviceSeats(allowed: 5, active: 0, suspended: 0))
        #expect(story.status(at: "01-05").features == ["standard"])
    }

    @Test func `equal ranks of two lanes go by lane name`() {
        let status = Story().buys("p", at: "01-01").buys("e", .eyes30, at: "01-05").status(at: "01-10")
        check(status, is: .active, "eyes", until: "02-04", access: "02-04")
    }

    @Test func `a tier gives what the version in force says`() {
        let richer = Catalogue(
            apps: [.init(id: .vpn)], tiers: [Tier(id: "pro", rank: 2, features: ["more"], devices: 9)], products: [])
        let versions = CatalogueVersions(
            first: .init(number: 1, effectiveAt: "2025-01-01", catalogue: .example()),
            later: [.init(number: 2, effectiveAt: "01-15", catalogue: richer)])
        let story = Self.v4
        #expect(story.status(at: "01-14", in: versions).features == ["premium", "standard"])
        #expect(story.status(at: "01-15", in: versions).features == ["more"])
        #expect(story.status(at: "01-15", in: versions).devices.allowed == 9)
        #expect(
            story.status(at: "02-20", in: versions).features == ["standard"], "a tier no longer named keeps its own")
        #expect(story.status(at: "04-01", in: versions).tier == nil)
    }

    @Test func `a pass runs, is paused, waits and finishes`() {
        #expect(states(Self.v4, at: "01-05") == ["b running", "x queued queued_behind"])
        #expect(states(Self.v4, at: "01-20") == ["b paused paused_under", "x running"])
        #expect(states(Self.v4, at: "02-20") == ["b running", "x finished finished"])
        let low = Story().buys("x", at: "01-01").buys("b", .basic30, at: "01-10")
        #expect(states(low, at: "01-20") == ["x running", "b queued queued_behind"])
    }

    @Test func `a pass that ran in part is queued behind a pass of its rank, and paused under a higher one`() {
        let story = Story().buys("p1", at: "01-01").buys("p2", at: "01-10").buys("p3", at: "01-20")
            .refunds("p2", at: "02-05").reverses("p2", signedAt: "02-20")
        #expect(states(story, at: "02-19") == ["p1 finished finished", "p2 revoked revoked", "p3 running"])
        #expect(states(story, at: "02-20") == ["p1 finished finished", "p2 running", "p3 paused queued_behind"])
        #expect(states(story, at: "03-17") == ["p1 finished finished", "p2 finished finished", "p3 running"])
        let art = Self.v4.buys("e", .eyes30, at: "01-12")
        #expect(states(art, at: "01-20").contains("b paused paused_under"), "another lane is another clock")
        let sandbox = Story().buys("b", .basic30, at: "01-01", environment: .sandbox)
            .buys("x", at: "01-10", environment: .sandbox).buys("c", .basic30, at: "01-12")
        #expect(states(sandbox, at: "01-20") == ["b paused paused_under", "x running", "c running"])
        let windowed = Story().buys("b", .basic30, at: "01-01")
            .grants("w", .window(tier: "pro", endsAt: "02-15"), at: "01-15")
        let paused = windowed.status(at: "01-20", in: .pausing).explanation.map(\.reason)
        #expect(paused == [.pausedUnder, nil])
    }

    @Test func `an entitlement tells the stretch that it is in, else the next one, else the last`() {
        func stretches(_ story: Story, at instants: [Instant]) -> [String] {
            instants.map { instant in
                let told = story.status(at: instant).entitlements.first
                return "\(told?.startsAt?.text ?? "none")..\(told?.endsAt?.text ?? "none")"
            }
        }
        let pass = stretches(Self.v4, at: ["2025-12-01", "01-05", "01-10", "02-08", "02-09", "03-02", "05-01"])
        #expect(pass == Array(repeating: "01-01..01-10", count: 2) + Array(repeating: "02-09..03-02", count: 5))
        func month(_ name: String, at: Instant, until: Instant) -> VerifiedPurchase {
            .state(of: "w", .proMonthly, .plan, transaction: name, at: at, until: until)
        }
        let back = Story().attaches(month("1", at: "2024-01-01", until: "2024-02-01"), at: "01-01")
            .records(month("2", at: "01-01", until: "02-01"), at: "01-01")
            .records(month("3", at: "02-01", until: "03-01"), at: "01-01")
        #expect(
            stretches(
                back,
                at: ["2023-12-01", "2024-01-20", "2024-02-01 12:00", "2025-01-01", "01-20", "03-01 12:00", "05-01"])
                == [
                    "2024-01-01..2024-02-01", "2024-01-01..2024-02-01", "2024-01-01..2024-02-02", "01-01..03-01",
                    "01-01..03-01",
                    "01-01..03-02", "01-01..03-02",
                ])
        let none = Story().buys("u", "unknown", at: "01-01").status(at: "01-02").entitlements
        #expect(none.map(\.startsAt) == [nil] && none.map(\.endsAt) == [nil])
    }

    @Test func `a refunded pass is revoked, and after use it says so`() {
        let story = Story().buys("p", at: "01-01")
        #expect(states(story.refunds("p", at: "01-10"), at: "01-09") == ["p running"])
        #expect(states(story.refunds("p", at: "01-10"), at: "01-10") == ["p revoked revoked"])
        #expect(states(story.refunds("p", at: "02-10"), at: "02-05") == ["p finished finished"])
        #expect(states(story.refunds("p", at: "02-10"), at: "02-10") == ["p revoked refunded_after_use"])
        #expect(
            states(story.refunds("p", at: "02-10", share: 50000), at: "02-11") == ["p finished refunded_after_use"])
        #expect(states(story.refunds("p", at: "02-10", share: 1), at: "02-11") == ["p finished refunded_after_use"])
        #expect(states(story.refunds("p", at: "01-10", share: 90000), at: "01-10") == ["p finished finished"])
        let none = Story().buys("p", at: "01-01", quantity: 0).refunds("p", at: "01-10")
        #expect(states(none, at: "01-10") == ["p revoked revoked"], "it never ran")
    }

    @Test func `segments and entitlements stand in order`() {
        let status = Self.v4.status(at: "01-20")
        #expect(status.segments.map(\.text) == ["b 01-01..01-10", "x 01-10..02-09", "b 02-09..03-02"])
        #expect(status.entitlements.map(\.startsAt) == ["02-09", "01-10"])
        #expect(status.entitlements.map(\.endsAt) == ["03-02", "02-09"])
        #expect(status.entitlements.map(\.tier) == ["basic", "pro"])
        #expect(status.entitlements.map(\.kind) == [.pass, .pass])
        #expect(status.entitlements.map(\.willRenew) == [nil, nil])
    }

    @Test func `segments that begin together stand by rank, then by lane, end and id`() {
        let story = Story().buys("b", .basic30, at: "01-01").buys("e", .eyes30, at: "01-01")
            .grants("g", .window(tier: "pro", endsAt: "02-01"), at: "01-01")
            .grants("a", .window(tier: "pro", endsAt: "02-01"), at: "01-01")
            .grants("h", .window(tier: "pro", endsAt: "01-20"), at: "01-01")
        #expect(
            story.segments() == [
                "e 01-01..01-31", "h 01-01..01-20", "a 01-01..02-01", "g 01-01..02-01", "b 01-01..01-31",
            ])
    }

    @Test func `an explanation names the facts and what they give`() throws {
        let story = Story().buys("p", at: "01-01").refunds("p", at: "01-10", signedAt: "01-11")
        let explanation = try #require(story.status(at: "01-20").explanation.first)
        #expect(explanation.facts.map(\.recordedAt) == ["01-01", "01-01 00:00:00.001", "01-11"])
        #expect(explanation.facts.map(\.kind) == [.state, .bound, .state])
        #expect(explanation.facts.map(\.signedAt) == ["01-01", nil, "01-11"])
        #expect(explanation.facts.map(\.transactionID?.text) == ["p", nil, "p"])
        #expect(explanation.gives == [Interval(startsAt: "01-01", endsAt: "01-10")])
        #expect(explanation.reason == .revoked)
        let withdrawn = Story().buys("p", at: "01-01").withdraws("p", at: "01-11").status(at: "01-20").explanation
        #expect(withdrawn.map { $0.facts.map(\.kind) } == [[.state, .bound, .withdrawn]])
    }

    @Test func `explanations stand in the order of recording`() {
        let story = Story().buys("late", at: "02-01", attachedAt: "02-01").buys(
            "early", at: "01-01", attachedAt: "02-02")
        #expect(story.status(at: "02-03").explanation.map(\.key.externalID.text) == ["late", "early"])
        #expect(story.status(at: "02-03").entitlements.map(\.key.externalID.text) == ["early", "late"])
    }

    @Test func `subscription rows span from the first to the last piece`() {
        let rows = Self.v4.buys("r", at: "03-10").refunds("r", at: "03-10")
            .buys("c", .credits100, at: "01-01", type: .consumable).timeline().subscriptions
        #expect(
            rows.map { "\($0.key.externalID) \($0.tier) \($0.startsAt.text)..\($0.expiresAt.text)" } == [
                "b basic 01-01..03-02", "x pro 01-10..02-09",
            ])
    }
}
