import Entitlements

/// A random life of one or two chains: renewals in time, ahead and late, renewal off and on, another product at once or
/// at the renewal, failed billing with and without grace, a higher price, refunds and reversals, suspensions, coming
/// back after an end, a change of owner, and devices that take the seats.
struct RenewalWalk {
    /// What the store said.
    private var statements: [Statement] = []
    /// What became of the ownership of purchases, each at its instant.
    private var acts: [(fact: Fact, at: Instant)] = []
    /// All dates that the facts name.
    private(set) var dates: Set<Instant> = []
    private var random: SplitMix64

    /// What the chain is at while it is made.
    private struct Chain {
        let key: PurchaseKey
        var product: ProductID
        var startsAt: Instant
        var number = 0
        var mayGoOn = true
    }

    init(seed: UInt64) {
        random = SplitMix64(seed: seed)
        for name in ["v", "w"].prefix(Int.random(in: 1...2, using: &random)) {
            var chain = Chain(
                key: .pass(name), product: product(), startsAt: Self.start + hours(0...480))
            while chain.mayGoOn, chain.number < 5 { live(through: &chain) }
            own(chain.key)
        }
        if chance(of: 3) {
            state(.state(of: "p", chance(of: 2) ? .pro30 : .basic30, at: Self.start + hours(0...900)))
            own(.pass("p"))
        }
        register(devices: Int.random(in: 0...4, using: &random))
    }

    static let start: Instant = "01-01"

    /// The ledger in which the statements were learned in the order of a shuffle, and then who has what.
    func ledger(shuffledBy seed: UInt64) -> UserLedger {
        var random = SplitMix64(seed: seed)
        var ledger = UserLedger(user: .alice)
        for statement in statements.shuffled(using: &random) {
            ledger.append([.init(.stated(statement), at: statement.signedAt)], at: "2027-01-01")
        }
        for act in acts { ledger.append([.init(act.fact, at: act.at)], at: "2027-01-01") }
        return ledger
    }

    // MARK: The life of a chain

    private mutating func live(through chain: inout Chain) {
        chain.number += 1
        let endsAt = chain.startsAt + hours(480...960)
        state(period(of: chain, until: endsAt, signedAt: chain.startsAt + hours(-24...30)))
        for _ in 0..<Int.random(in: 0...3, using: &random) {
            say(chain, signedAt: chain.startsAt + hours(0...960), willRenew: chance(of: 2))
        }
        if chance(of: 6) { refund(chain, until: endsAt) }
        if chance(of: 8) { suspend(chain, until: endsAt) }
        switch Int.random(in: 0..<7, using: &random) {
        case 0: upgrade(&chain, until: endsAt)
        case 1, 2: fail(&chain, at: endsAt)
        case 3: end(&chain, at: endsAt)
        case 4: chain.mayGoOn = false
        default:
            if chance(of: 3) { chain.product = product() }
            chain.startsAt = endsAt + (chance(of: 3) ? hours(1...48) : 0)
        }
    }

    /// The old period ends where the new one begins; sometimes one of the two is not known.
    private mutating func upgrade(_ chain: inout Chain, until endsAt: Instant) {
        let upgradedAt = chain.startsAt + hours(1...700)
        if !chance(of: 4) {
            state(period(of: chain, until: endsAt, isUpgraded: true, signedAt: upgradedAt + hours(0...3)))
        }
        chain.product = product()
        chain.startsAt = upgradedAt
        chain.mayGoOn = !chance(of: 4)
    }

    /// With grace or without, and recovered or not.
    private mutating func fail(_ chain: inout Chain, at endsAt: Instant) {
        let graceEndsAt = chance(of: 2) ? endsAt + hours(-24...400) : nil
        say(chain, signedAt: endsAt + hours(0...6), willRenew: true, graceEndsAt: graceEndsAt, isInRetry: true)
        if chance(of: 2) { say(chain, signedAt: endsAt + hours(100...400), willRenew: true, isInRetry: true) }
        chain.startsAt = endsAt + hours(1...500)
        chain.mayGoOn = chance(of: 2)
        if !chain.mayGoOn, chance(of: 2) { say(chain, signedAt: chain.startsAt, willRenew: false, end: .billing) }
    }

    private mutating func end(_ chain: inout Chain, at endsAt: Instant) {
        let end: RenewalEnd? = [.cancelled, .priceIncrease, .unavailable, nil].randomElement(using: &random) ?? nil
        say(chain, signedAt: endsAt + hours(0...12), willRenew: false, end: end)
        chain.product = product()
        chain.startsAt = endsAt + hours(24...2000)
        chain.mayGoOn = chance(of: 2)
    }

