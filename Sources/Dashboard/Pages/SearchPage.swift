import EntitlementAPI
import Entitlements
import Hummingbird
import LedgerStore

/// `GET /dashboard/search?q=`: whatever a text names. A single hit opens its page.
enum SearchPage {
    private static let shown = 100

    /// - Throws: `unavailable`.
    static func show(_ visit: SignedVisit) async throws(Problem) -> Response {
        let (words, text) = (visit.words, visit.query["q"])
        guard !text.isEmpty else { return .redirected(to: Link()) }
        let found = try await visit.served { store in
            SearchRoute.sorted(try await store.reports.search(text, under: store.labels))
        }
        let links = found.map { link($0, among: found) }
        if Set(links).count == 1, let link = links[0] { return .redirected(to: link) }
        guard !found.isEmpty else { return nothing(visit, text) }
        let catalogue = try await visit.served { $0.catalogue.snapshot }
        let names = Names(words: words, catalogue: catalogue)
        return visit.page(words.text(.searchTitle), searching: text) {
            Tag.h1 { words(.searchFound, ["text": Tag.bdi { text }]) }
            Tag.section(.class("panel"), .ariaLabel(words.text(.searchTitle))) {
                Tag.table(.role("table")) {
                    Shell.head(words, [.columnKind, .columnWhat, .columnWho, .columnSource])
                    Tag.tbody(.role("rowgroup")) {
                        for (hit, link) in zip(found, links).prefix(shown) { row(hit, link, names) }
                    }
                }
            }
        }
    }

    private static func row(_ found: Found, _ link: Link?, _ names: Names) -> Markup {
        let words = names.words
        let name = found.purchase?.text ?? found.notification ?? found.user?.text ?? ""
        return Shell.row {
            Shell.cell(words, .columnKind) { words.text(found.kind.word) }
            Shell.name(words, .columnWhat) {
                if let link {
                    Tag.a(.href(link)) { Tag.code { name } }
                } else {
                    Tag.code { name }
                }
                Shell.sandbox(words, if: found.space?.environment)
                if let transaction = found.transaction, transaction.text != name {
                    Tag.small { Tag.code { transaction.text } }
                }
            }
            Shell.cell(words, .columnWho) {
                if let user = found.user {
                    Tag.a(.href(Link("users", user.text))) { Tag.code { user.text } }
                } else {
                    Tag.span(.class("muted")) { words.text(.nobody) }
                }
            }
            Shell.cell(words, .columnSource) { found.space.map { names.source($0.source) } ?? "" }
        }
    }

    /// The page of something among `all` that was found: that of its user, else that of its purchase. The purchase that
    /// only a delivery names may be unknown, so a delivery leads to its row in the list.
    private static func link(_ found: Found, among all: [Found]) -> Link? {
        if let user = found.user { return Link("users", user.text) }
        if let key = found.key, all.contains(where: { $0.kind != .delivery && $0.key == key }) {
            return PurchasePage.link(to: key)
        }
        return found.delivery.map { Link("deliveries", query: [("before", String($0 + 1))]) }
    }

    private static func nothing(_ visit: SignedVisit, _ text: String) -> Response {
        let words = visit.words
        let isOffered = OrderLookUpRoute.isOffered(to: visit.visit.call)
        let (lead, hints): (Phrase, [Phrase]) =
            if text.contains("@") {
                (.searchMail, [.searchHintUser, .searchHintTransaction])
            } else if !SearchRoute.orders(text).isEmpty {
                (
                    .searchOrder,
                    [.searchHintUser, .searchHintTransaction] + (isOffered ? [] : [.searchOrderOff])
                )
            } else {
                (.searchNothingText, [.searchHintUser, .searchHintTransaction, .searchHintCard])
            }
        return visit.page(words.text(.searchTitle), searching: text) {
            Tag.h1 { words(.searchNothing, ["text": Tag.bdi { text }]) }
            Tag.section(.class("panel"), .ariaLabel(words.text(.searchTitle))) {
                Tag.div(.class("panel-body")) {
                    Tag.p(.class("lead")) { words.text(lead) }
                    if lead == .searchOrder, isOffered {
                        OrderPage.button(asking: text, visit)
                    }
                }
                Tag.ul(.class("list")) {
                    for hint in hints { Tag.li { words.text(hint) } }
                }
            }
        }
    }
}

extension Found.Kind {
    fileprivate var word: Phrase {
        switch self {
        case .user: .foundUser
        case .accountToken: .foundToken
        case .customer: .foundCustomer
        case .purchase: .foundPurchase
        case .grant: .foundGrant
        case .transaction: .foundTransaction
        case .number, .order: .foundNumber
        case .delivery: .foundDelivery
        }
    }
}
