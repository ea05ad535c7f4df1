import Testing

@testable import Entitlements

/// Random histories of everything that a ledger can hold, held against the promises of `semantics.md` §1 and §2.
@Suite struct HistoryWalkTests {
    private static let seeds = UInt64(0)..<180
    private static let horizon: Int64 = 200

    /// States of a few purchases of all kinds, with dates a day apart so that ties are common.
    private static func states(using random: inout SplitMix64) -> [VerifiedPurchase] {
        (0..<Int.random(in: 1...6, using: &random)).flatMap { number in
            let product =
                [ProductID.pro30, .basic30, .eyes30, .proMonthly, .xyz, .credits100]
                .randomElement(using: &random) ?? .pro30
            let environment: StoreEnvironment = Int.random(in: 0..<5, using: &random) == 0 ? .sandbox : .production
            let purchasedAt = day(Int64.random(in: 0...60, using: &random))
            return (0..<Int.random(in: 1...4, using: &random)).map { copy in
                let signedAt = purchasedAt + Int64.random(in: 0...60, using: &random) * Instant.millisecondsPerDay
                let share = [100_000, 50000, 33333].randomElement(using: &random)
                let isRevoked = copy > 0 && Bool.random(using: &random)
                let revokedAt = max(purchasedAt, signedAt + -3 * Instant.millisecondsPerDay)
                let stretch = Suspension(
                    startsAt: purchasedAt + Int64.random(in: 0...20, using: &random) * Instant.millisecondsPerDay,
                    endsAt: Bool.random(using: &random) ? signedAt : nil)
                let isSuspended = product == .proMonthly && Int.random(in: 0..<3, using: &random) == 0
                return VerifiedPurchase.state(
                    of: "p\(number)", product, type(of: product),
                    transaction: Int.random(in: 0..<4, using: &random) == 0 ? "copy\(number)" : nil,
                    period: product == .proMonthly ? "period\(copy / 2)" : nil, environment: environment,
                    at: purchasedAt, until: purchasedAt + 30 * Instant.millisecondsPerDay,
                    suspension: isSuspended ? stretch : nil,
                    revocation: isRevoked ? Revocation(revokedAt: revokedAt, share: share) : nil, signedAt: signedAt)
            }
        }
    }

    /// What the stores said: the states, and for each chain up to three of its renewal.
    private static func statements(
        with states: [VerifiedPurchase], using random: inout SplitMix64
    ) -> [Fact] {
        let chains = Dictionary(grouping: states.filter { $0.type == .plan }, by: \.key).sorted { $0.key < $1.key }
        let renewals = chains.flatMap { key, states in
            (0..<Int.random(in: 0...3, using: &random)).map { _ in
                let days = { (range: ClosedRange<Int64>, random: inout SplitMix64) in
                    states[0].purchasedAt + Int64.random(in: range, using: &random) * Instant.millisecondsPerDay
                }
                return VerifiedRenewal(
                    key: key, signedAt: days(0...40, &random), willRenew: Bool.random(using: &random),
                    graceEndsAt: Bool.random(using: &random) ? days(25...50, &random) : nil,
                    isInRetry: Bool.random(using: &random),
                    end: Int.random(in: 0..<4, using: &random) == 0 ? .billing : nil)
            }
        }
        return states.map { .stated(.purchase($0)) } + renewals.map { .stated(.renewal($0)) }
    }

    private static func type(of product: ProductID) -> StatedType {
        switch product {
        case .proMonthly: .plan
        case .xyz: .addOn
        case .credits100: .consumable
        default: .pass
        }
    }

    private static func day(_ number: Int64) -> Instant { Instant("01-01") + number * Instant.millisecondsPerDay }

    private static func ledger(
        _ facts: [Fact], using random: inout SplitMix64, startingAt start: Instant = "2027-01-01"
    ) -> UserLedger {
        var ledger = UserLedger(user: .alice)
        for fact in facts {
            ledger.append([.init(fact, at: start)], at: start + Int64.random(in: 0...1000, using: &random))
        }
        return ledger
    }

    /// Everything that a client reads, without when it was learned.
    private static func answers(_ ledger: UserLedger, on days: some Sequence<Int64>) -> [Status] {
        let timeline = Timeline(folding: ledger, given: .pausing, settings: .everyone)
        return days.map { timeline.status(at: day($0)).withoutExplanation }
    }

