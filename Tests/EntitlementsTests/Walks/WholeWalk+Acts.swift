import Entitlements

/// What a walk's users, operators and store do; each is done twice, and the answers compared.
extension WholeWalk {
    private static let products: [ProductID] = [
        .pro2, .pro2, .basic3, .basic3, .basic3, .eyes2, .xyz, .proOnly, .seats, .proSeats, .credits6, .credits6,
        .lenient4, .proMonthly, .basicMonthly,
    ]

    private func worth(of sale: Sale) -> QuarterByQuarter.Worth {
        switch sale.product {
        case .pro2: .pass(.pro, length: 8 * sale.quantity)
        case .basic3: .pass(.basic, length: 12 * sale.quantity)
        case .eyes2: .pass(.eyes, length: 8 * sale.quantity)
        case .credits6: .lot(units: 6 * sale.quantity, expiresAt: nil, onShortfall: .debt)
        case .lenient4: .lot(units: 4 * sale.quantity, expiresAt: nil, onShortfall: .writeOff)
        case .proMonthly: .plan(.pro, seats: 2)
        case .basicMonthly: .plan(.basic, seats: nil)
        default: .addOn(sale.product)
        }
    }

    private func type(of product: ProductID) -> StatedType {
        switch product {
        case .pro2, .basic3, .eyes2: .pass
        case .credits6, .lenient4: .consumable
        case .proMonthly, .basicMonthly: .plan
        default: .addOn
        }
    }

    // MARK: What a store signs

    private mutating func sign(
        _ sale: Int, revocation: Revocation? = nil, asCopy: Bool = false, period: Int? = nil, isUpgraded: Bool = false
    ) -> VerifiedPurchase {
        let sold = sales[sale]
        let period = period ?? sold.periods.indices.randomElement(using: &random)
        let quarters = period.map { sold.periods[$0] }
        let transaction = period.map { "\(sold.id).\($0)" } ?? (asCopy ? "\(sold.id).copy" : sold.id)
        let madeAt = QuarterByQuarter.instant(quarters?.lowerBound ?? sold.madeAt)
        let state = VerifiedPurchase.state(
            of: sold.id, sold.product, type(of: sold.product), transaction: transaction,
            period: period.map { "period \($0)" }, environment: sold.environment, at: asCopy ? instant : madeAt,
            originallyAt: madeAt, until: quarters.map { QuarterByQuarter.instant($0.upperBound) },
            quantity: sold.quantity, isUpgraded: isUpgraded, revocation: revocation, account: sold.account,
            signedAt: instant)
        sales[sale].signed.append(state)
        return state
    }

    private func record(_ state: VerifiedPurchase, into model: inout QuarterByQuarter) {
        guard let sale = sales.first(where: { $0.id == state.key.externalID.text }) else { return }
        model.record(state, worth(of: sale), madeAt: sale.madeAt)
    }

    /// A notification, unless it is lost.
    private mutating func notify(_ state: VerifiedPurchase) {
        guard !chance(of: 3) else { return note("unheard: \(state.summary)") }
        note("heard: \(state.summary)")
        world.record(state, at: instant)
        record(state, into: &model)
    }

    private mutating func attach(_ state: VerifiedPurchase, to user: UserID) {
        let proof = anyProof
        let told = world.attach(state, to: user, proof: proof, at: instant, in: claims)
        record(state, into: &model)
        compare(
            "\(user) of \(proof?.summary ?? "no account") attaches \(state.summary)", told.text { "\($0)" },
            model.attach(state.key.externalID.text, to: user, proof: proof, at: now))
    }

    mutating func sell() {
        let product = Self.products.randomElement(using: &random) ?? .pro2
        let madeAt = now - Int.random(in: 0...4, using: &random)
        let isPlan = [.proMonthly, .basicMonthly].contains(product)
        let quantity = chance(of: 6) && [.pro2, .basic3, .credits6, .lenient4].contains(product) ? 2 : 1
        sales.append(
            Sale(
                id: "p\(sales.count)", product: product, madeAt: madeAt, quantity: quantity, account: anyAccount,
                environment: chance(of: 5) ? .sandbox : .production,
                periods: isPlan ? [madeAt..<madeAt + Int.random(in: 4...12, using: &random)] : []))
        let state = sign(sales.count - 1)
        attach(state, to: anyone)
    }

