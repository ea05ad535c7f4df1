import Entitlements

/// The fields of a fact that neither its kind nor its purchase nor its state says: a JSON array in the column `content`.
///
/// Covered by the entry's hash, so the encoding of a kind never changes. Nothing in it names a person: what does stands in
/// the note.
enum FactContent {
    /// Nil for a kind without fields of its own.
    static func of(_ fact: Fact) -> JSONField? {
        switch fact {
        case .evidence, .bound, .withdrawn: nil
        case .granted(let grant): .list(fields(of: grant))
        case .gaveAway(_, let handover), .received(_, let handover):
            .list(
                [
                    .text(handover.cause.rawValue), JSONField(handover.ran), JSONField(handover.units),
                    JSONField(handover.request),
                ] + (handover.refunds.map { [JSONField($0)] } ?? []))
        case .debtLeft(_, let debt), .debtCame(_, let debt):
            .list([.text(debt.unit), JSONField(debt.refunds.lowerBound), JSONField(debt.refunds.upperBound)])
        case .credit(let act): .list(fields(of: act))
        case .device(let act): fields(of: act.deed)
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
                ["credits", .text(unit), JSONField(amount), JSONField(expiresAt.map { String($0.milliseconds) })]
            }
        return [JSONField(grant.grantedAt.milliseconds)] + gift
    }

    private static func fields(of act: CreditAct) -> [JSONField] {
        switch act {
        case .spent(let spend):
            [.text(spend.idempotencyKey)] + fields(of: spend.purse)
                + [JSONField(spend.amount), .list(spend.draws.map(field)), JSONField(spend.spendableAfter)]
        case .reserved(let reservation):
            [.text(reservation.id.text), .text(reservation.idempotencyKey)] + fields(of: reservation.purse)
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
        .list([
            .text(draw.lot.source.rawValue), .text(draw.lot.app.text), .text(draw.lot.environment.rawValue),
            .text(draw.lot.externalID.text), JSONField(draw.amount),
        ])
    }

    private static func fields(of deed: DeviceAct.Deed) -> JSONField? {
        switch deed {
        case .registered(_, let isPinned): .list([JSONField(isPinned)])
        case .suspended, .reactivated, .seen, .removed: nil
        }
    }
}

extension JSONField: ExpressibleByStringLiteral {
    init(stringLiteral value: String) { self = .text(value) }
}
