import EntitlementAPI
import Entitlements
import Hummingbird
import LedgerStore

/// `GET /dashboard`: the search box, the work that waits for a person, and the latest purchases of all sources.
enum StartPage {
    private static let latest = 8
    /// A list of work that waits for a person, with its words.
    private struct Work {
        let place: Destination
        let text: Phrase
        let nothing: Phrase
        let waiting: WorkCounts.Count
    }

    /// - Throws: `unavailable`.
    static func show(_ visit: SignedVisit) async throws(Problem) -> Response {
        var visit = visit
        let counts = try await visit.served {
            try await visit.visit.dashboard.counter.freshCounts(in: $0, at: visit.now)
        }
        visit.work = counts
        let purchases = try await visit.served {
            try await $0.reports.purchases(PurchaseFilter(), before: nil, limit: latest).rows
        }
        let catalogue = try await visit.served { $0.catalogue.snapshot }
        let words = visit.words
        let names = Names(words: words, catalogue: catalogue)
        return visit.page(words.text(.navStart), isStart: true) {
            hero(words)
            Tag.div(.class("halves")) {
                panel(of: work(counts), words)
                panel(of: purchases, PurchasePage.unbound(visit), names)
            }
        }
    }

    private static func work(_ counts: WorkCounts) -> [Work] {
        [
            Work(place: .parked, text: .workParkedText, nothing: .workParkedNone, waiting: counts.parked),
            Work(place: .dead, text: .workDeadText, nothing: .workDeadNone, waiting: counts.dead),
            Work(place: .anomalies, text: .workAnomaliesText, nothing: .workAnomaliesNone, waiting: counts.anomalies),
            Work(place: .late, text: .workLateText, nothing: .workLateNone, waiting: counts.late),
            Work(place: .conflicts, text: .workConflictsText, nothing: .workConflictsNone, waiting: counts.conflicts),
        ]
    }

    private static func hero(_ words: Words) -> Markup {
        Tag.div(.class("hero")) {
            Tag.h1(.class("large")) { words.text(.startTitle) }
            Tag.form(.class("search"), .role("search"), .method("get"), .action(Link("search"))) {
                Shell.magnifier
                Tag.input(
                    .type("search"), .name("q"), .ariaLabel(words.text(.searchLabel)),
                    .placeholder(words.text(.startHint)), .maxlength(OperatorReader.maximumQueryLength),
                    .autocomplete("off"), .plainText, .focusFirst)
                Tag.button(.type("submit")) { words.text(.find) }
            }
            Tag.dl(.class("kinds")) {
                for (title, text) in [
                    (Phrase.kindPerson, Phrase.kindPersonText), (.sourceApple, .kindAppleText),
                    (.sourceCard, .kindCardText), (.sourceManual, .kindManualText),
                ] {
                    Tag.div {
                        Tag.dt { words.text(title) }
                        Tag.dd { words.text(text) }
                    }
                }
            }
        }
    }

    private static func panel(of work: [Work], _ words: Words) -> Markup {
        let sum = work.reduce(0) { $0 + $1.waiting.count }
        let isPart = work.contains { $0.waiting.isPart }
        return Shell.panel(
            "work", words.text(.workTitle),
            aside: isPart ? .nothing : Markup(words.count(sum, .oneThing, .things))
        ) {
            Tag.ul(.class("list work")) {
                for list in work { row(list, words) }
            }
        }
    }

    private static func row(_ work: Work, _ words: Words) -> Markup {
        Tag.li {
            if work.waiting.count == 0, !work.waiting.isPart {
                Tag.span(.class("count muted")) { "✓" }
                Tag.div(.class("main")) {
                    Tag.h3 { Tag.a(.class("muted"), .href(work.place.link)) { words.text(work.place.title) } }
                    Tag.p(.class("muted")) { words.text(work.nothing) }
                }
            } else {
                Tag.span(.class("count")) { work.waiting.text(words) }
                Tag.div(.class("main")) {
                    Tag.h3 { Tag.a(.href(work.place.link)) { words.text(work.place.title) } }
                    Tag.p { words.text(work.text) }
                }
                if let oldest = work.waiting.oldestAt {
                    Tag.small { words.text(.oldest, ["age": words.length(words.now - oldest)]) }
                }
            }
        }
    }

    private static func panel(of purchases: [RecordedPurchase], _ unbound: Phrase, _ names: Names) -> Markup {
        let words = names.words
        return Shell.panel("latest", words.text(.latestTitle)) {
            if purchases.isEmpty {
                Shell.empty(words, .latestNone, .latestNoneHint)
            } else {
                Tag.table(.role("table")) {
                    Shell.head(words, [.columnWhat, .columnWho, .columnBought, .columnPaid])
                    Tag.tbody(.role("rowgroup")) {
                        for purchase in purchases { row(purchase, unbound, names) }
                    }
                }
            }
        }
    }

    private static func row(_ purchase: RecordedPurchase, _ unbound: Phrase, _ names: Names) -> Markup {
        let words = names.words
        let bought = purchase.newest?.purchasedAt ?? purchase.grant?.grantedAt ?? purchase.recordedAt
        return Shell.row {
            Tag.th(.scope("row"), .role("rowheader")) {
                Tag.bdi { PurchasePage.name(of: purchase, names) }
                Shell.sandbox(words, if: purchase.key.environment)
                Tag.small { names.source(purchase.key.source) }
                names.app(purchase.key.app)
            }
            Shell.cell(words, .columnWho) {
                if let owner = purchase.owner {
                    Tag.a(.href(Link("users", owner.text))) { Tag.code { owner.text } }
                } else {
                    Tag.a(.href(PurchasePage.link(to: purchase.key))) {
                        words.text(purchase.isOfErased ? .erasedPerson : unbound)
                    }
                }
            }
            Shell.cell(words, .columnBought) { words.cell(bought) }
            Shell.cell(words, .columnPaid, "amount") { PurchasePage.paid(purchase.payments.first, words) }
        }
    }
}