    mutating func attachAgain() {
        guard let state = sales.randomElement(using: &random)?.signed.randomElement(using: &random) else { return }
        attach(state, to: anyone)
    }

    mutating func restore() {
        let user = anyone
        var items: [VerifiedPurchase] = []
        for _ in 0..<Int.random(in: 2...5, using: &random) {
            guard let state = sales.randomElement(using: &random)?.signed.randomElement(using: &random) else { return }
            items.append(state)
        }
        let proof = anyProof
        guard case .success(let verdicts) = world.restore(items, to: user, proof: proof, at: instant, in: claims) else {
            return
        }
        for state in items { record(state, into: &model) }
        let expected = model.restore(items, to: user, proof: proof, at: now)
        compare(
            "\(user) of \(proof?.summary ?? "no account") restores \(items.map(\.summary))",
            "\(verdicts.map(\.text))",
            "\(expected)")
    }

    mutating func refund() {
        guard let sale = sales.indices.randomElement(using: &random) else { return }
        let back = chance(of: 2) ? 0 : Int.random(in: 0...10, using: &random)
        let share = [100_000, 100_000, 50000, 25000, 75000].randomElement(using: &random)
        let revokedAt = QuarterByQuarter.instant(max(sales[sale].madeAt, now - back))
        notify(
            sign(sale, revocation: Revocation(revokedAt: revokedAt, share: share), asCopy: mayCopy(sale)))
    }

    mutating func reverse() {
        guard let sale = sales.indices.randomElement(using: &random) else { return }
        notify(sign(sale, asCopy: mayCopy(sale)))
    }

    private mutating func mayCopy(_ sale: Int) -> Bool {
        sales[sale].periods.isEmpty && type(of: sales[sale].product) != .consumable && chance(of: 5)
    }

    mutating func renew() {
        let due = sales.indices.filter { index in sales[index].periods.last.map { $0.upperBound <= now + 4 } ?? false }
        guard let sale = due.randomElement(using: &random), let last = sales[sale].periods.last else { return }
        let start = last.upperBound + (chance(of: 4) ? Int.random(in: 1...6, using: &random) : 0)
        sales[sale].periods.append(start..<start + Int.random(in: 4...12, using: &random))
        notify(sign(sale, period: sales[sale].periods.count - 1))
    }

    /// The period that runs gives way to another one.
    mutating func upgrade() {
        let running = sales.indices.filter { index in
            sales[index].periods.last.map { $0.lowerBound < now && now < $0.upperBound } ?? false
        }
        guard let sale = running.randomElement(using: &random) else { return }
        notify(sign(sale, period: sales[sale].periods.count - 1, isUpgraded: true))
        sales[sale].periods.append(now..<now + Int.random(in: 4...12, using: &random))
        notify(sign(sale, period: sales[sale].periods.count - 1))
    }

    // MARK: Credits

    private var anyPurse: Purse { mutating get { chance(of: 5) ? .sandbox : .credit } }

    mutating func spend() {
        let purse = anyPurse
        let (user, amount) = (anyone, Int.random(in: 1...6, using: &random))
        let key: Label = "key \(Int.random(in: 0..<12, using: &random))"
        let told = world.apply(
            DrawCredits(.of(amount), from: purse, of: user, idempotencyKey: key, request: .asking(amount, purse))
                .spend(given: world.history(at: instant), in: catalogue, under: settings), at: instant)
        compare(
            "\(user) spends \(amount) of \(purse.environment) under \(key)", told.text(\.text),
            model.spend(amount, from: purse, key, of: user, at: now))
    }

    mutating func reserve() {
        let purse = anyPurse
        let (user, amount) = (anyone, Int.random(in: 1...5, using: &random))
        let id = "r\(reservations.count)"
        let key: Label = "key \(Int.random(in: 0..<12, using: &random))"
        let quarters = Int.random(in: 1...8, using: &random)
        reservations.append((user, id))
        let told = world.apply(
            DrawCredits(
                .of(amount), from: purse, of: user, idempotencyKey: key, request: .asking(amount, purse, quarters)
            )
            .reserve(
                for: .of(quarters * 21600), as: ReservationID(id), given: world.history(at: instant), in: catalogue,
                under: settings), at: instant)
        compare(
            "\(user) reserves \(amount) of \(purse.environment) under \(key) for \(quarters)",
            told.text { QuarterByQuarter.text(of: $0) },
            model.reserve(id, amount, from: purse, key, for: quarters, of: user, at: now))
    }