    @Test func `any order and repetition of the facts folds to the same answers`() {
        for seed in Self.seeds {
            var random = SplitMix64(seed: seed)
            let states = Self.states(using: &random)
            let facts =
                Self.statements(with: states, using: &random) + Set(states.map(\.key)).sorted().map { Fact.bound($0) }
            let days = stride(from: Int64(0), to: 130, by: 13)
            let once = Self.ledger(facts, using: &random)
            let repeated = Self.ledger((facts + facts.prefix(5)).shuffled(using: &random), using: &random)
            // Bindings differ in when they were recorded, which only `ended_before_attached` reads.
            #expect(Self.answers(once, on: days) == Self.answers(repeated, on: days), "seed \(seed)")
            #expect(
                Timeline(folding: once, given: .example, settings: .everyone).subscriptions
                    == Timeline(folding: repeated, given: .example, settings: .everyone).subscriptions, "seed \(seed)")
        }
    }

    /// A ledger in which what is bought or granted also goes away, comes and is withdrawn.
    private static func wanderings(using random: inout SplitMix64) -> UserLedger {
        var story = Story()
        for fact in statements(with: states(using: &random), using: &random) {
            story = story.told(fact, at: "2027-01-01")
        }
        let gifts: [Grant.Gift] = [
            .pass(tier: "pro", length: Pass.length(days: 20, quantity: 1)), .window(tier: "basic", endsAt: day(70)),
            .addOn(.proOnly, app: .vpn), .credits(unit: "credit", amount: 5, expiresAt: nil),
        ]
        for (number, gift) in gifts.shuffled(using: &random).prefix(2).enumerated() {
            let grant = Grant(
                key: .grant("g\(number)"), gift: gift, grantedAt: day(Int64.random(in: 0...60, using: &random)))
            story = story.told(.granted(grant), at: "2027-01-01")
        }
        for key in Set(story.ledger.entries.compactMap(\.fact.purchase)).sorted() {
            var at = Int64.random(in: 0...40, using: &random)
            var ran: Int64 = 0
            let isFirst = Bool.random(using: &random)
            if isFirst { story = story.told(.bound(key), at: day(at)) }
            for number in 0..<Int.random(in: isFirst ? 0...4 : 1...4, using: &random) {
                at += Int64.random(in: 0...20, using: &random)
                ran += Int64.random(in: 0...10, using: &random) * Instant.millisecondsPerDay
                let handover = Handover(cause: .operator, ran: ran)
                let goes = number.isMultiple(of: 2) == isFirst
                story = story.told(goes ? .gaveAway(key, handover) : .received(key, handover), at: day(at))
            }
            if Int.random(in: 0..<5, using: &random) == 0 { story = story.told(.withdrawn(key), at: day(at + 5)) }
        }
        return story.ledger
    }

    @Test(arguments: [false, true]) func `between two changes an answer stays the same`(wandering: Bool) {
        var changes = 0
        for seed in Self.seeds {
            var random = SplitMix64(seed: seed)
            let states = Self.states(using: &random)
            let facts =
                Self.statements(with: states, using: &random) + Set(states.map(\.key)).sorted().map { Fact.bound($0) }
            let ledger = wandering ? Self.wanderings(using: &random) : Self.ledger(facts, using: &random)
            let timeline = Timeline(folding: ledger, given: .pausing, settings: .everyone)
            var at = Self.day(Int64.random(in: -5...120, using: &random))
            for _ in 0..<20 {
                let next = timeline.nextChange(after: at)
                #expect(next > at, "seed \(seed)")
                let length = min(next - at, 40 * Instant.millisecondsPerDay)
                let told = timeline.lasting(at: at)
                for later in [1, length / 2, Int64.random(in: 0..<length, using: &random), length - 1] {
                    #expect(timeline.lasting(at: at + later) == told || later >= length, "seed \(seed), \(at)")
                }
                if next < .distantFuture, timeline.lasting(at: next) != told { changes += 1 }
                at = min(next, Self.day(Self.horizon))
            }
        }
        #expect(changes > 500, "the candidates must be where answers change")
    }

    @Test func `evidence that arrives late changes no answer for an earlier known-at`() throws {
        for seed in Self.seeds {
            var random = SplitMix64(seed: seed)
            let states = Self.states(using: &random)
            let facts =
                (Set(states.map(\.key)).sorted().map { Fact.bound($0) } + Self.statements(with: states, using: &random))
                .shuffled(using: &random)
            let split = facts.count / 2
            let early = Self.ledger(Array(facts.prefix(split)), using: &random)
            var late = early
            let knownAt = try #require(early.entries.last?.recordedAt ?? Instant("2027-01-01"))
            for fact in facts.dropFirst(split) { late.append([.init(fact, at: knownAt)], at: knownAt) }
            #expect(
                Self.answers(late.known(at: knownAt), on: [20, 60]) == Self.answers(early, on: [20, 60]), "seed \(seed)"
            )
        }
    }

    @Test func `evidence that arrives late changes nothing before the earliest instant that it concerns`() throws {
        for seed in Self.seeds {
            var random = SplitMix64(seed: seed)
            var story = Story()
            for number in 0..<Int.random(in: 1...5, using: &random) {
                let product = [ProductID.pro30, .basic30, .eyes30].randomElement(using: &random) ?? .pro30
                story = story.buys("p\(number)", product, at: Self.day(Int64.random(in: 0...60, using: &random)))
            }
            let concerned = Self.day(Int64.random(in: 0...90, using: &random))
            let before = story.timeline()
            let after =
                Bool.random(using: &random)
                ? story.buys("new", [.pro30, .basic30].randomElement(using: &random) ?? .pro30, at: concerned)
                : story.refunds(
                    "p0", at: max(concerned, Self.day(60)), share: 50000,
                    signedAt: max(concerned, Self.day(60)) + Instant.millisecondsPerDay)
            #expect(
                Self.cut(before, at: concerned) == Self.cut(after.timeline(), at: concerned),
                "seed \(seed), from \(concerned.text)")
        }
    }

    /// What was covered before `instant`.
    private static func cut(_ timeline: Timeline, at instant: Instant) -> [String] {
        timeline.planned.filter { $0.segment.startsAt < instant }.map {
            "\($0.segment.key.externalID) \($0.segment.startsAt.text)..\(min($0.segment.endsAt, instant).text)"
        }
    }

    @Test func `a reversal gives back exactly the rest`() {
        for seed in Self.seeds {
            var random = SplitMix64(seed: seed)
            var story = Story()
            for number in 0..<Int.random(in: 1...4, using: &random) {
                story = story.buys("p\(number)", at: Self.day(Int64.random(in: 0...40, using: &random)))
            }
            let refundedAt = Self.day(Int64.random(in: 41...80, using: &random))
            let reversedAt = refundedAt + Int64.random(in: 1...40, using: &random) * Instant.millisecondsPerDay
            let reversed = story.refunds("p0", at: refundedAt).reverses("p0", signedAt: reversedAt).timeline()
            let lengths = reversed.plannedLengths
            #expect(Set(lengths.values) == [30 * Instant.millisecondsPerDay], "seed \(seed)")
        }
    }

    @Test func `a new purchase never lowers the tier at any instant`() {
        for seed in Self.seeds {
            var random = SplitMix64(seed: seed)
            let states = Self.states(using: &random)
            let facts =
                Set(states.map(\.key)).sorted().map { Fact.bound($0) } + Self.statements(with: states, using: &random)
            let before = Timeline(
                folding: Self.ledger(facts, using: &random), given: .example, settings: .everyone)
            let new = VerifiedPurchase.state(
                of: "new", [.pro30, .basic30].randomElement(using: &random) ?? .pro30,
                at: Self.day(Int64.random(in: 0...80, using: &random)))
            let after = Timeline(
                folding: Self.ledger(facts + [.stated(.purchase(new)), .bound(new.key)], using: &random),
                given: .example,
                settings: .everyone)
            let lowered = (Int64(0)...Self.horizon).filter { number in
                before.rank(at: Self.day(number)) > after.rank(at: Self.day(number))
            }
            #expect(lowered == [], "seed \(seed)")
        }
    }
}

extension Status {
    /// The rest of the answer, which does not depend on when anything was learned.
    fileprivate var withoutExplanation: Status {
        Status(
            user: user, isKnown: isKnown, at: at, active: active, tier: tier, tierRank: tierRank,
            expiresAt: expiresAt, accessExpiresAt: accessExpiresAt, state: state, deciding: deciding,
            features: features, limits: limits,
            entitlements: entitlements, segments: segments, addOns: addOns, credits: credits, devices: devices,
            introductoryOffers: introductoryOffers, explanation: [], settings: settings)
    }
}

extension Timeline {
    /// How long each purchase covers altogether.
    fileprivate var plannedLengths: [PurchaseKey: Int64] {
        planned.reduce(into: [:]) { $0[$1.segment.key, default: 0] += $1.segment.endsAt - $1.segment.startsAt }
    }

    /// The highest rank that covers, without grace.
    fileprivate func rank(at instant: Instant) -> Int {
        planned.filter { $0.covers(instant) }.map(\.segment.tierRank).max() ?? 0
    }
}
