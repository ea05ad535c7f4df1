import EntitlementAPI
import Entitlements
import LedgerStore

/// The grant that one of the forms asks for.
private func grant(
    _ offer: OperatorAct.Offer, _ path: String, _ values: [String], _ desk: Desk, button: String, done: String
) -> Result<Proposal, ActRefusal> {
    desk.reason().flatMap { reason in
        desk.reference().map { reference in
            let id = desk.formID.label(
                .request, of: path, by: desk.visit.member, [desk.user.text] + values + [reason, reference],
                under: desk.labels)
            let act = desk.principal.give(offer, as: ExternalID(id.text), reason: reason, reference: reference)
            return Proposal(
                act: PreparedAct(act) { ActRefusal($0) }, button: button, done: done)
        }
    }
}

extension Desk {
    fileprivate var tierField: FormField {
        let tiers = catalogue.tiers.filter { $0.id != catalogue.defaultTier }.sorted { $0.rank > $1.rank }
        let options = tiers.map { FormField.Option(value: $0.id.text, label: names.tier($0.id)) }
        let present = timeline.status(at: visit.now).tier?.text
        let value =
            [form.exact("tier"), present ?? ""].first { text in options.contains { $0.value == text } }
            ?? options.first?.value ?? ""
        return FormField(
            name: "tier", kind: options.count > 4 ? .list(options) : .choice(options), label: words.text(.fieldTier),
            value: value)
    }

    fileprivate func instant(_ name: String) -> Result<Instant, ActRefusal> {
        words.instant(typed: form[name]).map { .success($0) }
            ?? .failure(ActRefusal(.refusedInstant, field: name))
    }
}

/// Gives days of a tier, as `POST /api/admin/users/{user_id}/grants` does with `add_days`.
enum GiveDays: PersonAct {
    static let path = "give-days"
    static let title = Phrase.actGiveDays
    static let hint = Phrase.actGiveDaysText

    static func fields(_ desk: Desk) -> [FormField] {
        let most = desk.words.number(CatalogueCheck.maximumDays)
        return [
            desk.tierField,
            FormField(
                name: "days", kind: .number, label: desk.words.text(.fieldDays), value: desk.form["days"],
                hint: desk.words.text(.daysHint, ["n": most]) + " " + desk.words.text(.daysQueue)),
            desk.reasonField, desk.referenceField,
        ]
    }

    static func read(_ desk: Desk) -> Result<Proposal, ActRefusal> {
        desk.number("days", in: 1...CatalogueCheck.maximumDays, orElse: .daysHint).flatMap { days in
            let tier = TierID(desk.form.exact("tier"))
            let values = [
                "days": desk.words.count(days, .oneDay, .days), "tier": desk.names.tier(tier),
            ]
            return grant(
                .addDays(days, of: tier), path, [tier.text, String(days)], desk,
                button: desk.words.text(.giveDaysButton, values), done: desk.words.text(.giveDaysDone, values))
        }
    }
}

/// Gives a tier until an instant.
enum GiveUntil: PersonAct {
    static let path = "give-until"
    static let title = Phrase.actGiveUntil
    static let hint = Phrase.actGiveUntilText

    static func fields(_ desk: Desk) -> [FormField] {
        [
            desk.tierField,
            FormField(
                name: "until", label: desk.words.text(.fieldUntil), value: desk.form["until"],
                hint: desk.words.text(.instantHint), longest: 40),
            desk.reasonField, desk.referenceField,
        ]
    }

    static func read(_ desk: Desk) -> Result<Proposal, ActRefusal> {
        desk.instant("until").flatMap { end in
            let tier = TierID(desk.form.exact("tier"))
            let values = ["date": desk.words.date(end), "tier": desk.names.tier(tier)]
            return grant(
                .until(end, of: tier), path, [tier.text, String(end.milliseconds)], desk,
                button: desk.words.text(.giveUntilButton, values), done: desk.words.text(.giveUntilDone, values))
        }
    }
}

/// Gives an add-on.
enum GiveAddOn: PersonAct {
    static let path = "give-add-on"
    static let title = Phrase.actGiveAddOn
    static let hint = Phrase.actGiveAddOnText

    private static func addOns(_ desk: Desk) -> [Product] {
        desk.catalogue.products.filter { $0.terms.kind == .addOn && $0.source == .appleIAP }
    }

