import Entitlements
import StripeBilling

/// Keeps what events say as the ledger does, without a database: statements once, what numbers mean, and what waits for
/// them. One user has everything.
struct CardWorld {
    private var statements: [Statement] = []
    private var links: Set<CardNews.Link> = []
    private var parked: [CardTakeback] = []

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

    mutating func take(_ news: CardNews) {
        links.formUnion(news.links)
        keep(news.statements)
        if let takeback = news.takeback { parked.append(takeback) }
        parked = parked.filter { takeback in
            let made = statements(of: takeback)
            keep(made)
            return made.isEmpty
        }
    }

    private mutating func keep(_ new: [Statement]) {
        for statement in new where !statements.contains(statement) { statements.append(statement) }
    }

    private func statements(of takeback: CardTakeback) -> [Statement] {
        var made: [Statement] = []
        var next = takeback.numbers
        while let number = next.popLast() {
            let meanings = links.filter { $0.number == number }.map(\.meaning)
            var paid: [ExternalID: Set<TransactionID>] = [:]
            for meaning in meanings {
                switch meaning {
                case .number(let other): next.append(other)
                case .transaction(let purchase, let id): paid[purchase, default: []].insert(id)
                }
            }
            for (purchase, transactions) in paid {
                made += takeback.statements(about: states(of: purchase), paying: transactions)
            }
            if meanings.isEmpty { made += takeback.statements(about: states(of: ExternalID(number)), paying: nil) }
        }
        return made
    }

    private func states(of purchase: ExternalID) -> [VerifiedPurchase] {
        statements.compactMap(\.state).filter { $0.key.externalID == purchase }
    }

    /// What covers, past and planned, in days from `start`, and what is left over.
    func pieces(from start: Instant) -> [String] {
        var ledger = UserLedger(user: .erased(pseudonym: 1))
        let facts = statements.map { LedgerEntry.Draft(.stated($0), at: $0.signedAt) }
        let keys = Set(statements.map(\.key)).sorted().map { LedgerEntry.Draft(.bound($0), at: start) }
        ledger.append(facts + keys, at: start)
        let timeline = Timeline(
            folding: ledger, given: Self.catalogue, settings: EntitlementSettings(sandboxAccess: .everyone))
        let day = { (instant: Instant) in (instant - start) / Instant.millisecondsPerDay }
        let pieces = (timeline.planned + timeline.graces).map { piece in
            "\(piece.segment.tier) \(day(piece.segment.startsAt))..\(day(piece.segment.endsAt))"
        }
        return pieces + parked.map { "parked \($0.id)" }
    }
}
