import AppStore
import Entitlements
import StoreSimulator

/// The products that are sold during a measurement. `scripts/bench/config/catalog.yaml` has the same products.
enum Sale {
    static let bundleID = "com.example.bench"
    static let millisecondsPerDay: Int64 = 86_400_000

    /// The app's number in the App Store, which Production notifications name.
    static let appAppleID: Int64 = 1_234_567_890

    private static let products = ["pro30", "basic30", "pro90"].map { bundleID + "." + $0 }
    private static let credits = bundleID + ".credits100"
    private static let plan = bundleID + ".monthly"

    /// A pass that was bought `daysAgo` days ago. Its text was signed a minute ago, because StoreKit signs anew at
    /// every request.
    ///
    /// - Parameter account: The number of the Apple account that bought it.
    static func transaction(
        number: Int, place: Int, daysAgo: Int, account: Int = 0, at now: Int64
    ) -> SimulatedTransaction {
        oneTime(products[place % products.count], .nonRenewingSubscription, number, daysAgo, account, now)
    }

    /// A pack of credits, bought a year earlier than `daysAgo` says, so that there was time to spend it.
    static func credits(number: Int, daysAgo: Int, account: Int, at now: Int64) -> SimulatedTransaction {
        oneTime(credits, .consumable, number, daysAgo + 365, account, now)
    }

    private static func oneTime(
        _ product: String, _ type: ProductType, _ number: Int, _ daysAgo: Int, _ account: Int, _ now: Int64
    ) -> SimulatedTransaction {
        var transaction = SimulatedTransaction(
            String(firstTransactionID + number), of: product, type: type, bundleId: bundleID,
            at: now - Int64(daysAgo) * millisecondsPerDay)
        transaction.environment = .production
        transaction.appTransactionId = String(firstAccountID + account)
        return transaction.signed(at: now - 60_000)
    }

    /// The two events of a monthly plan: it began 31 days ago and renewed a day ago.
    ///
    /// - Throws: Nothing, because the plan fits its renewal.
    static func renewedPlan(
        number: Int, token: String, at now: Int64
    ) throws -> (begun: SimulatedEvent, renewed: SimulatedEvent) {
        let buyer = SimulatedSubscription.Buyer(
            bundleId: bundleID, subscriptionGroup: "21000000", environment: .production, appAccountToken: token,
            appTransactionId: String(firstAccountID + number))
        let renewedAt = now - millisecondsPerDay
        var (subscription, begun) = SimulatedSubscription.begin(
            .init(plan, as: String(firstPeriodID + 2 * number), until: renewedAt), by: buyer,
            at: renewedAt - 30 * millisecondsPerDay)
        let renewed = try subscription.renew(
            as: String(firstPeriodID + 2 * number + 1), until: renewedAt + 30 * millisecondsPerDay, at: now)
        return (begun, renewed)
    }

    private static let firstTransactionID = 2_000_000_000_000_000
    private static let firstPeriodID = 3_000_000_000_000_000
    private static let firstAccountID = 700_000_000_000_000_000

    /// The catalogue as a value, for measurements without a server.
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

    /// The product at a place of the list, which repeats after its end.
    static func product(_ place: Int) -> ProductID { ProductID(products[place % products.count]) }
}