    mutating func endReservation() {
        guard let (user, id) = reservations.suffix(4).randomElement(using: &random) else { return }
        let history = world.history(at: instant)
        guard chance(of: 2) else {
            let amount = chance(of: 2) ? nil : Int.random(in: 1...4, using: &random)
            let told = world.apply(
                CommitReservation(ReservationID(id), of: user, amount: amount.map { .of($0) })
                    .decide(given: history, in: catalogue, under: settings), at: instant)
            return compare(
                "\(user) commits \(amount ?? 0) of \(id)", told.text(\.text),
                model.commit(id, amount, of: user, at: now))
        }
        let told = world.apply(
            ReleaseReservation(ReservationID(id), of: user).decide(given: history, in: catalogue, under: settings),
            at: instant)
        compare("\(user) releases \(id)", told.text(\.text), model.release(id, of: user, at: now))
    }

    // MARK: Devices

    mutating func touchDevice() {
        let (user, name) = (anyone, "d\(Int.random(in: 0..<6, using: &random))")
        let isPinned = chance(of: 3)
        let deed =
            [
                DeviceAct.Deed.registered(name: nil, isPinned: isPinned), .registered(name: nil, isPinned: isPinned),
                .registered(name: nil, isPinned: isPinned), .seen, .suspended, .reactivated, .removed,
            ].randomElement(using: &random) ?? .seen
        let expected = model.act(deed, on: name, of: user, at: now)
        compare("\(user) does \(deed) to \(name)", told(deed, Label(stringLiteral: name), user), expected)
    }

    private mutating func told(_ deed: DeviceAct.Deed, _ id: Label, _ user: UserID) -> String {
        let history = world.history(at: instant)
        let told: Result<Device?, DeviceRefusal>
        if case .registered(_, let isPinned) = deed {
            let use = RegisterDevice(id, of: user, isPinned: isPinned)
            told = world.apply(use.decide(given: history, in: catalogue, under: settings), at: instant).map(\.device)
        } else {
            let changes: [DeviceAct.Deed: ChangeDevice.Change] = [
                .reactivated: .reactivate, .seen: .see, .suspended: .suspend, .removed: .remove,
            ]
            let use = ChangeDevice(changes[deed] ?? .see, of: id, of: user)
            told = world.apply(use.decide(given: history, in: catalogue, under: settings), at: instant)
        }
        switch told {
        case .success(let device?) where deed != .removed: return "\(device.id) \(device.state.text)"
        case .success: return "removed"
        case .failure(.seatLimitReached(let seats)): return "\(seats.active) of \(seats.allowed)"
        case .failure(.tooManyDevices): return "too many"
        case .failure(.unknownDevice): return "unknown"
        }
    }

    // MARK: Operators

    mutating func grant() {
        let isAgain = chance(of: 8) && !grants.isEmpty
        let (user, id) = isAgain ? grants[grants.count - 1] : (anyone, "g\(grants.count)")
        let isPro = Bool.random(using: &random)
        let days = Int.random(in: 1...3, using: &random)
        let until = now + Int.random(in: 1...12, using: &random)
        let amount = Int.random(in: 1...5, using: &random)
        let addOn = [ProductID.xyz, .proOnly, .seats].randomElement(using: &random) ?? .xyz
        let expires = chance(of: 3) ? nil : until
        let gifts: [(OperatorAct.Offer, QuarterByQuarter.Worth)] = [
            (.addDays(days, of: isPro ? "pro" : "basic"), .pass(isPro ? .pro : .basic, length: 4 * days)),
            (
                .until(QuarterByQuarter.instant(until), of: isPro ? "pro" : "basic"),
                .window(isPro ? .pro : .basic, until: until)
            ),
            (
                .credits(amount, unit: "credit", expiresAt: expires.map { QuarterByQuarter.instant($0) }),
                .lot(units: amount, expiresAt: expires, onShortfall: .debt)
            ), (.addOn(addOn), .addOn(addOn)),
        ]
        guard let (offer, worth) = gifts.randomElement(using: &random) else { return }
        if !isAgain { grants.append((user, id)) }
        let told = world.apply(
            OperatorAct(on: user, note: .support)
                .give(offer, as: ExternalID(id), given: world.history(at: instant), in: fold), at: instant)
        model.grant(id, worth, to: user, at: now)
        compare("\(user) gets \(offer)", told.text { $0.key.externalID.text }, id)
    }

