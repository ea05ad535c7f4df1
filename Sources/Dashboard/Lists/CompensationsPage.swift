import EntitlementAPI
import Entitlements
import Hummingbird
import LedgerStore

/// `GET` and `POST /dashboard/compensations`: days for everybody who had access during an outage. It is previewed, then
/// given in steps; a step may be repeated, because each user gets one grant for each reference.
enum CompensationsPage {
    static let deadlineSeconds = CompensationsRoute.deadlineSeconds
    private static let path = "compensations"
    /// The most users that a page names.
    private static let named = 50
    /// The most users of earlier steps that the form counts.
    private static let mostCounted = 1_000_000_000

    /// The fields of the form, read; and the first that cannot be read.
    private struct Typed {
        let form: FormText
        let compensation: Compensation?
        /// The field that cannot be read, and why.
        let refused: (field: String, phrase: Phrase)?

        init(_ form: FormText, _ visit: SignedVisit, isDry: Bool) {
            self.form = form
            let words = visit.words
            let (start, end) = (words.instant(typed: form["from"]), words.instant(typed: form["to"]))
            let hours = Int(form["hours"]).flatMap { (1...OperatorAct.Outage.maximumHours).contains($0) ? $0 : nil }
            let (references, reasons) = (1...255, 1...Note.longestReason)
            refused =
                if start == nil {
                    ("from", .asOfMistyped)
                } else if end == nil {
                    ("to", .asOfMistyped)
                } else if hours == nil {
                    ("hours", .compensationHours)
                } else if !references.contains(form["reference"].unicodeScalars.count) {
                    ("reference", .compensationTexts)
                } else if !reasons.contains(form["reason"].unicodeScalars.count) {
                    ("reason", .compensationTexts)
                } else {
                    nil
                }
            guard refused == nil, let start, let end, let hours else {
                compensation = nil
                return
            }
            let tier = form["tier"]
            compensation = Compensation(
                for: OperatorAct.Outage(
                    from: start, to: end, hours: hours, tier: tier.isEmpty ? nil : TierID(tier),
                    countsAnySource: form["any_source"] == "1"),
                reason: form["reason"], reference: form["reference"], by: visit.actor, isDry: isDry)
        }
    }

    /// - Throws: `unavailable`.
    static func show(_ visit: SignedVisit) async throws(Problem) -> Response {
        let cells = try await ListCells(visit)
        return page(visit, cells, .empty, refused: nil, result: .nothing)
    }

    /// Previews a compensation, or gives its next step.
    ///
    /// - Throws: `unavailable`.
    static func send(_ visit: SignedVisit, _ form: FormText) async throws(Problem) -> Response {
        let cells = try await ListCells(visit)
        let isDry = form["act"] != "give"
        let typed = Typed(form, visit, isDry: isDry)
        guard let compensation = typed.compensation else {
            return page(visit, cells, form, refused: typed.refused, result: .nothing)
        }
        let step = try await visit.served {
            try await compensation.step(
                from: CoveragePlace(cursor: form["place"]), limit: Compensation.maximumUsers, in: $0, at: visit.now)
        }
        switch step {
        case .success(let step):
            if !isDry, !step.given.isEmpty { visit.log(.giveGrant) }
            let before = isDry ? 0 : Int(form["given"]).map { min(max(0, $0), mostCounted) } ?? 0
            return page(
                visit, cells, form, refused: nil,
                result: result(of: step, compensation, before + step.given.count, form, cells))
        case .failure(let refusal):
            let field =
                switch refusal {
                case .unknownTier: "tier"
                case .hoursOutOfRange: "hours"
                default: "to"
                }
            return page(visit, cells, form, refused: (field, refusal.compensationPhrase), result: .nothing)
        }
    }

    private static func page(
        _ visit: SignedVisit, _ cells: ListCells, _ form: FormText, refused: (field: String, phrase: Phrase)?,
        result: Markup
    ) -> Response {
        let words = visit.words
        return visit.page(
            words.text(.compensationsTitle), status: refused == nil ? .ok : .unprocessableContent, at: .compensations
        ) {
            Tag.div(.class("title")) {
                Tag.h1 { words.text(.compensationsTitle) }
                Tag.p { words.text(.compensationsText) }
            }
            if let refused {
                Tag.p(.class("banner refused"), .role("alert")) {
                    Tag.a(.href(Link(fragment: refused.field))) { words.text(refused.phrase) }
                }
            }
            result
            Shell.panel("outage", words.text(.compensationForm)) {
                Tag.div(.class("panel-body")) {
                    Shell.form(Link(path), visit.browser.formToken) {
                        Tag.input(.type("hidden"), .name("act"), .value("preview"))
                        field("from", .compensationFrom, form, words, refused, hint: .outageHint)
                        field("to", .compensationTo, form, words, refused, hint: .outageHint)
                        field("hours", .compensationHoursLabel, form, words, refused, hint: nil)
                        tiers(form, cells)
                        Tag.div(.class("check")) {
                            Tag.input(
                                all: [.type("checkbox"), .id("any_source"), .name("any_source"), .value("1")]
                                    + (form["any_source"] == "1" ? [.checked] : [])
                            ) {}
                            Tag.label(.for("any_source")) { words.text(.compensationAny) }
                        }
                        field(
                            "reference", .compensationReference, form, words, refused, hint: .compensationReferenceHint)
                        field("reason", .compensationReason, form, words, refused, hint: nil)
                        Tag.button(.class("button"), .type("submit")) { words.text(.previewIt) }
                    }
                }
            }
        }
    }