    private mutating func refund(_ chain: Chain, until endsAt: Instant) {
        let signedAt = chain.startsAt + hours(1...1200)
        let revokedAt = max(chain.startsAt, signedAt + hours(-48...0))
        state(
            period(
                of: chain, until: endsAt, revocation: Revocation(revokedAt: revokedAt, share: 100_000),
                signedAt: signedAt))
        if chance(of: 2) { state(period(of: chain, until: endsAt, signedAt: signedAt + hours(1...300))) }
    }

    private mutating func suspend(_ chain: Chain, until endsAt: Instant) {
        let startsAt = chain.startsAt + hours(-48...900)
        let suspension = Suspension(startsAt: startsAt, endsAt: chance(of: 2) ? startsAt + hours(0...500) : nil)
        dates.formUnion([suspension.startsAt, suspension.endsAt].compactMap { $0 })
        state(period(of: chain, until: endsAt, suspension: suspension, signedAt: chain.startsAt + hours(31...500)))
    }

    /// Mostly bound and kept; sometimes it goes and perhaps comes back.
    private mutating func own(_ key: PurchaseKey) {
        acts.append((.bound(key), Self.start))
        guard chance(of: 5) else { return }
        let goesAt = Self.start + hours(100...2000)
        acts.append((.gaveAway(key, Handover(cause: .operator)), goesAt))
        dates.insert(goesAt)
        guard chance(of: 2) else { return }
        let comesAt = goesAt + hours(1...1000)
        acts.append((.received(key, Handover(cause: .operator)), comesAt))
        dates.insert(comesAt)
    }

    private mutating func register(devices count: Int) {
        let registered = (0..<count).map { _ in Self.start + hours(0...1500) }.sorted()
        for (number, instant) in registered.enumerated() {
            let deed = DeviceAct.Deed.registered(name: nil, isPinned: false)
            acts.append((.device(DeviceAct(Label("d\(number)"), deed)), instant))
        }
        dates.formUnion(registered)
    }

    // MARK: Statements

    private func period(
        of chain: Chain, until endsAt: Instant, isUpgraded: Bool = false, suspension: Suspension? = nil,
        revocation: Revocation? = nil, signedAt: Instant
    ) -> VerifiedPurchase {
        .state(
            of: chain.key.externalID.text, chain.product, .plan,
            transaction: "\(chain.key.externalID)\(chain.number)", period: "\(chain.number)", at: chain.startsAt,
            until: endsAt, isUpgraded: isUpgraded, offer: chain.number == 1 ? "introductory" : nil,
            milliunits: chain.number == 1 ? 0 : 4990, suspension: suspension, revocation: revocation,
            signedAt: signedAt)
    }

    private mutating func state(_ state: VerifiedPurchase) {
        statements.append(.purchase(state))
        dates.formUnion([state.purchasedAt, state.signedAt])
        dates.formUnion([state.expiresAt, state.revocation?.revokedAt].compactMap { $0 })
    }

    private mutating func say(
        _ chain: Chain, signedAt: Instant, willRenew: Bool, graceEndsAt: Instant? = nil, isInRetry: Bool = false,
        end: RenewalEnd? = nil
    ) {
        let consents: [VerifiedRenewal.PriceConsent?] = [nil, nil, .pending, .given]
        let renewal = VerifiedRenewal(
            key: chain.key, signedAt: signedAt, willRenew: willRenew, renewsInto: chance(of: 2) ? product() : nil,
            graceEndsAt: graceEndsAt, isInRetry: isInRetry, end: end,
            priceConsent: consents.randomElement(using: &random) ?? nil)
        statements.append(.renewal(renewal))
        dates.formUnion([signedAt, graceEndsAt].compactMap { $0 })
    }

    // MARK: Chance

    private mutating func product() -> ProductID {
        [.proMonthly, .basicMonthly, .annual3].randomElement(using: &random) ?? .proMonthly
    }

    private mutating func chance(of number: Int) -> Bool { Int.random(in: 0..<number, using: &random) == 0 }

    /// In milliseconds, mostly whole hours so that ties are common.
    private mutating func hours(_ range: ClosedRange<Int64>) -> Int64 {
        let hours = Int64.random(in: range, using: &random)
        return (chance(of: 4) ? hours : hours / 24 * 24) * Instant.millisecondsPerHour
    }
}
