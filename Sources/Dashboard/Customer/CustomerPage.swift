import EntitlementAPI
import Entitlements
import Hummingbird
import LedgerStore

/// `GET /dashboard/users/{user_id}`: whether this person has access, from what, until when, and why.
///
/// With `at` and `known_at` the whole page shows another moment. Reading it changes nothing.
enum CustomerPage {
    /// - Throws: `not_found` for a malformed user id, `rate_limited` if too many reads about the user wait,
    ///   `unavailable`.
    static func show(_ visit: SignedVisit) async throws(Problem) -> Response {
        guard let user = visit.visit.call.named("user_id").flatMap({ UserID($0) }) else { throw Problem(.notFound, "") }
        return try await visit.inTurn(at: .operators(user)) { () async throws(Problem) in
            try await page(of: user, visit)
        }
    }

    private static func page(of user: UserID, _ visit: SignedVisit) async throws(Problem) -> Response {
        let words = visit.words
        let moment = CustomerMoment(visit.query, words)
        let seesAudit = visit.member.role.allows(.audit)
        let customer = try await visit.served {
            try await Customer(user, at: moment, in: $0, seesAudit: seesAudit)
        }
        let names = Names(words: words, catalogue: customer.timeline.catalogue)
        var view = CustomerView(
            customer: customer, names: names, range: LaneScale.Range(rawValue: visit.query["range"]),
            factsBefore: Int(visit.query["facts"]), boughtAfter: Int(visit.query["bought"]) ?? 0,
            mayAct: visit.member.role.allows(.write) && moment.isNow)
        let paid = view.paidKeys
        view.payments = try await visit.served { try await customer.payments(for: paid, in: $0) }
        return visit.page(user.text) { [view] in
            view.head
            visit.doneBanner
            if moment.isMistyped { view.mistyped }
            if !moment.isNow { view.asOfBanner }
            view.verdict
            if moment.isNow, !customer.status.active { view.wouldChange }
            view.lane
            view.entitlements
            Tag.div(.class("columns")) {
                Tag.div {
                    view.givesNothing
                    view.timeline
                }
                Tag.div {
                    view.credits
                    view.devices
                    view.related
                }
            }
            Tag.div(.class("halves")) {
                view.deliveries
                view.audit
            }
        }
    }
}

/// The parts of the customer page.
struct CustomerView {
    let customer: Customer
    let names: Names
    let range: LaneScale.Range?
    /// The number of the fact before which the timeline begins; nil for the newest.
    let factsBefore: Int?
    /// The number of purchases that earlier pages of the table showed.
    let boughtAfter: Int
    /// True if the reader may act on the person, and sees the present.
    let mayAct: Bool
    /// The payments for the purchases that the page shows.
    var payments: [PurchaseKey: [Payment]] = [:]

    var words: Words { names.words }
    var moment: CustomerMoment { customer.moment }

    /// A link to this page with other values of the query.
    func link(_ changes: [(name: String, value: String)], fragment: String = "") -> Link {
        Link("users", customer.user.text, query: moment.query + changes, fragment: fragment)
    }

    var figure: LaneFigure {
        LaneFigure(
            drawing: customer.drawing, timeline: customer.timeline, names: names,
            scale: LaneScale(customer.drawing, asked: range)
        ) { link([("range", $0.rawValue)], fragment: "lane") }
    }

    /// The number by which the drawing names a purchase.
    func number(_ key: PurchaseKey, in figure: LaneFigure) -> Markup {
        guard figure.isNumbered, let number = customer.drawing.number(of: key) else { return .nothing }
        return Tag.span(.class("number")) { String(number) }
    }

    // MARK: Head

    var head: Markup {
        let app = customer.timeline.catalogue.latest.catalogue.apps.map(\.id.text)
        let first = customer.entries.last?.recordedAt
        return Tag.div(.class("person")) {
            Tag.div {
                Tag.p {
                    words.text(.customer) + " "
                    Tag.code(.class("id")) { customer.user.text }
                }
                Tag.small {
                    if app.count == 1 { app[0] + " · " }
                    if let first {
                        words(.firstSeen, ["date": words.unbroken(first)])
                    } else {
                        words.text(.neverSeen)
                    }
                }
            }
            Tag.form(.class("as-of"), .method("get"), .action(Link("users", customer.user.text))) {
                field("at", .asOfAt, moment.typedAt)
                field("known_at", .asOfKnown, moment.typedKnownAt)
                Tag.button(.class("button"), .type("submit")) { words.text(.show) }
            }
        }
    }

    private func field(_ name: String, _ label: Phrase, _ value: String) -> Markup {
        Tag.label {
            Tag.span { words.text(label) }
            Tag.input(
                .type("text"), .name(name), .value(value), .placeholder(words.text(.asOfNow)), .maxlength(40),
                .autocomplete("off"))
        }
    }

    var mistyped: Markup {
        Tag.p(.class("banner refused"), .role("alert")) { words.text(.asOfMistyped) }
    }

