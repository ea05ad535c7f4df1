import Entitlements

/// What users do with credits.
extension QuarterByQuarter {
    /// A user's credits in one environment, at the end of a quarter.
    func purse(_ environment: StoreEnvironment, of user: UserID, at now: Int) -> UnitByUnit {
        var units = UnitByUnit(
            lots(environment, of: user).map { lot($0, of: user) }, acts(environment, of: user),
            from: Self.instant(0), by: Self.length)
        for _ in 0...max(0, now) { units.tick() }
        return units
    }

    /// What a user did with the credits of one environment.
    func acts(_ environment: StoreEnvironment, of user: UserID) -> [CreditEntry] {
        (credits[user] ?? []).filter { entry in
            switch entry.act {
            case .spent(let spend): spend.purse.environment == environment
            case .reserved(let reservation): reservation.purse.environment == environment
            case .committed(let id, _), .released(let id):
                reservation(id.text, of: user)?.purse.environment == environment
            }
        }
    }

    /// The lots that a user has or had, in the order of drawing.
    func lots(_ environment: StoreEnvironment, of user: UserID) -> [Thing] {
        let lots = things.filter { thing in
            thing.worth.units > 0 && thing.key.environment == environment && thing.stays.contains { $0.user == user }
        }
        return lots.sorted {
            ($0.worth.expiresAt ?? .max, $0.madeAt, $0.id) < ($1.worth.expiresAt ?? .max, $1.madeAt, $1.id)
        }
    }

    private func lot(_ thing: Thing, of user: UserID) -> UnitByUnit.Lot {
        let starts = thing.stays.map { max($0.from, thing.madeAt) }
        let places = thing.stays.indices.filter { thing.stays[$0].user == user }
        return UnitByUnit.Lot(
            key: thing.key, expiresAt: thing.worth.expiresAt.map(Self.instant), onShortfall: thing.worth.onShortfall,
            coming: { instant in
                let quarter = Self.quarter(of: instant)
                return places.reduce(0) { $0 + (starts[$1] == quarter ? thing.stays[$1].units : 0) }
            },
            going: { instant in
                let quarter = Self.quarter(of: instant)
                return places.dropLast(places.last == thing.stays.count - 1 ? 1 : 0)
                    .reduce(0) { $0 + (starts[$1 + 1] == quarter ? thing.stays[$1].leftUnits : 0) }
            },
            due: { Self.due(of: thing, at: Self.quarter(of: $0)).reduce(0) { $0 + ($1.user == user ? $1.units : 0) } })
    }

    /// What of a refund is asked of each stay in a quarter: whoever had the lot last gives first, up to what they hold.
    private static func due(of thing: Thing, at quarter: Int) -> [(user: UserID, units: Int)] {
        let begun = thing.stays.filter { max($0.from, thing.madeAt) <= quarter }
        var rest = (thing.worth.units * thing.share(quarter) + 50000) / 100_000
        return begun.indices.reversed().map { index in
            let held = begun[index].units - (index == begun.count - 1 ? 0 : begun[index].leftUnits)
            let due = min(rest, held)
            rest -= due
            return (begun[index].user, due)
        }
    }

    private func entry(_ key: Label, of user: UserID) -> CreditAct? {
        credits[user]?.map(\.act).first { act in
            switch act {
            case .spent(let spend): spend.idempotencyKey == key
            case .reserved(let reservation): reservation.idempotencyKey == key
            case .committed, .released: false
            }
        }
    }

    /// Where units are drawn from, or why not.
    private func draws(
        of amount: Int, from units: UnitByUnit, _ environment: StoreEnvironment, of user: UserID
    ) -> Result<[Draw], DrawRefusal> {
        guard counts(environment, for: user) else { return .failure(.insufficientCredits) }
        guard units.debt == 0 else { return .failure(.inDebt) }
        guard amount <= units.spendable else { return .failure(.insufficientCredits) }
        var rest = amount
        return .success(
            units.drawable.compactMap { lot, drawable in
                let taken = min(rest, drawable)
                rest -= taken
                return taken > 0 ? Draw(lot: lot, amount: taken) : nil
            })
    }

