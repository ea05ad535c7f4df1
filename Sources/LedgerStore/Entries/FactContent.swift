import Entitlements

/// The encoding of a fact: a JSON array in the column `content`, read according to the column `kind`.
///
/// The entry's hash covers it, so the encoding of a kind never changes. It names no person: people's names are labels
/// in it, and words are in `notes`.
enum FactContent {
    static func of(_ fact: Fact) -> JSONField {
        switch fact {
        case .stated(let statement): StatementContent.of(statement)
        case .bound(let key), .withdrawn(let key): .list([KeyContent.of(key)])
        case .granted(let grant): .list([KeyContent.of(grant.key)] + fields(of: grant))
        case .gaveAway(let key, let handover), .received(let key, let handover):
            .list([
                KeyContent.of(key), .text(handover.cause.rawValue), JSONField(handover.ran), JSONField(handover.units),
                JSONField(handover.request?.text),
            ])
        case .credit(let act): .list(fields(of: act))
        case .device(let act): .list([.text(act.device.text)] + fields(of: act.deed))
        case .sandboxTester(let flag), .consumptionConsent(let flag): .list([JSONField(flag)])
        }
    }

    private static func fields(of grant: Grant) -> [JSONField] {
        let gift: [JSONField] =
            switch grant.gift {
            case .pass(let tier, let length): ["pass", .text(tier.text), JSONField(length)]
            case .window(let tier, let endsAt): ["window", .text(tier.text), JSONField(endsAt.milliseconds)]
            case .addOn(let product, let app): ["add_on", .text(product.text), .text(app.text)]
            case .credits(let unit, let amount, let expiresAt):
                ["credits", .text(unit), JSONField(amount), JSONField(expiresAt)]
            }
        return [JSONField(grant.grantedAt.milliseconds)] + gift
    }

    private static func fields(of act: CreditAct) -> [JSONField] {
        switch act {
        case .spent(let spend):
            [.text(spend.idempotencyKey.text), .text(spend.request.text)] + fields(of: spend.purse)
                + [JSONField(spend.amount), .list(spend.draws.map(field)), JSONField(spend.spendableAfter)]
        case .reserved(let reservation):
            [
                .text(reservation.id.text), .text(reservation.idempotencyKey.text), .text(reservation.request.text),
            ] + fields(of: reservation.purse)
                + [
                    JSONField(reservation.amount), JSONField(reservation.expiresAt.milliseconds),
                    .list(reservation.draws.map(field)),
                ]
        case .committed(let id, let amount): [.text(id.text), JSONField(amount)]
        case .released(let id): [.text(id.text)]
        }
    }

    private static func fields(of purse: Purse) -> [JSONField] {
        [.text(purse.unit), .text(purse.environment.rawValue)]
    }

    private static func field(of draw: Draw) -> JSONField {
        .list([KeyContent.of(draw.lot), JSONField(draw.amount)])
    }

    private static func fields(of deed: DeviceAct.Deed) -> [JSONField] {
        switch deed {
        case .registered(let name, let isPinned): [JSONField(name?.text), JSONField(isPinned)]
        case .suspended, .reactivated, .seen, .removed: []
        }
    }
}

extension JSONField: ExpressibleByStringLiteral {
    init(stringLiteral value: String) { self = .text(value) }
}
