import Entitlements
import Testing

/// Random histories of purses, held against single units and against the promises of `semantics.md` §1 and §4.
@Suite struct CreditWalkTests {
    private static let seeds = UInt64(0)..<60
    private static let horizon: Int64 = 60

    private static func instant(_ number: Int64) -> Instant { Instant("01-01") + number }

    /// A lot and when this server learns of each of its states.
    private struct Supply {
        let key: PurchaseKey
        let lot: CreditLot
        let states: [(state: VerifiedPurchase, knownAt: Instant)]

        init(_ number: Int, using random: inout SplitMix64) {
            let creditedAt = instant(Int64.random(in: 0...30, using: &random))
            let id = "lot\(number)"
            let first = VerifiedPurchase.state(of: id, .credits100, .consumable, at: creditedAt)
            let isPromotional = Int.random(in: 0..<3, using: &random) == 0
            var states = [(first, creditedAt)]
            for _ in 0..<Int.random(in: 0...4, using: &random) {
                let signedAt = creditedAt + Int64.random(in: 0...30, using: &random)
                let share =
                    isPromotional || Bool.random(using: &random) ? 100_000 : Int.random(in: 1...100_000, using: &random)
                let revokedAt = max(creditedAt, signedAt + Int64.random(in: -9...0, using: &random))
                let isRevoked = isPromotional || Bool.random(using: &random)
                guard !isPromotional || Int.random(in: 0..<4, using: &random) == 0 else { continue }
                states.append(
                    (
                        first.with(
                            revocation: isRevoked ? Revocation(revokedAt: revokedAt, share: share) : nil,
                            signedAt: signedAt), signedAt + Int64.random(in: 0...20, using: &random)
                    ))
            }
            self.states = states
            key = first.key
            lot = CreditLot(
                unit: "credit", environment: .production, credited: Int.random(in: 1...9, using: &random),
                creditedAt: creditedAt,
                expiresAt: isPromotional ? creditedAt + Int64.random(in: 1...25, using: &random) : nil,
                onShortfall: !isPromotional && Int.random(in: 0..<4, using: &random) == 0 ? .writeOff : .debt,
                share: .untouched)
        }

        /// The holding as the states that are known by `instant` make it; nil before the first.
        func holding(knownAt instant: Instant) -> LotHolding? {
            let known = states.filter { $0.knownAt <= instant }.map(\.state)
            guard !known.isEmpty else { return nil }
            let lot = CreditLot(
                unit: lot.unit, environment: lot.environment, credited: lot.credited, creditedAt: lot.creditedAt,
                expiresAt: lot.expiresAt, onShortfall: lot.onShortfall, share: ShareTrack(of: known))
            return LotHolding(lot, of: key, stakes: [.init(0..<lot.credited, startsAt: lot.creditedAt)])
        }
    }

    /// Lots, and acts that were accepted with what was known when they were asked for.
    private struct Walk {
        var supplies: [Supply]
        var entries: [CreditEntry] = []

        init(using random: inout SplitMix64) {
            supplies = []
            for number in 0..<Int.random(in: 1...7, using: &random) { supplies.append(Supply(number, using: &random)) }
            for number in 0..<horizon where Int.random(in: 0..<3, using: &random) == 0 {
                act(at: instant(number), using: &random)
            }
        }

        func facts(knownAt instant: Instant) -> PurseFacts {
            PurseFacts(
                of: .credit, holdings: supplies.compactMap { $0.holding(knownAt: instant) }.reversed(),
                entries: entries.filter { $0.effectiveAt <= instant })
        }

