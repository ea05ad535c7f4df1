import EntitlementAPI
import Entitlements
import Hummingbird
import LedgerStore

/// `GET /dashboard/refund-questions`: what Apple asked about refunds, and what it was told.
enum RefundQuestionsPage {
    /// - Throws: `unavailable`.
    static func show(_ visit: SignedVisit) async throws(Problem) -> Response {
        let cells = try await ListCells(visit)
        let words = visit.words
        var filters = ListFilters("refund-questions", visit)
        let state: ConsumptionRequest.State? = filters.choice("state", .columnState) { words.text($0.word) }
        let user = filters.user("user_id")
        let found = try await visit.served {
            try await $0.reports.consumptionRequests(state, of: user, before: filters.before, limit: ListView.rows)
        }
        let view = ListView(
            visit: visit, place: .refunds, text: .refundsText, filters: filters,
            columns: [.columnAskedAt, .columnWhat, .columnCustomer, .columnAnswer, .columnFromSource],
            none: (.refundsNone, .refundsNoneHint))
        return view.page(found.rows.map { row($0, cells) }, next: ListView.before(found.next))
    }

    private static func row(_ request: ConsumptionRequest, _ cells: ListCells) -> Markup {
        let (words, key) = (cells.words, request.question.purchase)
        return Shell.row {
            cells.time(.columnAskedAt, request.question.askedAt)
            Shell.name(words, .columnWhat) {
                Tag.code { request.question.transaction.text }
                Shell.sandbox(words, if: key.environment)
                Tag.small { Tag.code { key.externalID.text } }
            }
            cells.customer(request.owner)
            Shell.cell(words, .columnAnswer) { answer(request, words) }
            cells.source(key.source, key.app)
        }
    }

    @MarkupBuilder private static func answer(_ request: ConsumptionRequest, _ words: Words) -> Markup {
        Tag.span(.class(request.state == .answered ? "" : request.state == .open ? "warn" : "muted")) {
            words.text(request.state.word)
        }
        if request.state == .open {
            Tag.small { words.text(.refundDeadline, ["date": words.dateAndTime(request.deadline)]) }
        }
        if let silence = request.silence, request.refusal == nil { Tag.small { words.text(silence.word) } }
        if let answer = request.answer {
            Tag.small {
                let used = answer.share.map { share in
                    words.text(.refundUsed, ["n": String(share / (Revocation.fullShare / 100))])
                }
                words.joined(
                    [words.text(answer.isDelivered ? .refundDelivered : .refundNotDelivered)]
                        + [used].compactMap(\.self), by: .listed)
            }
            Tag.small { words.text(answer.preference.word) }
        }
        if let refusal = request.refusal {
            Tag.small(.class("bad")) { words.text(.refundRefused, ["code": String(refusal)]) }
        }
    }
}

extension ConsumptionRequest.State {
    fileprivate var word: Phrase {
        switch self {
        case .open: .refundOpen
        case .answered: .refundAnswered
        case .unanswered: .refundUnanswered
        }
    }
}

extension ConsumptionSilence {
    fileprivate var word: Phrase {
        switch self {
        case .notConfigured: .silenceNotConfigured
        case .unowned: .silenceUnowned
        case .erased: .silenceErased
        case .noConsent: .silenceNoConsent
        case .refunded: .silenceRefunded
        case .late: .silenceLate
        case .refused: .silenceRefused
        }
    }
}

extension RefundPreference {
    fileprivate var word: Phrase {
        switch self {
        case .none: .preferNothing
        case .decline: .preferDecline
        case .grantFull: .preferFull
        case .grantProrated: .preferProrated
        }
    }
}
