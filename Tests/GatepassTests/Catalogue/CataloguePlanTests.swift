import Entitlements
import Testing

@testable import Gatepass

/// A plan compares what people have under two catalogues, and lists the first of them.
struct CataloguePlanTests {
    private static let now = Instant(milliseconds: 1_768_000_000_000)
    private static let app = AppID("com.airport.vpn")
    private static let tiers = ["free", "basic", "pro"].enumerated().map { Tier(id: TierID($1), rank: $0) }

    /// A catalogue that sells passes of these tiers, each under the tier's name.
    private static func version(
        _ passes: [String], defaultTier: String = "free", tiers: [Tier] = tiers
    ) -> CatalogueVersions {
        let products = passes.map {
            Product(id: ProductID($0), app: app, terms: .pass(tier: TierID($0), days: $0 == "pro" ? 10 : 30))
        }
        let catalogue = Catalogue(
            apps: [Catalogue.App(id: app)], defaultTier: TierID(defaultTier), tiers: tiers, products: products)
        return CatalogueVersions(first: CatalogueVersions.Version(number: 1, effectiveAt: now, catalogue: catalogue))
    }

    /// The plan for people who each bought these products yesterday.
    private static func plan(
        _ people: [[String]], _ before: CatalogueVersions, _ after: CatalogueVersions, unreadable: Int = 0
    ) throws -> CataloguePlan {
        let bought = now + -Instant.millisecondsPerDay
        let timelines = try people.enumerated().map { number, products in
            let drafts = products.map { product in
                let key = PurchaseKey(
                    source: .appleIAP, app: app, environment: .production, externalID: ExternalID("\(number)\(product)")
                )
                let state = VerifiedPurchase(
                    key: key, transactionID: TransactionID(key.externalID.text), productID: ProductID(product),
                    type: .pass, purchasedAt: bought, signedAt: bought)
                return [LedgerEntry.Draft(.stated(.purchase(state)), at: bought), .init(.bound(key), at: bought)]
            }
            var ledger = UserLedger(user: try #require(UserID("u\(number)")))
            ledger.append(drafts.flatMap(\.self), at: bought)
            let folds = [before, after].map {
                Timeline(folding: ledger, given: $0, settings: EntitlementSettings(sandboxAccess: .testers))
            }
            return (before: folds[0], after: folds[1])
        }
        var plan = CataloguePlan(version: 2, isNew: true)
        plan.add(timelines, unreadable: unreadable, at: now)
        return plan
    }

    @Test func `tiers that are only numbered anew are no gain and no loss`() throws {
        let renumbered = ["free", "new", "basic", "newer", "pro"].enumerated().map {
            Tier(id: TierID($1), rank: $0 * 3)
        }
        let (before, after) = (
            Self.version(["basic", "pro"]), Self.version(["basic", "pro"], tiers: renumbered)
        )
        let people = [["pro"], ["basic"], ["basic", "pro"], []]
        for (old, new) in [(before, after), (after, before)] {
            let plan = try Self.plan(people, old, new)
            #expect(plan.users == 4 && plan.gains.isEmpty && plan.losses.isEmpty)
        }
    }

    @Test func `a higher tier is a gain though it ends sooner, and with the same tier the later end`() throws {
        let (some, all) = (Self.version(["basic"]), Self.version(["basic", "pro"]))
        let people = [["pro"], ["basic"], ["basic", "pro"], []]
        let plan = try Self.plan(people, some, all)
        #expect(plan.users == 4 && plan.gains.map(\.user.text) == ["u0", "u2"] && plan.losses.isEmpty)
        #expect(plan.knownPurchases.map(\.key.externalID.text) == ["0pro", "2pro"])
        let back = try Self.plan(people, all, some)
        #expect(back.losses.map(\.user.text) == ["u0", "u2"] && back.gains.isEmpty && back.knownPurchases.isEmpty)
        #expect(
            back.lines[3] == "  u0: pro until 2026-01-18T23:06:40Z; then free",
            "\(back.lines)")
        let longer = try Self.plan([["basic"]], Self.version(["basic"]), Self.version(["basic"], defaultTier: "pro"))
        #expect(longer.gains.isEmpty && longer.losses.isEmpty, "who has coverage has its tier")
        let idle = try Self.plan([["pro"]], some, Self.version(["basic"], defaultTier: "basic"))
        #expect(idle.gains.map(\.after.tier?.text) == ["basic"] && idle.knownPurchases.isEmpty)
    }

    @Test func `words list the first twenty and count the rest, and JSON lists all`() throws {
        let people = Array(repeating: ["pro"], count: 23)
        let plan = try Self.plan(people, Self.version(["basic"]), Self.version(["basic", "pro"]), unreadable: 1)
        let lines = plan.lines
        #expect(lines[0] == "version 2 would be in force; 23 users looked at, 1 more cannot be read")
        #expect(lines[1] == "23 users gain:" && lines[21].hasPrefix("  u19: free; then pro until "))
        #expect(lines[22] == "  and 3 more, which --json lists" && lines[23] == "no user loses")
        #expect(lines[24] == "23 recorded purchases become known:" && lines.count == 46)
        #expect((plan.document["gains"] as? [[String: Any]])?.count == 23)
        #expect((plan.document["known_purchases"] as? [[String: Any]])?.last?["user_id"] as? String == "u22")
        #expect(plan.document["unreadable"] as? Int == 1)
    }

    @Test func `a catalogue that is in force already changes nothing`() {
        let plan = CataloguePlan(version: 7, isNew: false)
        #expect(plan.lines == ["nothing to do: version 7 says the same"])
    }
}
