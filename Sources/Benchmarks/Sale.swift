import AppStore
import Entitlements
import StoreSimulator

/// What is on sale while something is measured; `scripts/bench/config/catalog.yaml` says the same.
enum Sale {
    static let bundleID = "com.example.bench"
    static let millisecondsPerDay: Int64 = 86_400_000

    private static let products = ["pro30", "basic30", "pro90"].map { bundleID + "." + $0 }

    /// A pass that was bought some days ago and whose text was signed just now, as StoreKit signs at every request.
    static func transaction(number: Int, place: Int, daysAgo: Int, at now: Int64) -> SimulatedTransaction {
        var transaction = SimulatedTransaction(
            String(firstTransactionID + number), of: products[place % products.count], type: .nonRenewingSubscription,
            bundleId: bundleID, at: now - Int64(daysAgo) * millisecondsPerDay)
        transaction.environment = .production
        return transaction.signed(at: now - 60_000)
    }

    private static let firstTransactionID = 2_000_000_000_000_000

    /// The catalogue as values, for what is measured without a server.
    static var catalogue: CatalogueVersions {
        let app = AppID(bundleID)
        let tiers = [
            Tier(id: TierID("basic"), rank: 1, features: [Feature("standard_servers")], devices: 1),
            Tier(id: TierID("pro"), rank: 2, features: [Feature("premium_servers")], devices: 5),
        ]
        let lengths: [(tier: String, days: Int)] = [("pro", 30), ("basic", 30), ("pro", 90)]
        let catalogue = Catalogue(
            apps: [Catalogue.App(id: app)], tiers: tiers,
            products: zip(products, lengths).map { product, length in
                Product(
                    id: ProductID(product), app: app, terms: .pass(tier: TierID(length.tier), days: length.days))
            })
        return CatalogueVersions(
            first: CatalogueVersions.Version(number: 1, effectiveAt: .distantPast, catalogue: catalogue))
    }

    /// The product that stands at a place of the cycle.
    static func product(_ place: Int) -> ProductID { ProductID(products[place % products.count]) }
}
