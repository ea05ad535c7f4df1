import Entitlements
import Hummingbird
import LedgerStore

/// `GET /api/admin/purchases`: the purchases and grants of every source, each with its payments, the last recorded
/// first.
enum RecordedPurchasesRoute {
    /// The parameters beside those of a page.
    static let parameters = ["user_id", "product_id", "source", "environment", "since"]

    /// - Throws: `invalid_request` for a malformed filter, limit or cursor, `unavailable`.
    static func respond(to call: ServerCall) async throws(Problem) -> Response {
        let query = try Query(call.request.uri.query)
        let page = try PageRequest(query, of: "recorded-purchases")
        let filter = PurchaseFilter(
            user: try query.user("user_id"), product: try query.text("product_id").map { ProductID($0) },
            source: try query.name("source", among: StoreInbox.sources + [.manual]),
            environment: try query.choice("environment"), since: try query.instant("since"))
        let found = try await call.served {
            try await $0.reports.purchases(filter, before: page.before, limit: page.limit)
        }
        let catalogue = call.api.catalogue
        let rows = found.rows.map { purchase in
            (purchase, names: ProductNames(of: purchase, in: catalogue))
        }.filter { filter.product.map($0.names.contain) ?? true }
        return .json(
            page.body(of: ListPage(rows: rows, next: found.next)) { json, row in
                let (purchase, names) = row
                json.member("user_id", purchase.owner?.text)
                json.members(of: purchase.key)
                json.member("product_id", names.product?.text)
                json.member("store_product_id", names.storeProduct?.text)
                json.member("quantity", purchase.states.quantity)
                json.member("recorded_at", exactly: "recorded_at_ms", purchase.recordedAt)
                json.member("bound_at", exactly: "bound_at_ms", purchase.boundAt)
                json.member(
                    "purchased_at", exactly: "purchased_at_ms",
                    purchase.newest?.purchasedAt ?? purchase.grant?.grantedAt)
                json.member("revoked_at", exactly: "revoked_at_ms", purchase.states.revocation?.revokedAt)
                json.member("revoked_share", purchase.states.revocation?.share)
                json.members(of: purchase.payments)
            })
    }
}

/// The names of the product of a purchase.
private struct ProductNames {
    /// The id in the catalogue; nil while the catalogue does not know the product.
    let product: ProductID?
    /// The id in the store; nil for a grant, and for a payment that names no product.
    let storeProduct: ProductID?

    init(of purchase: RecordedPurchase, in catalogue: CatalogueVersions) {
        var given: ProductID?
        if case .addOn(let product, _) = purchase.grant?.gift { given = product }
        product = purchase.newest.flatMap { catalogue.product(of: $0)?.id } ?? given
        storeProduct = purchase.newest?.storeProductID
    }

    func contain(_ name: ProductID) -> Bool { product == name || storeProduct == name }
}
