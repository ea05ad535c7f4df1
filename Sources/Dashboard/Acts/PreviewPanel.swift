import EntitlementAPI
import Entitlements
import LedgerStore

/// The preview of an act: a sentence, both lanes on one axis, a table, and the form that carries it out.
struct PreviewPanel {
    /// A value before and after the act.
    private struct Row {
        let name: String
        let before: Markup
        let after: Markup
        /// The difference; nil if there is none.
        let change: String?
    }

    let preview: ActPreview
    /// The person whom the page is about, who comes first.
    let user: UserID
    let names: Names

    init(_ preview: ActPreview, about user: UserID, _ names: Names) {
        self.preview = preview
        self.user = user
        let words = Words(names.words.language, in: names.words.zone, now: preview.at)
        self.names = Names(words: words, catalogue: names.catalogue)
    }

    private var words: Words { names.words }

    /// - Parameter confirmation: The form that carries the act out; nil if there is nothing to carry out.
    func markup(_ confirmation: Markup?) -> Markup {
        Shell.panel("preview", words.text(.previewTitle), aside: Markup(words.text(.previewAside))) {
            LaneShapes.patterns
            if !preview.wouldChange { Tag.p(.class("preview-sentence")) { words.text(.previewNothing) } }
            for person in people { about(person) }
            if !preview.rows.isEmpty { rows }
            if let confirmation { Tag.div(.class("confirm")) { confirmation } }
        }
    }

    private var people: [PersonPreview] {
        preview.people.filter { $0.user == user } + preview.people.filter { $0.user != user }
    }

    private func about(_ person: PersonPreview) -> Markup {
        let isAlone = preview.people.count == 1
        return Tag.div(.class("person-preview")) {
            if !isAlone { Tag.h3 { Tag.code { person.user.text } } }
            if preview.wouldChange { Tag.p(.class("preview-sentence")) { sentence(person) } }
            PreviewFigure(before: person.before, after: person.after, at: preview.at, names).markup
            table(person)
            if preview.wouldChange { told(person) }
        }
    }

    // MARK: The sentence

    private func sentence(_ person: PersonPreview) -> Markup {
        let verdict = Verdict(of: person.after, at: preview.at)
        let text = VerdictText(verdict, of: person.after, names, at: preview.at, isNow: true)
        guard case .access(let access) = verdict, !access.renews else {
            return words(
                .previewAfterOther, ["verdict": words.joined([text.headline, text.follow], by: .nextSentence)])
        }
        let until = words(
            .previewAfter,
            [
                "tier": Tag.span(.class("tier")) { Tag.bdi { names.tier(access.tier) } },
                "date": Tag.strong(.class("nowrap")) { words.date(access.until) },
            ])
        return text.follow.isEmpty
            ? words(.fullStop, ["text": until]) : words.joined([until, text.follow], by: .listed)
    }

    // MARK: The table

    private func table(_ person: PersonPreview) -> Markup {
        let rows = rows(person.before.status(at: preview.at), person.after.status(at: preview.at), person)
        return Tag.table(.role("table"), .class("changes")) {
            Tag.thead(.role("rowgroup")) {
                Shell.row {
                    Tag.td(.role("cell"))
                    for phrase in [Phrase.columnBefore, .columnAfter, .columnChange] {
                        Tag.th(.scope("col"), .role("columnheader")) { words.text(phrase) }
                    }
                }
            }
            Tag.tbody(.role("rowgroup")) {
                for row in rows {
                    Shell.row {
                        Tag.th(.scope("row"), .role("rowheader")) { row.name }
                        Shell.cell(words, .columnBefore) { row.before }
                        Shell.cell(words, .columnAfter, row.change == nil ? "" : "changed") {
                            row.after
                        }
                        Shell.cell(words, .columnChange, row.change == nil ? "amount muted" : "amount") {
                            row.change ?? words.text(.changeSame)
                        }
                    }
                }
            }
        }
    }

