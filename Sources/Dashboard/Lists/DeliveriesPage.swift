import EntitlementAPI
import Entitlements
import Hummingbird
import LedgerStore

/// `GET /dashboard/deliveries`: what stores delivered, with its effect; and the forms that place a delivery again and
/// open its body.
enum DeliveriesPage {
    private static let path = "deliveries"
    private static let done: [String: Phrase] = ["replayed": .doneReplayed, "kept": .doneNotReplayed]

    /// - Throws: `unavailable`.
    static func show(_ visit: SignedVisit) async throws(Problem) -> Response {
        let cells = try await ListCells(visit)
        let words = visit.words
        var filters = ListFilters(path, visit)
        let state: DeliveryResult? = filters.choice("state", .columnEffect) { words.text($0.word) }
        let reason: DeliveryReason? = filters.choice("reason", .filterReason) { words.text($0.sentence) }
        let source = filters.choice(
            "source", .columnFromSource,
            among: [Source.appleIAP, .stripe].map { ($0.text, cells.names.source($0)) })
        let user = filters.user("user_id")
        let (start, end) = (filters.instant("from", .filterFrom), filters.instant("to", .filterTo, isEnd: true))
        let found = try await visit.served { store in
            var named: [UInt64]?
            if let user { named = try await store.reports.deliveries(naming: user, under: store.labels) }
            let rows = try await store.reports.deliveries(
                before: filters.before, limit: ListView.rows + 1, of: state, because: reason,
                from: source.map { Source($0) }, since: start, until: end, among: named)
            return ListPage(rows, limit: ListView.rows, number: \.id)
        }
        let isParked = state == .parked
        let view = ListView(
            visit: visit, place: isParked ? .parked : .deliveries, text: isParked ? .workParkedText : .deliveriesText,
            filters: filters,
            columns: [.columnCame, .columnWhat, .columnEffect, .columnCustomer, .columnFromSource, .columnSettles],
            none: isParked ? (.nothingWaits, .workParkedNone) : (.deliveriesAllNone, .deliveriesAllNoneHint),
            ownFilters: isParked ? 1 : 0, done: done)
        return view.page(
            found.rows.map { row($0, cells, filters) }, next: ListView.before(found.next))
    }

    private static func row(_ delivery: RecordedDelivery, _ cells: ListCells, _ filters: ListFilters) -> Markup {
        let words = cells.words
        return Shell.row {
            cells.time(.columnCame, delivery.receivedAt)
            Shell.name(words, .columnWhat) {
                delivery.title(words)
                Tag.small { Tag.code { delivery.externalID } }
                if let purchase = delivery.purchase { cells.search(purchase.text) }
            }
            effect(of: delivery, words)
            cells.customer(delivery.owner)
            cells.source(delivery.source, delivery.app)
            cells.settling {
                if cells.mayAct { acts(on: delivery, cells, filters) }
            }
        }
    }

    private static func effect(of delivery: RecordedDelivery, _ words: Words) -> Markup {
        Shell.cell(words, .columnEffect) {
            Tag.span(.class(delivery.outcome.result.tone)) { words.text(delivery.outcome.result.word) }
            if let reason = delivery.outcome.reason { Tag.small { words.text(reason.sentence) } }
            if delivery.isContradicted { Tag.small(.class("warn")) { words.text(.deliveryOtherContent) } }
        }
    }

    private static func acts(on delivery: RecordedDelivery, _ cells: ListCells, _ filters: ListFilters) -> Markup {
        let number = String(delivery.id)
        return Markup([
            delivery.outcome.result == .applied
                ? .nothing : cells.act(.replay, number, to: Link(path, number, "replay"), filters),
            cells.act(.openBody, number, to: Link(path, number, "body"), filters),
        ])
    }

    /// Places a delivery again.
    ///
    /// - Throws: `not_found` for a delivery that is not there, `unavailable`.
    static func replay(_ visit: SignedVisit, _ form: FormText) async throws(Problem) -> Response {
        let number = try visit.number("delivery_id")
        let replayed = try await visit.served {
            try await $0.inbox.replay(number, by: visit.actor, reason: nil, audit: $0.audit)
        }
        guard let replayed else { throw Problem(.notFound, "") }
        visit.log(.replayDelivery)
        return visit.back(form, to: path, saying: replayed.outcome == .pending ? "replayed" : "kept")
    }

    /// Shows the body of a delivery. It holds names and mail addresses, so the opening is entered into the trail.
    ///
    /// - Throws: `not_found` for a delivery that is not there, `unavailable`.
    static func open(_ visit: SignedVisit, _ form: FormText) async throws(Problem) -> Response {
        let number = try visit.number("delivery_id")
        let opened = try await visit.served {
            try await $0.inbox.open(number, by: visit.actor, audit: $0.audit)
        }
        guard let opened else { throw Problem(.notFound, "") }
        visit.log(.openDelivery)
        let words = visit.words
        return visit.page(words.text(.bodyTitle), at: .deliveries) {
            Tag.div(.class("title")) {
                Tag.h1 {
                    words.text(.bodyTitle) + " "
                    Tag.bdi { opened.type }
                    Shell.sandbox(words, if: opened.environment)
                }
                Tag.p { words.text(.bodyText) }
            }
            Shell.panel("body", words.text(.bodyPanel)) {
                if let text = opened.text {
                    Tag.pre(.class("body"), .focusable, .labelled(by: "body")) { ReadableDelivery(text).text }
                } else {
                    Shell.empty(words, .bodyGone, .bodyGoneHint)
                }
            }
            Tag.p { Tag.a(.href(Link(returningTo: form["back"]) ?? Link(path))) { words.text(.backToList) } }
        }
    }
}

extension DeliveryResult {
    /// The word for the effect of a delivery.
    var word: Phrase {
        switch self {
        case .applied: .effectApplied
        case .duplicate: .effectDuplicate
        case .ignored: .effectIgnored
        case .parked: .effectParked
        case .quarantined: .effectQuarantined
        }
    }

    /// The class of the word.
    var tone: String {
        switch self {
        case .applied: ""
        case .duplicate, .ignored: "muted"
        case .parked: "warn"
        case .quarantined: "bad"
        }
    }
}

extension DeliveryReason {
    /// The reason in a few words.
    var sentence: Phrase {
        switch self {
        case .pending: .deliveryPending
        case .noUser: .deliveryNoUser
        case .noPurchase: .deliveryNoPurchase
        case .invalidUser: .deliveryInvalidUser
        case .contradicted: .deliveryContradicted
        case .refundFailed: .deliveryRefundFailed
        case .disputed: .deliveryDisputed
        case .unpaid: .deliveryUnpaid
        case .thin: .deliveryThin
        case .unreadable: .deliveryUnreadable
        case .unknownType: .deliveryUnknownType
        case .consentRescinded: .deliveryConsent
        case .failed: .deliveryFailed
        case .textGone: .deliveryTextGone
        }
    }
}
