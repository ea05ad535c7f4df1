import Entitlements
import Testing

/// Random histories of seats and devices, held against `HourByHour` and the promises of `semantics.md` §8.
@Suite struct DeviceWalkTests {
    private static let seeds = UInt64(0)..<50
    private static let horizon = 900

    private static func hour(_ number: Int) -> Instant {
        Instant("01-01") + Int64(number) * Instant.millisecondsPerHour
    }

    // MARK: Histories

    private static func model(using random: inout SplitMix64) -> HourByHour {
        var model = HourByHour()
        model.grace = [0, 5, 24].randomElement(using: &random) ?? 24
        model.leeway = [0, 0, 10].randomElement(using: &random) ?? 0
        model.plans = (0..<Int.random(in: 0...6, using: &random)).map { _ in
            let from = Int.random(in: 0...600, using: &random)
            let length = Int.random(in: 1...(Bool.random(using: &random) ? 300 : 30), using: &random)
            return HourByHour.Plan(seats: Int.random(in: 1...6, using: &random), from: from, until: from + length)
        }
        if Bool.random(using: &random) {
            let from = Int.random(in: 0...400, using: &random)
            model.pass = HourByHour.Pass(
                isPro: Bool.random(using: &random), from: from,
                refundedAt: Bool.random(using: &random) ? from + Int.random(in: 1...500, using: &random) : nil)
        }
        model.addOns = (0..<Int.random(in: 0...2, using: &random)).map { _ in
            let from = Int.random(in: 0...600, using: &random)
            let refundedAt = Bool.random(using: &random) ? from + Int.random(in: 1...200, using: &random) : nil
            return HourByHour.AddOn(
                requiresPro: Bool.random(using: &random), from: from, refundedAt: refundedAt,
                reversedAt: Bool.random(using: &random)
                    ? refundedAt.map { $0 + Int.random(in: 1...100, using: &random) } : nil)
        }
        if Bool.random(using: &random) { model.editedAt = Int.random(in: 0...800, using: &random) }
        return model
    }

    /// Acts that no decision was asked about, as evidence that comes late may leave them.
    private static func acts(using random: inout SplitMix64) -> [HourByHour.Act] {
        (0..<Int.random(in: 1...40, using: &random)).map { _ in Int.random(in: 0...800, using: &random) }.sorted()
            .map { hour in
                let isPinned = Int.random(in: 0..<4, using: &random) == 0
                let deed =
                    [
                        DeviceAct.Deed.registered(name: nil, isPinned: isPinned),
                        .registered(name: nil, isPinned: isPinned), .registered(name: nil, isPinned: isPinned),
                        .seen, .seen, .suspended, .reactivated, .removed,
                    ].randomElement(using: &random) ?? .seen
                return HourByHour.Act(
                    hour: hour, device: "d\(Int.random(in: 0..<6, using: &random))", deed: deed)
            }
    }

    /// The evidence of the model's purchases, all known from the start.
    private static func story(of model: HourByHour) -> Story {
        var story = Story()
        let early: Instant = "2025-12-01"
        for (number, plan) in model.plans.enumerated() {
            story = story.attaches(
                .state(
                    of: "plan\(number)", .plan(plan.seats), .plan, at: hour(plan.from), until: hour(plan.until)
                ), at: early)
        }
        if let pass = model.pass {
            story = story.buys("pass", pass.isPro ? .pro30 : .basic30, at: hour(pass.from), attachedAt: early)
            if let refundedAt = pass.refundedAt {
                story = story.refunds("pass", at: hour(refundedAt), recordedAt: early)
            }
        }
        for (number, addOn) in model.addOns.enumerated() {
            let id = "add-on\(number)"
            story = story.buys(
                id, addOn.requiresPro ? "pro.seats" : .seats, at: hour(addOn.from), type: .addOn,
                attachedAt: early)
            if let at = addOn.refundedAt { story = story.refunds(id, at: hour(at), recordedAt: early) }
            if let at = addOn.reversedAt { story = story.reverses(id, signedAt: hour(at), recordedAt: early) }
        }
        return story
    }