    private static func field(
        _ name: String, _ label: Phrase, _ form: FormText, _ words: Words,
        _ refused: (field: String, phrase: Phrase)?, hint: Phrase?
    ) -> Markup {
        Field(
            id: name, label: words.text(label), value: form[name], hint: hint.map { words.text($0) },
            refusal: refused?.field == name ? refused.map { words.text($0.phrase) } : nil
        ).markup
    }

    private static func tiers(_ form: FormText, _ cells: ListCells) -> Markup {
        let words = cells.words
        return Tag.div(.class("field")) {
            Tag.label(.for("tier")) { words.text(.columnTier) }
            Tag.select(.id("tier"), .name("tier")) {
                Tag.option(.value("")) { words.text(.compensationHighest) }
                for tier in cells.names.catalogue.latest.catalogue.tiers {
                    Tag.option(
                        all: [.value(tier.id.text)] + (tier.id.text == form["tier"] ? [.selected] : [])
                    ) { cells.names.tier(tier.id) }
                }
            }
        }
    }

    // MARK: Results

    private static func result(
        of step: Compensation.Step, _ compensation: Compensation, _ given: Int, _ form: FormText, _ cells: ListCells
    ) -> Markup {
        let words = cells.words
        let counts = Compensation.Counts(of: step)
        let title: Phrase =
            compensation.isDry ? .compensationWould : step.next == nil ? .compensationDone : .compensationPart
        return Tag.section(.class("panel"), .labelled(by: "result")) {
            Tag.div(.class("panel-head")) {
                Tag.h2(.id("result")) {
                    words.text(title, ["users": words.count(given, .oneUser, .userCount)])
                }
            }
            Tag.p(.class("panel-body")) {
                words.text(
                    .compensationCounts,
                    ["already": words.number(counts.alreadyGiven), "none": words.number(counts.notAffected)])
                if step.next != nil {
                    " " + words.text(.compensationGoesOn, ["n": words.number(Compensation.maximumUsers)])
                }
            }
            if !step.given.isEmpty { table(of: step, compensation, cells) }
            if compensation.isDry ? !step.given.isEmpty || step.next != nil : step.next != nil {
                Tag.div(.class("panel-body")) { confirmation(step, compensation, given, form, cells) }
            }
        }
    }

    private static func table(
        of step: Compensation.Step, _ compensation: Compensation, _ cells: ListCells
    ) -> Markup {
        let words = cells.words
        return Tag.table(.role("table")) {
            Shell.head(words, [.columnCustomer, .columnGives])
            Tag.tbody(.role("rowgroup")) {
                for outcome in step.given.prefix(named) {
                    Shell.row {
                        Shell.name(words, .columnCustomer) { cells.person(outcome.user) }
                        Shell.cell(words, .columnGives) {
                            if case .pass(let tier, let length)? = outcome.told?.reply.gift {
                                words.text(
                                    .namePass, ["tier": cells.names.tier(tier), "length": words.length(length)])
                            }
                        }
                    }
                }
            }
            if step.given.count > named {
                Tag.tbody(.role("rowgroup")) {
                    Shell.row {
                        Shell.cell(words, .columnCustomer) {
                            words.text(.andMore, ["n": words.number(step.given.count - named)])
                        }
                        Shell.cell(words, .columnGives) {}
                    }
                }
            }
        }
    }

    /// The form that gives what was previewed, or the next step.
    private static func confirmation(
        _ step: Compensation.Step, _ compensation: Compensation, _ given: Int, _ form: FormText, _ cells: ListCells
    ) -> Markup {
        let words = cells.words
        let kept = ["from", "to", "hours", "tier", "any_source", "reference", "reason"].map { ($0, form[$0]) }
        let further =
            [("act", "give")]
            + (compensation.isDry ? [] : [("place", step.next?.cursor ?? ""), ("given", String(given))])
        return Shell.form(Link(path), cells.visit.browser.formToken) {
            for (name, value) in kept + further { Tag.input(.type("hidden"), .name(name), .value(value)) }
            Tag.button(.class("button first"), .type("submit")) {
                compensation.isDry ? words.text(.compensationGive) : words.text(.compensationNext)
            }
            " "
            Tag.a(.href(Link(path))) { words.text(.cancel) }
        }
    }
}

extension OperatorRefusal {
    /// The reason why nobody can be compensated.
    fileprivate var compensationPhrase: Phrase {
        switch self {
        case .unknownTier: .compensationTier
        case .hoursOutOfRange: .compensationHours
        default: .compensationEmpty
        }
    }
}
