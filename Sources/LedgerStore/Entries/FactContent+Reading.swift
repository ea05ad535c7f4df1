import Entitlements

extension FactContent {
    /// The fact that a row's content encodes; nil for content that this program never writes.
    static func read(_ fields: [JSONField], of kind: FactKind) -> Fact? {
        switch kind {
        case .purchaseState: StatementContent.purchase(fields).map { .stated(.purchase($0)) }
        case .renewalState: StatementContent.renewal(fields).map { .stated(.renewal($0)) }
        case .bound: fields.count == 1 ? KeyContent.read(fields, at: 0).map(Fact.bound) : nil
        case .withdrawn: KeyContent.read(fields, at: 0).map(Fact.withdrawn)
        case .granted: grant(fields).map(Fact.granted)
        case .gaveAway: handover(fields).map(Fact.gaveAway)
        case .received: handover(fields).map(Fact.received)
        case .spent: spend(fields).map { .credit(.spent($0)) }
        case .reserved: reservation(fields).map { .credit(.reserved($0)) }
        case .committed: committed(fields).map(Fact.credit)
        case .released: fields.text(0).map { .credit(.released(ReservationID($0))) }
        case .deviceRegistered:
            fields.flag(2).flatMap { isPinned in
                device(fields, .registered(name: fields.text(1).map { Label($0) }, isPinned: isPinned))
            }
        case .deviceSuspended: device(fields, .suspended)
        case .deviceReactivated: device(fields, .reactivated)
        case .deviceSeen: device(fields, .seen)
        case .deviceRemoved: device(fields, .removed)
        case .sandboxTester: fields.flag(0).map(Fact.sandboxTester)
        case .consumptionConsent: fields.flag(0).map(Fact.consumptionConsent)
        }
    }

    private static func device(_ fields: [JSONField], _ deed: DeviceAct.Deed) -> Fact? {
        fields.text(0).map { .device(DeviceAct(Label($0), deed)) }
    }

    private static func grant(_ fields: [JSONField]) -> Grant? {
        guard let key = KeyContent.read(fields, at: 0), let grantedAt = fields.instant(1), let gift = gift(fields)
        else { return nil }
        return Grant(key: key, gift: gift, grantedAt: grantedAt)
    }

    private static func gift(_ fields: [JSONField]) -> Grant.Gift? {
        guard let word = fields.text(2), let subject = fields.text(3) else { return nil }
        switch word {
        case "pass": return fields.number(4).map { .pass(tier: TierID(subject), length: $0) }
        case "window": return fields.instant(4).map { .window(tier: TierID(subject), endsAt: $0) }
        case "add_on": return fields.text(4).map { .addOn(ProductID(subject), app: AppID($0)) }
        case "credits":
            let expiresAt = fields.instant(5)
            guard let amount = fields.integer(4), expiresAt != nil || fields.isNull(5) else { return nil }
            return .credits(unit: subject, amount: amount, expiresAt: expiresAt)
        default: return nil
        }
    }

    private static func handover(_ fields: [JSONField]) -> (PurchaseKey, Handover)? {
        guard let key = KeyContent.read(fields, at: 0), let cause = fields.text(1).flatMap(Handover.Cause.init),
            let ran = fields.number(2), let units = fields.integer(3)
        else { return nil }
        let request = fields.text(4).map { Label($0) }
        return (key, Handover(cause: cause, ran: ran, units: units, request: request))
    }

    private static func spend(_ fields: [JSONField]) -> Spend? {
        guard let key = fields.text(0), let request = fields.text(1), let purse = purse(fields, from: 2),
            let amount = fields.integer(4), let draws = draws(fields, at: 5), let spendableAfter = fields.integer(6)
        else { return nil }
        return Spend(
            idempotencyKey: Label(key), request: Label(request), purse: purse, amount: amount, draws: draws,
            spendableAfter: spendableAfter)
    }

    private static func reservation(_ fields: [JSONField]) -> Reservation? {
        guard let id = fields.text(0), let key = fields.text(1), let request = fields.text(2),
            let purse = purse(fields, from: 3), let amount = fields.integer(5), let expiresAt = fields.instant(6),
            let draws = draws(fields, at: 7)
        else { return nil }
        return Reservation(
            id: ReservationID(id), idempotencyKey: Label(key), request: Label(request), purse: purse, amount: amount,
            expiresAt: expiresAt, draws: draws)
    }

    private static func committed(_ fields: [JSONField]) -> CreditAct? {
        guard let id = fields.text(0), let amount = fields.integer(1) else { return nil }
        return .committed(ReservationID(id), amount: amount)
    }

    private static func purse(_ fields: [JSONField], from first: Int) -> Purse? {
        guard let unit = fields.text(first),
            let environment = fields.text(first + 1).flatMap(StoreEnvironment.init(rawValue:))
        else { return nil }
        return Purse(unit: unit, environment: environment)
    }

    private static func draws(_ fields: [JSONField], at position: Int) -> [Draw]? {
        guard let items = fields.list(position) else { return nil }
        var draws: [Draw] = []
        for item in items {
            guard case .list(let fields) = item, let lot = KeyContent.read(fields, at: 0),
                let amount = fields.integer(1)
            else { return nil }
            draws.append(Draw(lot: lot, amount: amount))
        }
        return draws
    }
}

extension [JSONField] {
    func text(_ position: Int) -> String? {
        guard indices.contains(position), case .text(let text) = self[position] else { return nil }
        return text
    }

    func list(_ position: Int) -> [JSONField]? {
        guard indices.contains(position), case .list(let fields) = self[position] else { return nil }
        return fields
    }

    func isNull(_ position: Int) -> Bool { indices.contains(position) && self[position] == .null }
    func number(_ position: Int) -> Int64? { text(position).flatMap { Int64($0) } }
    func integer(_ position: Int) -> Int? { text(position).flatMap { Int($0) } }
    func instant(_ position: Int) -> Instant? { number(position).map(Instant.init(milliseconds:)) }

    func flag(_ position: Int) -> Bool? {
        switch text(position) {
        case "true": true
        case "false": false
        default: nil
        }
    }
}
