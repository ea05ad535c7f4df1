import Testing

@testable import Entitlements

/// The one purchase that a list, the check and a sentence name (`semantics.md` §2).
@Suite struct DecidingPurchaseTests {
    private static func month(
        _ id: String, source: Source = .appleIAP, at: Instant = "01-01", until: Instant = "02-01"
    ) -> VerifiedPurchase {
        .state(of: id, .proMonthly, .plan, transaction: "\(id)1", source: source, at: at, until: until)
    }

    private static func off(_ id: String, graceEndsAt: Instant? = nil) -> Statement {
        .renewal(VerifiedRenewal(key: .pass(id), signedAt: "01-02", willRenew: false, graceEndsAt: graceEndsAt))
    }

    private static func deciding(_ story: Story, at instant: Instant) -> String? {
        story.status(at: instant).deciding?.key.externalID.text
    }

    @Test func `what decides is the highest coverage, of that what ends last, else what ended last`() {
        let low = Story().buys("b", .basic30, at: "01-01").grants(
            "g", .window(tier: "pro", endsAt: "01-20"), at: "01-05")
        let story = low.grants("h", .window(tier: "pro", endsAt: "01-15"), at: "01-06")
        let deciding = { (instant: Instant) in Self.deciding(story, at: instant) }
        #expect(deciding("2025-12-31") == nil && deciding("01-02") == "b" && deciding("01-10") == "g")
        #expect(deciding("01-20") == "b" && deciding("02-10") == "b")
        #expect(Self.deciding(Story().buys("p", at: "01-01"), at: "01-31") == "p", "its end is over")
        #expect(Self.deciding(Story().buys("p", at: "01-05"), at: "01-01") == nil)
    }

    @Test func `a plan that will renew goes before what ends later, also in grace`() {
        let plan = Story().attaches(Self.month("w"), at: "01-01")
        let story = plan.grants("g", .window(tier: "pro", endsAt: "03-01"), at: "01-05")
        #expect(Self.deciding(story, at: "01-10") == "w")
        #expect(Self.deciding(story, at: "02-01 12:00") == "w", "it is in leeway")
        #expect(Self.deciding(story, at: "02-02") == "g")
        #expect(Self.deciding(story.states(Self.off("w"), at: "01-05"), at: "01-10") == "g")
        let grace = story.states(Self.off("w", graceEndsAt: "02-10"), at: "01-05")
        #expect(Self.deciding(grace, at: "02-05") == "g")
        let higher = Story().attaches(
            .state(of: "b", .basicMonthly, .plan, transaction: "b1", at: "01-01", until: "02-01"), at: "01-01")
        #expect(Self.deciding(higher.buys("p", at: "01-02"), at: "01-10") == "p", "it is of a lower rank")
    }

    @Test func `of two plans that renew the one that ends last decides`() {
        let story = Story().attaches(Self.month("v", until: "02-03"), at: "01-01").attaches(
            Self.month("w"), at: "01-01")
        #expect(Self.deciding(story, at: "01-10") == "v")
        #expect(Self.deciding(story, at: "05-01") == "v", "its leeway ended last")
    }

    @Test func `of what ends at once the lane decides, then the source, then the id`() {
        let lanes = Story().buys("a", at: "01-01").buys("e", .eyes30, at: "01-01")
        #expect(Self.deciding(lanes, at: "01-10") == "e" && Self.deciding(lanes, at: "03-01") == "e")
        let sources = Story().attaches(Self.month("w"), at: "01-01").states(Self.off("w"), at: "01-05")
            .grants("g", .window(tier: "pro", endsAt: "02-01"), at: "01-05")
        #expect(Self.deciding(sources, at: "01-10") == "w" && Self.deciding(sources, at: "03-01") == "w")
        let ids = Story().grants("h", .window(tier: "pro", endsAt: "02-01"), at: "01-04")
            .grants("g", .window(tier: "pro", endsAt: "02-01"), at: "01-05")
        #expect(Self.deciding(ids, at: "01-10") == "g" && Self.deciding(ids, at: "03-01") == "g")
    }

    @Test func `of equal ranks of two lanes the one that ends later decides, whichever tier is shown`() {
        for (early, late, id) in [("01-01", "01-05", "p"), ("01-05", "01-01", "e")] as [(Instant, Instant, String)] {
            let story = Story().buys("p", at: late).buys("e", .eyes30, at: early)
            for instant in ["01-10", "02-02", "02-20"] as [Instant] {
                #expect(Self.deciding(story, at: instant) == id)
            }
            #expect(story.status(at: "01-10").tier == "eyes")
        }
    }

