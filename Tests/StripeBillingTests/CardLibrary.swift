import Entitlements
import StripeBilling

/// Events, each read once, and everything that they say.
final class CardLibrary {
    /// What one event says, by the places of it.
    struct Event {
        let statements: [Int]
        let links: [Int]
        let takeback: Takeback?
    }

    private(set) var events: [Event] = []
    private(set) var statements: [Statement] = []
    private(set) var links: [PurchaseNumber] = []

    init(_ news: [CardNews]) {
        for news in news {
            let links = news.numbers.map { link in
                self.links.firstIndex(of: link)
                    ?? {
                        self.links.append(link)
                        return self.links.count - 1
                    }()
            }
            events.append(
                Event(statements: news.statements.map { place($0) }, links: links, takeback: news.takeback))
        }
    }

    /// Where a statement stands, from now on at the latest.
    func place(_ statement: Statement) -> Int {
        if let place = statements.firstIndex(of: statement) { return place }
        statements.append(statement)
        return statements.count - 1
    }

    static let catalogue = CatalogueVersions(
        first: .init(
            number: 1, effectiveAt: .distantPast,
            catalogue: Catalogue(
                apps: [.init(id: AppID("app"))],
                tiers: [Tier(id: TierID("basic"), rank: 1), Tier(id: TierID("pro"), rank: 2)],
                products: [
                    product(
                        "month", .plan(tier: TierID("pro"), planID: "monthly_2", familyShareable: false), "price_pro"),
                    product("basic", .plan(tier: TierID("basic"), planID: nil, familyShareable: false), "price_basic"),
                    product("pass", .pass(tier: TierID("pro"), days: 30), "plink_pass"),
                ])))

    private static func product(_ id: String, _ terms: Terms, _ name: String) -> Product {
        Product(id: ProductID(id), app: AppID("app"), terms: terms, cardNames: [ProductID(name)])
    }
}
