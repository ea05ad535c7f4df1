import EntitlementAPI
import Entitlements
import Hummingbird
import LedgerStore

/// A page with a list: its title and a sentence, the filters, the rows, and the way to older ones.
struct ListView {
    /// The rows of a page.
    static let rows = 50

    let visit: SignedVisit
    let place: Destination
    /// The title; that of the place unless told otherwise.
    var title: Phrase?
    let text: Phrase
    let filters: ListFilters
    let columns: [Phrase]
    /// The words of a list without rows: that it has none, and what would appear.
    let none: (Phrase, Phrase)
    /// The number of filters that make this list what it is.
    var ownFilters = 0
    /// The words about an act that was done, by the name in the query's `done`.
    var done: [String: Phrase] = [:]

    var words: Words { visit.words }

    /// The page with these rows; `next` is the query of the next page, nil if the list is finished.
    func page(
        _ rows: [Markup], next: [(name: String, value: String)]?, above: Markup = .nothing, below: Markup = .nothing
    ) -> Response {
        visit.page(words.text(title ?? place.title), at: place) {
            Tag.div(.class("title")) {
                Tag.h1 { words.text(title ?? place.title) }
                Tag.p { words.text(text) }
            }
            banners
            above
            filters.markup
            Tag.section(.class("panel"), .ariaLabel(words.text(title ?? place.title))) {
                if rows.isEmpty {
                    empty(isPart: next != nil)
                } else {
                    Tag.table(.role("table"), .class("work-table")) {
                        Shell.head(words, columns)
                        Tag.tbody(.role("rowgroup")) { rows }
                    }
                }
                foot(rows.count, next)
            }
            below
        }
    }

    /// True if an act found nothing to do.
    private var isKept: Bool { visit.query["done"] == "kept" }

    private var banners: Markup {
        Markup([
            done[visit.query["done"]].map { phrase in
                Tag.p(.class(isKept ? "banner warned" : "banner done"), .role("status")) { words.text(phrase) }
            } ?? .nothing,
            filters.isMistyped
                ? Tag.p(.class("banner refused"), .role("alert"), .id("mistyped")) { words.text(.filterMistyped) }
                : .nothing,
        ])
    }

    private func empty(isPart: Bool) -> Markup {
        if isPart { return Shell.empty(words, .noneOnThisPage, .noneOnThisPageHint) }
        return filters.count > ownFilters || filters.before != nil
            ? Shell.empty(words, .noneOfFilter, .noneOfFilterHint) : Shell.empty(words, none.0, none.1)
    }

    private func foot(_ count: Int, _ next: [(name: String, value: String)]?) -> Markup {
        let isLater = !filters.query["before"].isEmpty || !filters.query["from"].isEmpty && filters.path == "users"
        guard count > 0 || next != nil || isLater else { return .nothing }
        return Tag.div(.class("older foot")) {
            Tag.span {
                if count > 0 { words.count(count, .oneRow, .rows) }
                if count > 0, count < Self.rows, next != nil { " " + words.text(.partlyLooked) }
            }
            Tag.span {
                if isLater { Tag.a(.href(filters.link())) { words.text(.firstPage) } }
                if let next {
                    " "
                    Tag.a(.href(filters.link(next))) { words.text(.older) }
                }
            }
        }
    }

    /// The query of the page before a number.
    static func before(_ number: UInt64?) -> [(name: String, value: String)]? {
        number.map { [("before", String($0))] }
    }
}

/// The cells of a list's rows.
struct ListCells {
    let names: Names
    let visit: SignedVisit

    var words: Words { names.words }
    var mayAct: Bool { visit.member.role.allows(.write) }

    /// Reads the names of the catalogue.
    ///
    /// - Throws: `unavailable`.
    init(_ visit: SignedVisit) async throws(Problem) {
        self.visit = visit
        names = Names(words: visit.words, catalogue: try await visit.served { $0.catalogue.snapshot })
    }

    func time(_ column: Phrase, _ instant: Instant?) -> Markup {
        Shell.cell(words, column, "when") { words.cell(instant, orElse: .dash) }
    }

    /// The page of a user; the word for nobody.
    func customer(_ user: UserID?) -> Markup {
        Shell.cell(words, .columnCustomer) { person(user) }
    }

    func person(_ user: UserID?) -> Markup {
        guard let user else { return Tag.span(.class("muted")) { words.text(.nobody) } }
        return Tag.a(.href(Link("users", user.text))) { Tag.code { user.text } }
    }

    /// The source, and the app where the catalogue has several.
    func source(_ source: Source?, _ app: AppID?) -> Markup {
        Shell.cell(words, .columnFromSource) {
            source.map { names.source($0) } ?? ""
            app.map { names.app($0) } ?? .nothing
        }
    }

    /// The title of a purchase's product; its id if the catalogue has none.
    func product(_ id: ProductID?, of key: PurchaseKey) -> Markup {
        if let title = names.product(id, of: key) { return Tag.bdi { title } }
        return Tag.code { id?.text ?? key.externalID.text }
    }

    /// A name or number, which leads to what the search finds for it.
    func search(_ text: String) -> Markup {
        Tag.small { Tag.a(.href(Link("search", query: [("q", text)]))) { Tag.code { text } } }
    }

    /// The cell with what settles a row.
    func settling(@MarkupBuilder _ content: () -> Markup) -> Markup {
        Shell.cell(words, .columnSettles, "settles", content: content)
    }

    /// The cell with the acts on what a row is about.
    func acts(@MarkupBuilder _ content: () -> Markup) -> Markup {
        Shell.cell(words, .columnActs, "settles", content: content)
    }

    /// A form of one button, which comes back to this list.
    func act(_ label: Phrase, _ about: String, to action: Link, _ list: ListFilters, isTaking: Bool = false) -> Markup {
        Shell.form(action, visit.browser.formToken) {
            Tag.input(.type("hidden"), .name("back"), .value(list.link(ListView.before(list.before) ?? []).text))
            Tag.button(
                .class(isTaking ? "as-act bad" : "as-act"), .type("submit"),
                .ariaLabel(words.text(.listed, ["first": words.text(label), "second": about]))
            ) { words.text(label) }
        }
    }
}

extension SignedVisit {
    /// The answer to a form of a list: back to the list, which says what was done.
    func back(_ form: FormText, to list: String, saying done: String) -> Response {
        let link = Link(returningTo: form["back"]) ?? Link(list)
        return .redirected(to: link.adding([("done", done)]))
    }

    /// The number in the path.
    ///
    /// - Throws: `not_found` if it is none.
    func number(_ parameter: String) throws(Problem) -> UInt64 {
        guard let number = visit.call.named(parameter).flatMap({ UInt64($0) }) else { throw Problem(.notFound, "") }
        return number
    }

    var actor: Actor { Actor(member) }
}