    var asOfBanner: Markup {
        Tag.div(.class("banner")) {
            Tag.p {
                let seen = words(
                    .asOfBanner,
                    [
                        "time": Tag.strong(.class("nowrap")) { words.dateAndTime(moment.at) },
                        "utc": Markup(words.utc(moment.at)),
                    ])
                let known = moment.knownAt.map { known in
                    words(.asOfKnownBy, ["time": Tag.span(.class("nowrap")) { words.dateAndTime(known) }])
                }
                words.joined([seen, known ?? words(.asOfKnownNow)], by: .nextSentence)
            }
            Tag.a(.href(Link("users", customer.user.text))) { words.text(.backToNow) }
        }
    }

    // MARK: Verdict

    var verdict: Markup {
        let text = VerdictText(
            customer.verdict, of: customer.timeline, names, at: moment.at, isNow: moment.isNow, deed: deed)
        return Tag.div(.class("verdict")) {
            Tag.div(.class("verdict-text")) {
                sign(text.sign)
                Tag.div {
                    Tag.h1 {
                        text.headline
                        if !text.follow.isEmpty { Tag.span(.class("follow")) { text.follow } }
                    }
                    if !text.why.isEmpty {
                        Tag.p(.class("why")) {
                            words.joined(text.why, by: .nextSentence)
                        }
                    }
                    acts
                }
            }
            told
        }
    }

    /// The first act of an operator on a purchase of this kind up to the moment, if its words are kept.
    private func deed(_ kind: PurchaseFact.Kind, on key: PurchaseKey) -> Deed? {
        let entry = customer.entries.last {
            $0.fact.purchase == key && $0.effectiveAt <= moment.at && PurchaseFact($0)?.kind == kind
        }
        guard let entry, let note = entry.note.flatMap({ customer.notes[$0] }), let actor = note.actor,
            let reason = note.reason
        else { return nil }
        return Deed(who: words.actor(actor, customer.staffNames), at: entry.effectiveAt, reason: reason)
    }

    private func sign(_ sign: VerdictText.Sign) -> Markup {
        let (name, path) =
            switch sign {
            case .access: ("access", "M13 21l5 5 10-12")
            case .warning: ("warning", "M20 12v10M20 28v.1")
            case .none: ("none", "M14 14l12 12M26 14L14 26")
            }
        return Tag.svg(
            .class("sign " + name), .width(.px(40)), .height(.px(40)), .viewBox("0 0 40 40"), .hidden, .noFocus
        ) {
            Tag.rect(.class("ground"), .x(.px(1)), .y(.px(1)), .width(.px(38)), .height(.px(38)), .rx(.px(9)))
            Tag.path(.class("stroke"), .d(path))
        }
    }

    /// The short answer as the app gets it, in UTC.
    private var told: Markup {
        let status = customer.status
        let title: Phrase = moment.isNow ? .toldNow : moment.at > words.now ? .toldAhead : .toldThen
        func date(_ instant: Instant?) -> String { instant.map { RFC3339.text(of: $0) } ?? "null" }
        let rows: [(String, String)] = [
            ("active", status.active ? "true" : "false"), ("tier", status.tier?.text ?? "null"),
            ("state", status.state.rawValue), ("expires_at", date(status.expiresAt)),
            ("access_expires_at", date(status.accessExpiresAt)), ("devices", String(status.devices.allowed)),
            ("features", status.features.isEmpty ? "[]" : status.features.map(\.text).joined(separator: " ")),
        ]
        return Tag.section(.class("panel told"), .labelled(by: "told")) {
            Tag.h2(.id("told")) { words.text(title) }
            Tag.dl {
                for (name, value) in rows {
                    Tag.div {
                        Tag.dt { name }
                        Tag.dd { value }
                    }
                }
            }
        }
    }

    /// The ways in which a person without access would get some.
    var wouldChange: Markup {
        Shell.panel("change", words.text(.changeTitle)) {
            Tag.ul(.class("list")) {
                for relative in customer.relatives {
                    Tag.li {
                        words(
                            .changeRelative,
                            ["user": Tag.a(.href(Link("users", relative.text))) { Tag.code { relative.text } }])
                    }
                }
                for phrase in changes {
                    Tag.li {
                        words.text(phrase)
                        if let (link, name) = way(to: phrase) { Tag.a(.href(link)) { words.text(name) } }
                    }
                }
            }
        }
    }

    private var changes: [Phrase] {
        switch customer.verdict {
        case .ended(.takenBack, let key, _):
            [
                .changePurchase,
                customer.purchase(key)?.withdrawnAt == nil ? .changeReversal : .changeNotReversal, .changeGift,
            ]
        case .ended(.ranOutUnattached, _, _): [.changeMakeGood, .changePurchase, .changeGift]
        case .ended(.paymentFailed, _, _): [.changePayment, .changeGift]
        case .ended(.transferred, _, _): [.changeTransfer, .changePurchase, .changeGift]
        case .nothing(_, let reason): reason.change + [.changeGift]
        case .never: [.changeSearch, .changePurchase, .changeGift]
        case .sandboxOnly: [.changeTester, .changePurchase]
        case .toCome: [.changeWait, .changePurchase, .changeGift]
        case .ended, .access, .addOns: [.changePurchase, .changeGift]
        }
    }