    mutating func withdrawGrant() {
        guard let id = grants.randomElement(using: &random)?.id else { return }
        let user = holder(of: .grant(id))
        let told = world.apply(
            OperatorAct(on: user, note: .support)
                .withdraw(.grant(id), given: world.history(at: instant), in: fold), at: instant)
        let since = model.revoke(id, of: user, at: now).map { QuarterByQuarter.instant($0).text }
        compare("\(user) loses \(id)", told.text(\.at.text), since ?? "unknown_grant")
    }

    mutating func withdrawPurchase() {
        guard let key = sales.randomElement(using: &random)?.signed.first?.key else { return }
        let user = holder(of: key)
        let told = world.apply(
            OperatorAct(on: user, note: .support).withdraw(key, given: world.history(at: instant), in: fold),
            at: instant)
        let since = model.revoke(key.externalID.text, of: user, at: now).map { QuarterByQuarter.instant($0).text }
        compare("\(user) loses \(key.externalID)", told.text(\.at.text), since ?? "unknown_purchase")
    }

    /// Whoever has it, or now and then somebody else.
    private mutating func holder(of key: PurchaseKey) -> UserID {
        let user = anyone
        return chance(of: 6) ? user : world.owners[key] ?? user
    }

    mutating func move() {
        let keys = world.owners.keys.sorted()
        guard let key = keys.randomElement(using: &random) else { return }
        move(key.externalID.text, from: holder(of: key), to: anyone)
    }

    mutating func moveAll() { move(nil, from: anyone, to: anyone) }

    mutating func nameTester() {
        let (user, isTester) = (anyone, Bool.random(using: &random))
        let told = world.apply(
            OperatorAct(on: user, note: .support).nameSandboxTester(isTester, given: world.history(at: instant)),
            at: instant)
        if isTester || model.testers[user] != nil { model.testers[user] = isTester }
        compare("\(user) becomes a tester", "\(told)", "\(Result<Bool, OperatorRefusal>.success(isTester))")
    }

    mutating func merge() {
        let (guest, user) = (anyone, anyone)
        let isKnown = model.knows(guest)
        let told = world.apply(
            OperatorAct(on: user, note: .support)
                .merge(guest, mentionedAs: "guest", given: world.history(at: instant), in: fold), at: instant)
        let moved = guest == user || !isKnown ? nil : model.move(nil, from: guest, to: user, at: now)
        compare(
            "\(guest) goes into \(user)", told.text { "\($0.map(\.externalID.text))" },
            guest == user ? "same_user" : moved.map { "\($0)" } ?? "unknown_guest")
    }

    private mutating func move(_ id: String?, from giver: UserID, to receiver: UserID) {
        let isKnown = id != nil || model.knows(giver)
        let told = world.move(
            id.map { .one(.named($0)) } ?? .all, from: giver, to: receiver, at: instant, in: fold)
        let moved = giver == receiver || !isKnown ? nil : model.move(id, from: giver, to: receiver, at: now)
        compare(
            "\(id ?? "all") goes from \(giver) to \(receiver)", told.text { "\($0.map(\.externalID.text))" },
            giver == receiver ? "same_user" : moved.map { "\($0)" } ?? "unknown_purchase")
    }
}

extension VerifiedPurchase {
    /// Such as `p1 100000 since 01-03 signed 01-04`.
    fileprivate var summary: String {
        let taken = revocation.map { " \($0.share ?? -1) since \($0.revokedAt.text)" } ?? ""
        return "\(transactionID) \(key.environment) \(productID) of \(purchasedAt.text)\(taken) signed \(signedAt.text)"
    }
}

extension SpendReceipt {
    /// As `QuarterByQuarter` writes it.
    fileprivate var text: String { QuarterByQuarter.receipt(spent, draws, spendable: spendable, debt: debt) }
}

extension Restore.Verdict {
    fileprivate var text: String {
        switch self {
        case .claimed(let claim): "\(claim)"
        case .duplicateInRequest: "duplicate"
        case .refused(let refusal): refusal.rawValue
        }
    }
}

extension Result where Failure: RawRepresentable<String> {
    /// The refusal by its code.
    fileprivate func text(_ reply: (Success) -> String) -> String {
        switch self {
        case .success(let success): reply(success)
        case .failure(let refusal): refusal.rawValue
        }
    }
}