        private mutating func act(at now: Instant, using random: inout SplitMix64) {
            let state = facts(knownAt: now).state(at: now)
            let held = entries.compactMap { entry -> Reservation? in
                guard case .reserved(let reservation) = entry.act, reservation.expiresAt > now else { return nil }
                return entries.contains { $0.act.ends == reservation.id } ? nil : reservation
            }
            let amount = Int.random(in: 1...12, using: &random)
            switch (Int.random(in: 0..<6, using: &random), held.randomElement(using: &random)) {
            case (0, let reservation?):
                let amount = Int.random(in: 1...reservation.amount, using: &random)
                entries.append(CreditEntry(.committed(reservation.id, amount: amount), at: now))
            case (1, let reservation?): entries.append(CreditEntry(.released(reservation.id), at: now))
            case (2, _), (3, _):
                guard let draws = state.draws(of: amount) else { return }
                let reservation = Reservation(
                    id: ReservationID("\(entries.count)"), idempotencyKey: "", request: "", purse: .credit,
                    amount: amount,
                    expiresAt: now + Int64.random(in: 1...20, using: &random), draws: draws)
                entries.append(CreditEntry(.reserved(reservation), at: now))
            case (_, _):
                guard let draws = state.draws(of: amount) else { return }
                let spend = Spend(
                    idempotencyKey: "", request: "", purse: .credit, amount: amount, draws: draws,
                    spendableAfter: state.spendable - amount)
                entries.append(CreditEntry(.spent(spend), at: now))
            }
        }
    }

    @Test func `the fold agrees with single units`() {
        var seen: Set<String> = []
        for seed in Self.seeds {
            var random = SplitMix64(seed: seed)
            let walk = Walk(using: &random)
            for knownAt in [Self.instant(25), Self.instant(45), .distantFuture] {
                let facts = walk.facts(knownAt: knownAt)
                var single = UnitByUnit(facts, from: Self.instant(0))
                for number in 0..<Self.horizon + 30 {
                    single.tick()
                    let state = facts.state(at: Self.instant(number))
                    #expect(state.text == single.text, "seed \(seed), at \(number), known at \(knownAt)")
                    #expect(state.balance.isSound, "seed \(seed), at \(number)")
                    guard state.text == single.text else { return }
                    seen.formUnion(state.balance.kinds)
                    if state.lots.contains(where: { $0.repaid > 0 }) { seen.insert("repaid") }
                }
            }
        }
        #expect(seen == ["debt", "repaid", "refunded", "expired", "spent", "reserved", "written off"])
    }

    @Test func `a spend draws only units that nobody else drew`() {
        for seed in Self.seeds {
            var random = SplitMix64(seed: seed)
            let walk = Walk(using: &random)
            for (position, entry) in walk.entries.enumerated() {
                guard let draws = entry.act.drawn else { continue }
                let before = PurseFacts(
                    of: .credit, holdings: walk.facts(knownAt: entry.effectiveAt).holdings,
                    entries: Array(walk.entries.prefix(position)))
                var single = UnitByUnit(before, from: Self.instant(0))
                while single.at < entry.effectiveAt { single.tick() }
                let drawable = Dictionary(uniqueKeysWithValues: single.drawable.map { ($0.lot, $0.units) })
                #expect(draws.allSatisfy { 0 < $0.amount && $0.amount <= drawable[$0.lot] ?? 0 }, "seed \(seed)")
            }
        }
    }

    /// Nothing but the instants, so that a list in another order or an answer in between tells nothing new.
    @Test func `between two changes a balance stays the same`() {
        for seed in Self.seeds {
            var random = SplitMix64(seed: seed)
            let facts = Walk(using: &random).facts(knownAt: .distantFuture)
            var last = facts.state(at: Self.instant(-1)).text
            for number in 0..<Self.horizon + 30 {
                let text = facts.state(at: Self.instant(number)).text
                let hasChanged = facts.nextChange(after: Self.instant(number - 1)) == Self.instant(number)
                #expect(text == last || hasChanged, "seed \(seed), at \(number)")
                last = text
            }
        }
    }
}

extension CreditAct {
    /// What it draws, if it draws anything.
    fileprivate var drawn: [Draw]? {
        switch self {
        case .spent(let spend): spend.draws
        case .reserved(let reservation): reservation.draws
        case .committed, .released: nil
        }
    }

    /// The reservation that it ends.
    fileprivate var ends: ReservationID? {
        switch self {
        case .committed(let id, _), .released(let id): id
        case .spent, .reserved: nil
        }
    }
}

extension CreditBalance {
    /// What it has of.
    fileprivate var kinds: [String] {
        let all = [
            ("debt", debt), ("refunded", refunded), ("expired", expired), ("spent", spent), ("reserved", reserved),
            ("written off", writtenOff),
        ]
        return all.filter { $0.1 > 0 }.map(\.0)
    }
}