    /// The page on which the reader may do what would change something, and its name.
    private func way(to change: Phrase) -> (link: Link, name: Phrase)? {
        switch change {
        case .changeGift where mayAct: (ActPages<GiveDays>.link(to: customer.user), GiveDays.title)
        case .changeTester where mayAct: (ActPages<NameTester>.link(to: customer.user), .linkTester)
        case .changeMakeGood where mayAct:
            (ActPages<MakeGood>.link(to: customer.user, query: latePass), MakeGood.title)
        case .changeCatalogue: (Destination.catalogue.link, Destination.catalogue.title)
        case .changeLook: (Destination.anomalies.link, Destination.anomalies.title)
        case .changeSearch: (Destination.start.link, Destination.start.title)
        default: nil
        }
    }

    /// The pass that had run out before it was attached, as a form names it.
    private var latePass: [(name: String, value: String)] {
        switch customer.verdict {
        case .ended(_, let key, _), .nothing(let key, _): [("purchase", Desk.name(of: key))]
        case .access, .addOns, .sandboxOnly, .toCome, .never: []
        }
    }

    // MARK: Lane

    var lane: Markup {
        let zone = words.text(words.zone.isUTC ? .timesInUTC : .timesIn, ["zone": words.zone.name])
        return Tag.section(.class("panel"), .labelled(by: "lane")) {
            Tag.div(.class("panel-head")) {
                Tag.h2(.id("lane")) { words.text(.laneTitle) }
                Tag.small { zone }
            }
            figure.markup
            LaneLegend(drawing: customer.drawing, words: words, depth: figure.depth).markup
            LaneTable(figure: figure).markup
            next
        }
    }

    /// The coming changes, if nothing happens.
    private var next: Markup {
        let ahead = customer.drawing.access.enumerated().filter { $0.element.endsAt > moment.at }.prefix(4)
        guard !ahead.isEmpty else { return .nothing }
        let all = customer.drawing.access
        return Tag.div(.class("next")) {
            Tag.small { words.text(.nextTitle) }
            for (index, stretch) in ahead {
                let following = index + 1 < all.count ? all[index + 1].tier : nil
                Tag.div {
                    Tag.strong { words.unbroken(stretch.endsAt) }
                    Tag.p { change(after: stretch, to: following) }
                }
            }
        }
    }

    private func change(after stretch: Drawing.Stretch, to next: TierID?) -> Markup {
        if stretch.tier != nil, let plan = renewing(within: stretch, before: next),
            let purchase = customer.purchase(plan.key)
        {
            let isEarlier = plan.endsAt != stretch.endsAt
            let phrase: Phrase =
                next != nil
                ? (isEarlier ? .nextChangeUnless : .nextRenewsElse) : (isEarlier ? .nextEndsUnless : .nextRenews)
            return words(
                phrase,
                [
                    "name": Tag.bdi { names.purchase(purchase) }, "tier": Markup(names.tier(stretch.tier)),
                    "next": Markup(names.tier(next)),
                ])
        }
        return switch (stretch.tier, next) {
        case (let tier?, let next?):
            words(.nextChange, ["tier": Markup(names.tier(tier)), "next": Markup(names.tier(next))])
        case (_?, nil): words(.nextEnds)
        case (nil, let next?): words(.nextBegins, ["next": Markup(names.tier(next))])
        case (nil, nil): .nothing
        }
    }

    /// The plan that renews, so that a stretch goes on beyond its end, or something does where nothing is to come.
    private func renewing(within stretch: Drawing.Stretch, before next: TierID?) -> Entitlement? {
        customer.status.entitlements.first { entitlement in
            entitlement.willRenew == true && entitlement.state == .running
                && entitlement.endsAt.map { stretch.startsAt < $0 && $0 <= stretch.endsAt } ?? false
                && (entitlement.tier == stretch.tier || next == nil)
                && customer.timeline.counts(entitlement.key.environment)
        }
    }
}

extension Explanation.Reason {
    /// The ways in which a purchase that gives nothing would give something.
    fileprivate var change: [Phrase] {
        switch self {
        case .unknownProduct: [.changeCatalogue, .changePurchase]
        case .productTypeMismatch, .quarantined: [.changeLook, .changePurchase]
        case .sandboxNotAllowed: [.changeTester, .changePurchase]
        case .endedBeforeAttached: [.changeMakeGood, .changePurchase]
        case .revoked, .refundedAfterUse, .finished, .queuedBehind, .pausedUnder, .requiresTier,
            .familyShared, .superseded, .transferred:
            [.changePurchase]
        }
    }
}