    private static func catalogue(of model: HourByHour) -> CatalogueVersions {
        let catalogue = Catalogue.plans(adding: [
            Product(
                id: "pro.seats", app: .vpn,
                terms: .addOn(features: [], requires: "pro", seats: 3, familyShareable: false))
        ])
        let first = CatalogueVersions.Version(number: 1, effectiveAt: .distantPast, catalogue: catalogue)
        guard model.editedAt < Int.max else { return CatalogueVersions(first: first) }
        let edited = Catalogue(
            apps: [], tiers: [Tier(id: "basic", rank: 1, devices: 2), Tier(id: "pro", rank: 2, devices: 3)],
            products: catalogue.products)
        return CatalogueVersions(
            first: first, later: [.init(number: 2, effectiveAt: hour(model.editedAt), catalogue: edited)])
    }

    private static func settings(of model: HourByHour) -> EntitlementSettings {
        EntitlementSettings(
            sandboxAccess: .everyone, renewalLeewayHours: model.leeway, seatGraceHours: model.grace)
    }

    private static func timeline(of ledger: UserLedger, _ model: HourByHour) -> Timeline {
        Timeline(folding: ledger, given: catalogue(of: model), settings: settings(of: model))
    }

    /// A history with acts, and the model of it.
    private static func history(_ seed: UInt64) -> (timeline: Timeline, model: HourByHour, random: SplitMix64) {
        var random = SplitMix64(seed: seed)
        var model = model(using: &random)
        model.acts = acts(using: &random)
        let told = model.acts.reduce(story(of: model)) { story, act in
            story.does(act.deed, to: Label(stringLiteral: act.device), at: hour(act.hour))
        }
        return (timeline(of: told.ledger, model), model, random)
    }

    // MARK: Promises

    @Test func `the fold agrees with the rule taken hour by hour`() {
        var suspensions = 0
        for seed in Self.seeds {
            var (timeline, model, random) = Self.history(seed)
            let expected = model.run(until: Self.horizon)
            var hours = (0..<40).map { _ in Int.random(in: 0..<Self.horizon, using: &random) }
            hours += expected.indices.dropFirst().filter { expected[$0] != expected[$0 - 1] }
            for number in Set(hours).sorted() {
                for later in [0, Instant.millisecondsPerHour - 1] {
                    let devices = timeline.devices(at: Self.hour(number) + later)
                    #expect(devices.lines == expected[number], "seed \(seed), hour \(number)")
                    #expect(devices.seats.allowed == model.allowed(number), "seed \(seed), hour \(number)")
                }
                suspensions += expected[number].count { $0.hasSuffix("by limit") }
            }
        }
        #expect(suspensions > 500, "the limit must have had work")
    }

    @Test func `never are more active than the largest allowed within the grace, and nobody waits for a free seat`() {
        for seed in Self.seeds {
            let (timeline, model, _) = Self.history(seed)
            for number in stride(from: 0, to: Self.horizon, by: 7) {
                let devices = timeline.devices(at: Self.hour(number))
                let seats = devices.seats
                #expect(seats.active <= model.limit(number), "seed \(seed), hour \(number)")
                #expect(seats.active + seats.suspended == devices.count)
                let isWaiting = devices.onRecord.contains { $0.state == .suspended(by: .limit) }
                #expect(!isWaiting || seats.active >= seats.allowed, "seed \(seed), hour \(number)")
            }
        }
    }

