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
        let links = Set(found.compactMap(link))
        if links.count == 1, let link = links.first, found.allSatisfy({ self.link($0) != nil }) {
            return .redirected(to: link)
        }
        guard !found.isEmpty else { return nothing(visit, text) }
        let catalogue = try await visit.served { $0.catalogue.snapshot }
        let names = Names(words: words, catalogue: catalogue)
        return visit.page(words.text(.searchTitle), searching: text) {
            Tag.h1 { words(.searchFound, ["text": Tag.bdi { text }]) }
            Tag.section(.class("panel"), .ariaLabel(words.text(.searchTitle))) {
                Tag.table(.role("table")) {
                    Shell.head(words, [.columnKind, .columnWhat, .columnWho, .columnSource])
                    Tag.tbody {
                        for hit in found.prefix(shown) { row(hit, names) }
                    }
                }
            }
        }
    }

    private static func row(_ found: Found, _ names: Names) -> Markup {
        let words = names.words
        let name = found.purchase?.text ?? found.notification ?? found.user?.text ?? ""
        return Tag.tr {
            Tag.td(.label(words.text(.columnKind))) { words.text(found.kind.word) }
            Tag.th(.scope("row"), .label(words.text(.columnWhat))) {
                if let link = link(found) {
                    Tag.a(.href(link)) { Tag.code { name } }
                } else {
                    Tag.code { name }
                }
                Shell.sandbox(words, if: found.space?.environment)
                if let transaction = found.transaction, transaction.text != name {
                    Tag.small { Tag.code { transaction.text } }
                }
            }
            Tag.td(.label(words.text(.columnWho))) { found.user?.text ?? words.text(.nobody) }
            Tag.td(.label(words.text(.columnSource))) { found.space.map { names.source($0.source) } ?? "" }
        }
    }

    /// The page of something that was found: that of its user, else that of its purchase.
    private static func link(_ found: Found) -> Link? {
        if let user = found.user { return Link("users", user.text) }
        return found.key.map { PurchasePage.link(to: $0) }
    }

    private static func nothing(_ visit: SignedVisit, _ text: String) -> Response {
        let words = visit.words
        let (lead, hints): (Phrase, [Phrase]) =
            if text.contains("@") {
                (.searchMail, [.searchHintUser, .searchHintTransaction])
            } else if !SearchRoute.orders(text).isEmpty {
                (.searchOrder, [.searchHintUser, .searchHintTransaction])
            } else {
                (.searchNothingText, [.searchHintUser, .searchHintTransaction, .searchHintCard])
            }
        return visit.page(words.text(.searchTitle), searching: text) {
            Tag.h1 { words(.searchNothing, ["text": Tag.bdi { text }]) }
            Tag.section(.class("panel"), .ariaLabel(words.text(.searchTitle))) {
                Tag.div(.class("panel-body")) {
                    Tag.p(.class("lead")) { words.text(lead) }
                    if lead == .searchOrder, OrderLookUpRoute.isOffered(to: visit.visit.call) {
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