    private static func name(_ product: Product) -> String { product.app.text + " " + product.id.text }

    static func fields(_ desk: Desk) -> [FormField] {
        let options = addOns(desk).map { product in
            FormField.Option(
                value: name(product),
                label: desk.names.addOn(product.id)
                    + (desk.catalogue.apps.count > 1 ? " · " + product.app.text : ""))
        }
        return [
            FormField(
                name: "product", kind: .list(options), label: desk.words.text(.fieldProduct),
                value: desk.form.exact("product")),
            desk.reasonField, desk.referenceField,
        ]
    }

    static func read(_ desk: Desk) -> Result<Proposal, ActRefusal> {
        guard let product = addOns(desk).first(where: { name($0) == desk.form.exact("product") }) else {
            return .failure(ActRefusal(.refusedProduct, field: "product"))
        }
        let values = ["name": desk.names.addOn(product.id)]
        return grant(
            .addOn(product.id, app: product.app), path, [name(product)], desk,
            button: desk.words.text(.giveAddOnButton, values), done: desk.words.text(.giveAddOnDone, values))
    }
}

/// Gives credits.
enum GiveCredits: PersonAct {
    static let path = "give-credits"
    static let title = Phrase.actGiveCredits
    static let hint = Phrase.actGiveCreditsText

    static func fields(_ desk: Desk) -> [FormField] {
        let units = Set(
            desk.catalogue.products.compactMap { product -> String? in
                guard case .consumable(let unit, _, _) = product.terms else { return nil }
                return unit
            })
        let most = desk.words.number(CatalogueCheck.maximumAmount)
        return [
            FormField(
                name: "unit", kind: .list(units.sorted().map { FormField.Option(value: $0, label: $0) }),
                label: desk.words.text(.fieldUnit), value: desk.form.exact("unit")),
            FormField(
                name: "amount", kind: .number, label: desk.words.text(.fieldAmount), value: desk.form["amount"],
                hint: desk.words.text(.amountHint, ["n": most])),
            FormField(
                name: "expires_at", label: desk.words.text(.fieldExpiry), value: desk.form["expires_at"],
                hint: desk.words.text(.instantHint), isOptional: true, longest: 40),
            desk.reasonField, desk.referenceField,
        ]
    }

    static func read(_ desk: Desk) -> Result<Proposal, ActRefusal> {
        desk.number("amount", in: 1...CatalogueCheck.maximumAmount, orElse: .amountHint).flatMap { amount in
            var end: Instant?
            if !desk.form["expires_at"].isEmpty {
                switch desk.instant("expires_at") {
                case .success(let instant): end = instant
                case .failure(let refusal): return .failure(refusal)
                }
            }
            let unit = desk.form.exact("unit")
            let values = ["n": desk.words.number(amount), "unit": unit]
            return grant(
                .credits(amount, unit: unit, expiresAt: end), path,
                [unit, String(amount), end.map { String($0.milliseconds) } ?? ""], desk,
                button: desk.words.text(.giveCreditsButton, values), done: desk.words.text(.giveCreditsDone, values))
        }
    }
}

/// Grants a late pass again from now on, as `POST …/make-good` does.
enum MakeGood: PersonAct {
    static let path = "make-good"
    static let title = Phrase.actMakeGood
    static let hint = Phrase.actMakeGoodText

    private static func late(_ desk: Desk) -> [Purchase] {
        let dispositions = desk.timeline.dispositions(at: desk.visit.now)
        return desk.held { dispositions[$0.key] == .endedBeforeAttached }
    }

    static func fields(_ desk: Desk) -> [FormField] {
        [desk.purchaseField(of: late(desk)), desk.reasonField, desk.referenceField]
    }

    static func read(_ desk: Desk) -> Result<Proposal, ActRefusal> {
        desk.purchase(of: late(desk)).flatMap { purchase in
            desk.reason().flatMap { reason in
                desk.reference().map { reference in
                    let act = desk.principal.makeGood(
                        purchase.key, reason: reason, reference: reference, under: desk.labels)
                    let values = ["name": desk.names.purchase(purchase)]
                    return Proposal(
                        act: PreparedAct(act) { ActRefusal($0) },
                        button: desk.words.text(.makeGoodButton, values),
                        done: desk.words.text(.makeGoodDone, values))
                }
            }
        }
    }
}