    @Test func `every change of the devices is announced`() {
        for seed in Self.seeds {
            let (timeline, model, _) = Self.history(seed)
            let expected = model.run(until: Self.horizon)
            for number in expected.indices.dropFirst()
            where expected[number] != expected[number - 1] || model.allowed(number) != model.allowed(number - 1) {
                #expect(
                    timeline.nextChange(after: Self.hour(number) + -1) == Self.hour(number),
                    "seed \(seed), hour \(number)")
            }
        }
    }

    @Test func `between two changes the devices stay the same`() {
        for seed in Self.seeds {
            let (timeline, _, _) = Self.history(seed)
            var at = Self.hour(-10)
            for _ in 0..<15 {
                let next = timeline.nextChange(after: at)
                guard next < .distantFuture else { break }
                let (now, last) = (timeline.devices(at: at), timeline.devices(at: next + -1))
                #expect(now.onRecord == last.onRecord && now.seats == last.seats, "seed \(seed), \(at.text)")
                at = next
            }
        }
    }

    // MARK: Decisions

    /// Asks for something at `now`, enters what is decided, and checks the answer against the devices before and after.
    private static func ask(
        _ ledger: inout UserLedger, _ model: HourByHour, at now: Instant, using random: inout SplitMix64
    ) {
        let id = Label(stringLiteral: "d\(Int.random(in: 0..<8, using: &random))")
        let (catalogue, settings) = (catalogue(of: model), settings(of: model))
        let before = timeline(of: ledger, model).devices(at: now)
        let isFree = before.seats.active < before.seats.allowed
        let history = ledger.history(now: now)
        switch Int.random(in: 0..<9, using: &random) {
        case 0...3:
            let use = RegisterDevice(id, of: .alice, isPinned: Bool.random(using: &random) ? true : nil)
            let answer = ledger.enter(use.decide(given: history, in: catalogue, under: settings), at: now)
            let isAccepted = before[id] != nil || isFree
            #expect((try? answer.get()) != nil || !isAccepted)
            #expect(isAccepted || answer == .failure(.seatLimitReached(before.seats)))
            #expect((try? answer.get()).map { $0.device == timeline(of: ledger, model).devices(at: now)[id] } ?? true)
        case 4...5:
            let use = ChangeDevice(.reactivate, of: id, of: .alice)
            let answer = ledger.enter(use.decide(given: history, in: catalogue, under: settings), at: now)
            #expect((answer == .failure(.unknownDevice)) == (before[id] == nil))
            let isAccepted = before[id]?.state == .active || isFree
            #expect(answer.map(\.?.state) == .success(.active) || before[id] == nil || !isAccepted)
        case 6:
            _ = ledger.enter(
                ChangeDevice(.suspend, of: id, of: .alice).decide(given: history, in: catalogue, under: settings),
                at: now)
        case 7:
            _ = ledger.enter(
                ChangeDevice(.see, of: id, of: .alice).decide(given: history, in: catalogue, under: settings), at: now)
        default:
            _ = ledger.enter(
                ChangeDevice(.remove, of: id, of: .alice).decide(given: history, in: catalogue, under: settings),
                at: now)
        }
    }

    @Test func `decisions never give a seat that is not there, and later ones change no earlier answer`() {
        var entered = 0
        for seed in Self.seeds {
            var random = SplitMix64(seed: seed)
            let model = Self.model(using: &random)
            var ledger = Self.story(of: model).ledger
            let evidence = ledger.entries.count
            let hours = (0..<40).map { _ in Int.random(in: 0..<Self.horizon, using: &random) }.sorted()
            var told: [Instant: [Device]] = [:]
            for number in hours {
                Self.ask(&ledger, model, at: Self.hour(number), using: &random)
                let later = Self.hour(number) + Instant.millisecondsPerHour / 2
                let devices = Self.timeline(of: ledger, model).devices(at: later)
                #expect(devices.seats.active <= model.limit(number), "seed \(seed), hour \(number)")
                told[later] = devices.onRecord
            }
            entered += ledger.entries.count - evidence
            let whole = Self.timeline(of: ledger, model)
            for (instant, devices) in told {
                #expect(whole.devices(at: instant).onRecord == devices, "seed \(seed), \(instant.text)")
                let known = Self.timeline(of: ledger.known(at: instant), model)
                #expect(known.devices(at: instant).onRecord == devices, "seed \(seed), \(instant.text)")
            }
        }
        #expect(entered > 300, "there must be something to decide")
    }
}