    private func rows(_ before: Status, _ after: Status, _ person: PersonPreview) -> [Row] {
        var rows = [
            row(.rowTier, names.tier(before.tier), names.tier(after.tier)),
            row(.rowTierUntil, before.expiresAt, after.expiresAt),
            row(.rowAccessUntil, before.accessExpiresAt, after.accessExpiresAt),
            row(.rowSeats, before.devices.allowed, after.devices.allowed),
            row(.rowPurchases, Self.held(person.before), Self.held(person.after)),
        ]
        let devices = [person.before, person.after].map { $0.devices(at: preview.at).onRecord.count }
        if devices[0] != devices[1] { rows.append(row(.devicesTitle, devices[0], devices[1])) }
        if person.before.countsSandbox != person.after.countsSandbox {
            rows.append(row(.rowSandbox, yes(person.before.countsSandbox), yes(person.after.countsSandbox)))
        }
        let features = [before, after].map { words.joined($0.features.map(\.text), by: .listed) }
        if features[0] != features[1] { rows.append(row(.columnFeatures, features[0], features[1])) }
        let (old, new) = (Self.left(before), Self.left(after))
        for purse in Set(old.keys).union(new.keys).sorted() {
            let sandbox = purse.environment == .sandbox ? " [" + words.text(.sandbox) + "]" : ""
            rows.append(row(named: purse.unit + sandbox, old[purse] ?? 0, new[purse] ?? 0))
        }
        return rows
    }

    private static func held(_ timeline: Timeline) -> Int { timeline.purchases.count(where: \.isHeld) }

    /// The units that may be spent, or that are owed, of each purse.
    private static func left(_ status: Status) -> [Purse: Int] {
        status.credits.reduce(into: [:]) { left, balance in
            left[Purse(unit: balance.unit, environment: balance.environment)] = balance.spendable - balance.debt
        }
    }

    private func yes(_ flag: Bool) -> String { words.text(flag ? .yes : .no) }

    private func row(_ name: Phrase, _ before: String, _ after: String) -> Row {
        Row(
            name: words.text(name), before: Markup(before), after: Markup(after),
            change: before == after ? nil : words.text(.changeOther))
    }

    private func row(_ name: Phrase, _ before: Int, _ after: Int) -> Row {
        row(named: words.text(name), before, after)
    }

    private func row(named name: String, _ before: Int, _ after: Int) -> Row {
        let change = (after > before ? "+" : "") + words.number(after - before)
        return Row(
            name: name, before: Markup(words.number(before)), after: Markup(words.number(after)),
            change: before == after ? nil : change)
    }

    private func row(_ name: Phrase, _ before: Instant?, _ after: Instant?) -> Row {
        var change: String?
        if let before, let after, before != after {
            change = (after > before ? "+" : "−") + words.length(abs(after - before))
        } else if before != after {
            change = words.text(.changeOther)
        }
        return Row(
            name: words.text(name), before: words.cell(before, orElse: .dash), after: words.cell(after, orElse: .dash),
            change: change)
    }

    // MARK: The rest

    private func told(_ person: PersonPreview) -> Markup {
        let status = person.after.status(at: preview.at)
        let texts = [
            "active " + (status.active ? "true" : "false"), "tier " + (status.tier?.text ?? "null"),
            "expires_at " + (status.expiresAt.map { RFC3339.text(of: $0) } ?? "null"),
        ]
        return Tag.p(.class("panel-note")) {
            words(.previewTold, ["status": Tag.code { texts.joined(separator: ", ") }])
        }
    }

    private var rows: Markup {
        Tag.table(.role("table")) {
            Shell.head(words, [.erasedParts, .columnRows])
            Tag.tbody(.role("rowgroup")) {
                for part in erased {
                    Shell.row {
                        Shell.name(words, .erasedParts) { part.name }
                        Shell.cell(words, .columnRows, "amount") { words.number(part.rows) }
                    }
                }
            }
        }
    }

    /// The personal data that an erasure takes, by its kind.
    private var erased: [(name: String, rows: Int)] {
        preview.rows.reduce(into: []) { parts, row in
            guard row.rows > 0 else { return }
            let name = Self.erasedParts[row.table].map { words.text($0) } ?? row.table
            if let place = parts.firstIndex(where: { $0.name == name }) {
                parts[place].rows += row.rows
            } else {
                parts.append((name, row.rows))
            }
        }
    }

    private static let erasedParts: [String: Phrase] = [
        "users": .erasedUser, "account_tokens": .erasedTokens, "standings": .erasedStandings,
        "standing_answers": .erasedStandings, "history_walks": .erasedWalks, "consumption_requests": .erasedQuestions,
        "refused_claims": .erasedClaims, "lookups": .erasedLookups, "notes": .erasedNotes, "audit_notes": .erasedAudit,
        "signed_texts": .erasedSigned,
        "inbox_texts": .erasedBodies, "idempotency_keys": .erasedAnswers,
    ]
}