    @Test func `the sentence, the list and the check name one purchase`() {
        for seed in 1...200 as ClosedRange<UInt64> {
            var random = SplitMix64(seed: seed)
            var story = Story()
            for number in 0..<Int.random(in: 1...5, using: &random) {
                let day = { (days: ClosedRange<Int64>) in
                    Instant("01-01") + Int64.random(in: days, using: &random) * Instant.millisecondsPerDay
                }
                switch Int.random(in: 0..<4, using: &random) {
                case 0: story = story.buys("p\(number)", at: day(0...40))
                case 1: story = story.buys("e\(number)", .eyes30, at: day(0...40))
                case 2:
                    let start = day(0...40)
                    story = story.grants(
                        "g\(number)", .window(tier: "pro", endsAt: start + 1 + (day(0...40) - "01-01")), at: start)
                default:
                    let start = day(0...40)
                    let until = start + 30 * Instant.millisecondsPerDay
                    story = story.attaches(Self.month("w\(number)", at: start, until: until), at: start)
                    if Bool.random(using: &random) { story = story.states(Self.off("w\(number)"), at: start) }
                }
            }
            let timeline = story.timeline()
            for day in 0..<100 as Range<Int64> {
                let at = Instant("01-01") + day * Instant.millisecondsPerDay
                let key = timeline.status(at: at).deciding?.key
                switch Verdict(of: timeline, at: at) {
                case .access(let access): #expect(access.basis.key == key, "seed \(seed), \(at.text)")
                case .ended(_, let ended, _): #expect(ended == key, "seed \(seed), \(at.text)")
                case .addOns, .sandboxOnly, .toCome, .nothing, .never: #expect(key == nil, "seed \(seed), \(at.text)")
                }
            }
        }
    }

    @Test
    func `of periods that begin at once the one of the larger id stays, and gives the plan id`() {
        let annual = Product(
            id: "pro.annual", app: .vpn, terms: .plan(tier: "pro", planID: "annual_2", familyShareable: false))
        for (periods, planID) in [
            ([("1", .proMonthly, "02-01"), ("2", annual.id, "02-01")], "annual_2"),
            ([("2", .proMonthly, "02-01"), ("1", annual.id, "02-01")], "monthly_2"),
            ([("1", .proMonthly, "02-01"), ("2", .annual3, "03-01")], "annual_3"),
            ([("1", .proMonthly, "02-01"), ("2", annual.id, "03-01")], "annual_2"),
            ([("1", .proMonthly, "03-01"), ("2", annual.id, "02-01")], "annual_2"),
        ] as [([(String, ProductID, Instant)], String)] {
            let story = periods.reduce(Story()) { story, period in
                let (name, product, endsAt) = period
                return story.attaches(
                    .state(of: "w", product, .plan, transaction: name, at: "01-01", until: endsAt), at: "01-02")
            }
            let status = story.status(at: "01-15", in: CatalogueVersions(.example(adding: [annual])))
            #expect(status.deciding?.planID == planID && status.entitlements.map(\.planID) == [planID])
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
        let story = [month, year].reduce(Story().buys("b", .basic30, at: "2025-11-01")) {
            $0.attaches($1, at: "02-01")
        }
        for (instant, planID) in [
            ("2025-12-15", nil), ("01-09", "monthly_2"), ("01-15", "monthly_2"), ("01-20", "monthly_2"),
            ("02-01", "annual_2"), ("2027-02-01", "annual_2"), ("2027-02-02", "annual_2"),
        ] as [(Instant, String?)] {
            let deciding = story.status(at: instant, in: CatalogueVersions(.example(adding: [annual]))).deciding
            #expect(deciding != nil && deciding?.planID == planID, "\(instant.text)")
        }
    }

    @Test func `coverage that a refund stops was taken back, and what had ended before was not`() {
        let story = Story().buys("p", at: "01-01")
        let wasTaken = { (story: Story) in story.status(at: "03-01").deciding?.endsByTakeback }
        #expect(wasTaken(story) == false)
        #expect(wasTaken(story.refunds("p", at: "01-10")) == true)
        #expect(wasTaken(story.refunds("p", at: "01-10", share: 90_000)) == true, "it had run for more than was paid")
        #expect(wasTaken(story.refunds("p", at: "01-10", share: 50_000)) == false, "it ran for all that was paid")
        #expect(wasTaken(story.refunds("p", at: "01-15 23:59:59.999", share: 50_000)) == false, "a moment was left")
        #expect(wasTaken(story.refunds("p", at: "01-16", share: 50_000)) == true, "it would have gone on")
        #expect(wasTaken(story.refunds("p", at: "02-10")) == false)
        #expect(wasTaken(story.withdraws("p", at: "01-10")) == true)
        #expect(wasTaken(story.withdraws("p", at: "02-10")) == false)
        #expect(story.refunds("p", at: "01-10").status(at: "01-09").deciding?.endsByTakeback == true)
    }
}
