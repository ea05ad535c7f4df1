import EntitlementAPI
import Entitlements
import Hummingbird
import LedgerStore

/// `GET /dashboard/purchase`: a purchase that nobody has, and what is known of it.
enum PurchasePage {
    /// The link to the page of a purchase.
    static func link(to key: PurchaseKey) -> Link {
        Link(
            "purchase",
            query: [
                ("source", key.source.text), ("app", key.app.text), ("environment", key.environment.rawValue),
                ("id", key.externalID.text),
            ])
    }

    /// The words of the link to a purchase of nobody: what the reader may do there.
    static func unbound(_ visit: SignedVisit) -> Phrase {
        visit.member.role.allows(Bind.scope) ? .settleBind : .nobody
    }

    /// The purchase that a link or a form names; nil if it names none.
    static func key(in form: FormText) -> PurchaseKey? {
        guard let environment = StoreEnvironment(rawValue: form["environment"]), !form["id"].isEmpty else { return nil }
        return PurchaseKey(
            source: Source(form["source"]), app: AppID(form["app"]), environment: environment,
            externalID: ExternalID(form["id"]))
    }

    /// - Throws: `not_found` for a purchase that is not recorded, `unavailable`.
    static func show(_ visit: SignedVisit) async throws(Problem) -> Response {
        try await page(visit, visit.query, as: FormID(new: visit), refusal: nil)
    }

    /// `POST /dashboard/purchase/bind`: the preview of giving the purchase to the user who was typed.
    ///
    /// - Throws: `not_found` for a purchase that is not recorded, `unavailable`.
    static func bind(_ visit: SignedVisit, _ form: FormText) async throws(Problem) -> Response {
        guard let user = UserID(form["user"]) else {
            return try await page(
                visit, form, as: FormID(in: form) ?? FormID(new: visit),
                refusal: ActRefusal(.refusedUser, field: "user"))
        }
        return try await ActPages<Bind>.preview(visit, user, form)
    }

    private static func page(
        _ visit: SignedVisit, _ form: FormText, as formID: FormID, refusal: ActRefusal?
    ) async throws(Problem) -> Response {
        guard let key = key(in: form) else { throw Problem(.notFound, "") }
        let found = try await visit.served { try await $0.reports.purchase(key) }
        let catalogue = try await visit.served { $0.catalogue.snapshot }
        guard let found else { throw Problem(.notFound, "") }
        if let owner = found.owner { return .redirected(to: Link("users", owner.text)) }
        let words = visit.words
        let names = Names(words: words, catalogue: catalogue)
        let sheet = FormSheet(
            action: Link("purchase", "bind"), formID: formID, fields: fields(key, form, words), refusal: refusal)
        return visit.page(key.externalID.text, status: refusal == nil ? .ok : .unprocessableContent) {
            Tag.div(.class("person")) {
                Tag.h1 {
                    words.text(.foundPurchase) + " "
                    Tag.code { key.externalID.text }
                    Shell.sandbox(words, if: key.environment)
                }
            }
            sheet.banner(words)
            Tag.div(.class("act")) {
                Shell.panel("what", words.text(.purchaseOfNobody)) {
                    Tag.p { words.text(found.isOfErased ? .refusedErased : .purchaseOfNobodyText) }
                    Tag.ul(.class("list")) {
                        fact(.columnWhat, Tag.bdi { name(of: found, names) }, words)
                        fact(.columnBought, words.cell(found.newest?.purchasedAt, orElse: .dash), words)
                        fact(.columnPaid, paid(found.payments.first, words), words)
                        let state: Phrase = found.states.revocation == nil ? .orderPaid : .stateRefunded
                        fact(.columnState, Markup(words.text(state)), words)
                        fact(.columnSource, Markup(names.source(key.source)), words)
                        fact(.app, Tag.code { key.app.text }, words)
                        fact(.columnNumber, Tag.code { key.externalID.text }, words)
                    }
                }
                if visit.member.role.allows(Bind.scope), !found.isOfErased {
                    Shell.panel("bind", words.text(Bind.title)) {
                        Tag.div(.class("panel-body")) {
                            sheet.markup(
                                words, token: visit.browser.formToken, button: words.text(.previewButton))
                        }
                    }
                }
            }
        }
    }

    private static func fields(_ key: PurchaseKey, _ form: FormText, _ words: Words) -> [FormField] {
        Bind.fields(of: key) + [
            FormField(
                name: "user", label: words.text(.fieldUser), value: form["user"], hint: words.text(.userHint),
                longest: UserID.maximumLength),
            FormField(
                name: "reason", kind: .paragraph, label: words.text(.fieldReason), value: form["reason"],
                hint: words.text(.reasonHint), longest: Note.longestReason),
        ]
    }

    private static func fact(_ name: Phrase, _ value: Markup, _ words: Words) -> Markup {
        Tag.li {
            Tag.span(.class("muted")) { words.text(name) }
            Tag.span { value }
        }
    }

    /// The name of a purchase that is known by its states alone.
    static func name(of purchase: RecordedPurchase, _ names: Names) -> String {
        if let state = purchase.newest {
            let product = names.catalogue.products(
                named: state.productNames, from: state.key.source, for: state.key.app
            ).last
            return names.product(product?.id, of: state.key) ?? product?.id.text ?? state.productID.text
        }
        switch purchase.grant?.gift {
        case .pass(let tier, let length)?:
            return names.words.text(
                .namePass, ["tier": names.tier(tier), "length": names.words.length(length)])
        case .window(let tier, _)?: return names.words.text(.nameWindow, ["tier": names.tier(tier)])
        case .addOn(let product, _)?: return names.addOn(product)
        case .credits(let unit, let amount, _)?:
            return names.words.text(.nameCredits, ["n": names.words.number(amount), "unit": unit])
        case nil: return purchase.key.externalID.text
        }
    }

    /// The newest payment of a purchase, and what went back of it.
    static func paid(_ payment: Payment?, _ words: Words) -> Markup {
        guard let payment, let paid = payment.paid else { return Markup("–") }
        let amount = words.money(paid, payment.currency, isRaw: payment.isRaw)
        guard payment.refunded > 0 else { return Markup(amount) }
        let back = words.money(payment.refunded, payment.currency, isRaw: payment.isRaw)
        return Markup(amount) + Tag.small(.class("bad")) { words.text(.paidBack, ["amount": back]) }
    }
}
