import EntitlementAPI
import Entitlements
import Hummingbird
import LedgerStore

/// `POST /dashboard/orders`: has Apple asked about an order, as `POST /api/admin/orders/look-up` does, and shows what
/// came.
enum OrderPage {
    private static let field = "order_id"

    /// The button that asks Apple.
    static func button(asking order: String, _ visit: SignedVisit) -> Markup {
        Shell.form(Link("orders"), visit.browser.formToken) {
            Tag.input(.type("hidden"), .name(field), .value(order))
            Tag.button(.class("button first"), .type("submit")) { visit.words.text(.askApple) }
        }
    }

    /// - Throws: `not_found` without App Store credentials, `invalid_request` for what is no order number,
    ///   `rate_limited`, `unavailable`.
    static func ask(_ visit: SignedVisit, _ form: FormText) async throws(Problem) -> Response {
        let words = visit.words
        let order = form[field].uppercased()
        let found = try await OrderLookUpRoute.lookUp(order, by: visit.member, visit.visit.call)
        let catalogue = try await visit.served { $0.catalogue.snapshot }
        let names = Names(words: words, catalogue: catalogue)
        return visit.page(words.text(.orderTitle), searching: order) {
            Tag.h1 { words(.orderFound, ["text": Tag.bdi { order }]) }
            Tag.section(.class("panel"), .ariaLabel(words.text(.orderTitle))) {
                if found.isEmpty {
                    Shell.empty(words, .orderNone, .orderNoneHint)
                } else {
                    Tag.table(.role("table")) {
                        Shell.head(words, [.columnWhat, .columnWho, .columnBought, .columnState])
                        Tag.tbody(.role("rowgroup")) {
                            for transaction in found { row(transaction, PurchasePage.unbound(visit), names) }
                        }
                    }
                }
            }
        }
    }

    private static func row(_ transaction: OrderedTransaction, _ unbound: Phrase, _ names: Names) -> Markup {
        let (words, state) = (names.words, transaction.state)
        let product = names.catalogue.products(
            named: state.productNames, from: state.key.source, for: state.key.app
        ).last
        return Shell.row {
            Shell.name(words, .columnWhat) {
                Tag.bdi { names.product(product?.id, of: state.key) ?? state.productID.text }
                Shell.sandbox(words, if: state.key.environment)
                Tag.small { Tag.code { state.transactionID.text } }
            }
            Shell.cell(words, .columnWho) {
                if let owner = transaction.owner {
                    Tag.a(.href(Link("users", owner.text))) { Tag.code { owner.text } }
                } else {
                    Tag.a(.href(PurchasePage.link(to: state.key))) { words.text(unbound) }
                }
            }
            Shell.cell(words, .columnBought) { words.cell(state.purchasedAt) }
            Shell.cell(words, .columnState) {
                words.text(state.revocation == nil ? .orderPaid : .stateRefunded)
            }
        }
    }
}