    mutating func spend(_ amount: Int, from purse: Purse, _ key: Label, of user: UserID, at now: Int) -> String {
        if let first = entry(key, of: user) {
            guard case .spent(let spend) = first, spend.amount == amount, spend.purse == purse else {
                return "idempotency_key_reused"
            }
            return Self.receipt(amount, spend.draws, spendable: spend.spendableAfter, debt: 0)
        }
        let units = self.purse(purse.environment, of: user, at: now)
        switch draws(of: amount, from: units, purse.environment, of: user) {
        case .failure(let refusal): return refusal.rawValue
        case .success(let draws):
            let spend = Spend(
                idempotencyKey: key, request: .asking(amount, purse), purse: purse, amount: amount, draws: draws,
                spendableAfter: units.spendable - amount)
            credits[user, default: []].append(CreditEntry(.spent(spend), at: Self.instant(now)))
            return Self.receipt(amount, draws, spendable: spend.spendableAfter, debt: 0)
        }
    }

    mutating func reserve(
        _ id: String, _ amount: Int, from purse: Purse, _ key: Label, for quarters: Int, of user: UserID, at now: Int
    ) -> String {
        if let first = entry(key, of: user) {
            guard case .reserved(let reservation) = first, reservation.amount == amount, reservation.purse == purse,
                let made = credits[user]?.first(where: { $0.act == first }),
                made.effectiveAt + Int64(quarters) * Self.length == reservation.expiresAt
            else { return "idempotency_key_reused" }
            return Self.text(of: reservation)
        }
        let units = self.purse(purse.environment, of: user, at: now)
        switch draws(of: amount, from: units, purse.environment, of: user) {
        case .failure(let refusal): return refusal.rawValue
        case .success(let draws):
            let reservation = Reservation(
                id: ReservationID(id), idempotencyKey: key, request: .asking(amount, purse, quarters), purse: purse,
                amount: amount,
                expiresAt: Self.instant(now + quarters), draws: draws)
            credits[user, default: []].append(CreditEntry(.reserved(reservation), at: Self.instant(now)))
            return Self.text(of: reservation)
        }
    }

    /// Commits some of a reservation, or all.
    mutating func commit(_ id: String, _ amount: Int?, of user: UserID, at now: Int) -> String {
        guard let reservation = reservation(id, of: user) else { return "unknown_reservation" }
        let units = amount ?? reservation.amount
        switch end(of: id, user) {
        case .released?: return "already_released"
        case .committed(_, let committed)? where committed != units: return "already_committed"
        case .committed?, .spent?, .reserved?: break
        case nil:
            if reservation.expiresAt <= Self.instant(now) { return "reservation_ended" }
            guard units <= reservation.amount else { return "exceeds_reservation" }
            credits[user, default: []].append(
                CreditEntry(.committed(reservation.id, amount: units), at: Self.instant(now)))
        }
        var rest = units
        let spent = reservation.draws.compactMap { draw -> Draw? in
            let taken = min(rest, draw.amount)
            rest -= taken
            return taken > 0 ? Draw(lot: draw.lot, amount: taken) : nil
        }
        return receipt(spent, from: reservation.purse, of: user, at: now)
    }

    mutating func release(_ id: String, of user: UserID, at now: Int) -> String {
        guard let reservation = reservation(id, of: user) else { return "unknown_reservation" }
        switch end(of: id, user) {
        case .committed?: return "already_committed"
        case .released?, .spent?, .reserved?: break
        case nil where reservation.expiresAt <= Self.instant(now): break
        case nil: credits[user, default: []].append(CreditEntry(.released(reservation.id), at: Self.instant(now)))
        }
        return receipt([], from: reservation.purse, of: user, at: now)
    }

    private func reservation(_ id: String, of user: UserID) -> Reservation? {
        credits[user]?.lazy.compactMap { entry in
            guard case .reserved(let reservation) = entry.act, reservation.id.text == id else { return nil }
            return reservation
        }.first
    }

    private func end(of id: String, _ user: UserID) -> CreditAct? {
        credits[user]?.map(\.act).first { act in
            switch act {
            case .committed(let ended, _), .released(let ended): ended.text == id
            case .spent, .reserved: false
            }
        }
    }

    private func receipt(_ draws: [Draw], from purse: Purse, of user: UserID, at now: Int) -> String {
        let units = self.purse(purse.environment, of: user, at: now)
        return Self.receipt(
            draws.reduce(0) { $0 + $1.amount }, draws, spendable: units.spendable, debt: units.debt)
    }

    static func receipt(_ spent: Int, _ draws: [Draw], spendable: Int, debt: Int) -> String {
        "\(spent) spent from \(draws.map(\.text)), \(spendable) left, \(debt) owed"
    }

    static func text(of reservation: Reservation) -> String {
        "\(reservation.id) of \(reservation.draws.map(\.text)) until \(reservation.expiresAt.text)"
    }
}
