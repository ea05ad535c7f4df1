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
        #expect(status.giving?.key.externalID.text == "e" && status.giving?.tier == status.tier)
    }

    @Test func `what gives the tier is of that tier, though another lane of its rank ends later`() {
        for (early, late) in [("01-01", "01-05"), ("01-05", "01-01")] as [(Instant, Instant)] {
            let story = Story().buys("p", at: late).buys("e", .eyes30, at: early)
            for instant in ["01-10", "02-02", "02-20"] as [Instant] {
                let status = story.status(at: instant)
                let last = status.segments.map(\.endsAt).max()
                #expect(status.active ? status.giving?.tier == status.tier : status.giving?.endsAt == last)
            }
        }
        #expect(Story().buys("p", at: "01-05").status(at: "01-01").giving == nil)
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

    @Test func `what decides is the highest coverage, of that what ends last, else what ended last`() {
        let low = Story().buys("b", .basic30, at: "01-01").grants(
            "g", .window(tier: "pro", endsAt: "01-20"), at: "01-05")
        let story = low.grants("h", .window(tier: "pro", endsAt: "01-15"), at: "01-06")
        let decisive = { (instant: Instant) in story.status(at: instant).decisive?.key.externalID.text }
        #expect(decisive("2025-12-31") == nil && decisive("01-02") == "b" && decisive("01-10") == "g")
        #expect(decisive("01-20") == "b" && decisive("02-10") == "b")
        let over = Story().buys("p", at: "01-01").status(at: "01-31")
        let key = PurchaseKey.pass("p")
        #expect(over.decisive?.key == key && over.giving?.key == key, "its end is over")
    }

    @Test
    func `of periods that cover at once the highest tier gives the plan id, of it what ends last, then the newest`() {
        let annual = Product(
            id: "pro.annual", app: .vpn, terms: .plan(tier: "pro", planID: "annual_2", familyShareable: false))
        for (periods, planID) in [
            ([("1", .proMonthly, "02-01"), ("2", annual.id, "02-01")], "annual_2"),
            ([("2", .proMonthly, "02-01"), ("1", annual.id, "02-01")], "monthly_2"),
            ([("1", .proMonthly, "02-01"), ("2", .annual3, "03-01")], "monthly_2"),
            ([("1", .proMonthly, "02-01"), ("2", annual.id, "03-01")], "annual_2"),
            ([("1", .proMonthly, "03-01"), ("2", annual.id, "02-01")], "monthly_2"),
        ] as [([(String, ProductID, Instant)], String)] {
            let story = periods.reduce(Story()) { story, period in
                let (name, product, endsAt) = period
                return story.attaches(
                    .state(of: "w", product, .plan, transaction: name, at: "01-01", until: endsAt), at: "01-02")
            }
            let status = story.status(at: "01-15", in: CatalogueVersions(.example(adding: [annual])))
            #expect(status.decisive?.planID == planID && status.entitlements.map(\.planID) == [planID])
        }
    }

    @Test func `what decides has the id of its period's plan, around a suspension and in leeway too`() {
        let annual = Product(
            id: "pro.annual", app: .vpn, terms: .plan(tier: "pro", planID: "annual_2", familyShareable: false))
        let month = VerifiedPurchase.state(
            of: "w", .proMonthly, .plan, transaction: "1", at: "01-01", until: "02-01",
            suspension: Suspension(startsAt: "01-10", endsAt: "01-20"))
        let year = VerifiedPurchase.state(
            of: "w", "pro.annual", .plan, transaction: "2", at: "02-01", until: "2027-02-01")
        let days = VerifiedPurchase.state(
            of: "w", "pro.annual", .plan, transaction: "3", at: "01-05", until: "01-08")
        let story = [month, days, year].reduce(Story().buys("b", .basic30, at: "2025-11-01")) {
            $0.attaches($1, at: "02-01")
        }
        for (instant, planID) in [
            ("2025-12-15", nil), ("01-09", "monthly_2"), ("01-15", "monthly_2"), ("01-20", "monthly_2"),
            ("02-01", "annual_2"), ("2027-02-01", "annual_2"), ("2027-02-02", "annual_2"),
        ] as [(Instant, String?)] {
            let decisive = story.status(at: instant, in: CatalogueVersions(.example(adding: [annual]))).decisive
            #expect(decisive != nil && decisive?.planID == planID, "\(instant.text)")
        }
    }

    @Test func `coverage that a refund stops was taken back, and what had ended before was not`() {
        let story = Story().buys("p", at: "01-01")
        let wasTaken = { (story: Story) in story.status(at: "03-01").decisive?.endsByTakeback }
        #expect(wasTaken(story) == false)
        #expect(wasTaken(story.refunds("p", at: "01-10")) == true)
        #expect(wasTaken(story.refunds("p", at: "01-10", share: 90_000)) == true, "it had run for more than was paid")
        #expect(wasTaken(story.refunds("p", at: "01-10", share: 50_000)) == false, "it ran for all that was paid")
        #expect(wasTaken(story.refunds("p", at: "01-15 23:59:59.999", share: 50_000)) == false, "a moment was left")
        #expect(wasTaken(story.refunds("p", at: "01-16", share: 50_000)) == true, "it would have gone on")
        #expect(wasTaken(story.refunds("p", at: "02-10")) == false)
        #expect(wasTaken(story.withdraws("p", at: "01-10")) == true)
        #expect(wasTaken(story.withdraws("p", at: "02-10")) == false)
        #expect(story.refunds("p", at: "01-10").status(at: "01-09").decisive?.endsByTakeback == true)
    }

    @Test func `segments and entitlements stand in order`() {
        let status = Self.v4.status(at: "01-20")
        #expect(status.segments.map(\.text) == ["b 01-01..01-10", "x 01-10..02-09", "b 02-09..03-02"])
        #expect(status.entitlements.map(\.startsAt) == ["01-01", "01-10"])
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
