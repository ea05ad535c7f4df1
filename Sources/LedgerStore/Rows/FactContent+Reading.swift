import Entitlements

extension FactContent {
    /// What the row of an entry says beside its content.
    struct Context {
        let kind: FactKind
        let key: PurchaseKey?
        let state: VerifiedPurchase?
        let note: NoteText?
    }

    /// What became of reading a fact.
    enum Reading {
        case fact(Fact)
        /// It was about a device of a person who was erased.
        case erased
        /// The row says what this program would never write.
        case malformed
    }

    /// The fact of a row whose content is `fields`.
    static func read(_ fields: [JSONField], in context: Context) -> Reading {
        switch context.kind {
        case .deviceRegistered, .deviceSuspended, .deviceReactivated, .deviceSeen, .deviceRemoved:
            guard let note = context.note else { return .erased }
            return reading(
                note.device.flatMap { device in deed(fields, context, note).map { .device(.init(device, $0)) } })
        case .evidence: return reading(context.state.map(Fact.evidence))
        case .bound: return reading(context.key.map(Fact.bound))
        case .withdrawn: return reading(context.key.map(Fact.withdrawn))
        case .granted: return reading(context.key.flatMap { grant(fields, of: $0).map(Fact.granted) })
        case .gaveAway:
            return reading(context.key.flatMap { key in handover(fields).map { .gaveAway(key, $0) } })
        case .received:
            return reading(context.key.flatMap { key in handover(fields).map { .received(key, $0) } })
        case .debtLeft:
            return reading(context.key.flatMap { key in debt(fields).map { .debtLeft(key, $0) } })
        case .debtCame:
            return reading(context.key.flatMap { key in debt(fields).map { .debtCame(key, $0) } })
        case .spent, .reserved, .committed, .released:
            return reading(creditAct(fields, context.kind).map(Fact.credit))
        case .sandboxTester: return reading(fields.flag(0).map(Fact.sandboxTester))
        case .consumptionConsent: return reading(fields.flag(0).map(Fact.consumptionConsent))
        }
    }

    private static func reading(_ fact: Fact?) -> Reading { fact.map(Reading.fact) ?? .malformed }

    private static func deed(_ fields: [JSONField], _ context: Context, _ note: NoteText) -> DeviceAct.Deed? {
        switch context.kind {
        case .deviceRegistered: fields.flag(0).map { .registered(name: note.deviceName, isPinned: $0) }
        case .deviceSuspended: .suspended
        case .deviceReactivated: .reactivated
        case .deviceSeen: .seen
        case .deviceRemoved: .removed
        case .evidence, .bound, .granted, .withdrawn, .gaveAway, .received, .debtLeft, .debtCame, .spent, .reserved,
            .committed, .released,
            .sandboxTester, .consumptionConsent:
            nil
        }
    }

    private static func grant(_ fields: [JSONField], of key: PurchaseKey) -> Grant? {
        guard let grantedAt = fields.instant(0), let gift = gift(fields) else { return nil }
        return Grant(key: key, gift: gift, grantedAt: grantedAt)
    }

    private static func gift(_ fields: [JSONField]) -> Grant.Gift? {
        guard let word = fields.text(1), let subject = fields.text(2) else { return nil }
        switch word {
        case "pass": return fields.number(3).map { .pass(tier: TierID(subject), length: $0) }
        case "window": return fields.instant(3).map { .window(tier: TierID(subject), endsAt: $0) }
        case "add_on": return fields.text(3).map { .addOn(ProductID(subject), app: AppID($0)) }
        case "credits":
            let expiresAt = fields.instant(4)
            guard let amount = fields.integer(3), expiresAt != nil || fields.isNull(4) else { return nil }
            return .credits(unit: subject, amount: amount, expiresAt: expiresAt)
        default: return nil
        }
    }

    private static func handover(_ fields: [JSONField]) -> Handover? {
        guard let cause = fields.text(0).flatMap(Handover.Cause.init), let ran = fields.number(1),
            let units = fields.integer(2)
        else { return nil }
        return Handover(
            cause: cause, ran: ran, units: units, refunds: fields.integer(4), request: fields.text(3))
    }

    private static func debt(_ fields: [JSONField]) -> Debt? {
        guard let unit = fields.text(0), let lower = fields.integer(1), let upper = fields.integer(2), lower <= upper
        else { return nil }
        return Debt(unit: unit, refunds: lower..<upper)
    }

    private static func creditAct(_ fields: [JSONField], _ kind: FactKind) -> CreditAct? {
        switch kind {
        case .spent:
            guard let key = fields.text(0), let purse = purse(fields, from: 1), let amount = fields.integer(3),
                let draws = draws(fields, at: 4), let spendableAfter = fields.integer(5)
            else { return nil }
            return .spent(
                Spend(
                    idempotencyKey: key, purse: purse, amount: amount, draws: draws, spendableAfter: spendableAfter))
        case .reserved:
            guard let id = fields.text(0), let key = fields.text(1), let purse = purse(fields, from: 2),
                let amount = fields.integer(4), let expiresAt = fields.instant(5), let draws = draws(fields, at: 6)
            else { return nil }
            return .reserved(
                Reservation(
                    id: ReservationID(id), idempotencyKey: key, purse: purse, amount: amount, expiresAt: expiresAt,
                    draws: draws))
        case .committed:
            guard let id = fields.text(0), let amount = fields.integer(1) else { return nil }
            return .committed(ReservationID(id), amount: amount)
        case .released: return fields.text(0).map { .released(ReservationID($0)) }
        case .evidence, .bound, .granted, .withdrawn, .gaveAway, .received, .debtLeft, .debtCame, .deviceRegistered,
            .deviceSuspended,
            .deviceReactivated, .deviceSeen, .deviceRemoved, .sandboxTester, .consumptionConsent:
            return nil
        }
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
            guard case .list(let fields) = item, let source = fields.text(0).flatMap(Source.init(rawValue:)),
                let app = fields.text(1), let environment = fields.text(2).flatMap(StoreEnvironment.init(rawValue:)),
                let id = fields.text(3), let amount = fields.integer(4)
            else { return nil }
            let lot = PurchaseKey(
                source: source, app: AppID(app), environment: environment, externalID: ExternalID(id))
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

    fileprivate func isNull(_ position: Int) -> Bool { indices.contains(position) && self[position] == .null }
    fileprivate func number(_ position: Int) -> Int64? { text(position).flatMap { Int64($0) } }
    fileprivate func integer(_ position: Int) -> Int? { text(position).flatMap { Int($0) } }
    fileprivate func instant(_ position: Int) -> Instant? { number(position).map(Instant.init(milliseconds:)) }

    fileprivate func flag(_ position: Int) -> Bool? {
        switch text(position) {
        case "true": true
        case "false": false
        default: nil
        }
    }
}
