import Entitlements
import Foundation
import Support
import Testing

@testable import Gatepass

/// What a catalogue's text means.
@Suite struct CatalogueFileTests {
    static func demo() throws -> String {
        try String(contentsOfFile: TestRun.repository + "/config/catalog.yaml", encoding: .utf8)
    }

    @Test func `the demo catalogue is read whole`() throws {
        let catalogue = try CatalogueFile.parse(text: Self.demo(), fileName: "catalog.yaml")
        #expect(catalogue.apps == [Catalogue.App(id: AppID("com.airport.vpn"), appleID: 1_234_567_890)])
        #expect(catalogue.defaultTier == TierID("free"))
        #expect(catalogue.lanes == [Lane(id: .main)])
        #expect(
            catalogue.tiers == [
                Tier(id: TierID("free"), rank: 0, limits: ["saved_trips": 1]),
                Tier(
                    id: TierID("basic"), rank: 1, features: [Feature("standard_servers")],
                    limits: ["saved_trips": 10], devices: 1, titles: ["en": "Basic", "zh-Hans": "基础版"]),
                Tier(
                    id: TierID("pro"), rank: 2, features: [Feature("standard_servers"), Feature("premium_servers")],
                    limits: ["saved_trips": 1000], devices: 5, titles: ["en": "Pro", "zh-Hans": "专业版"]),
            ])
        #expect(catalogue.ownership == OwnershipPolicies())
        let pro = TierID("pro")
        let app = AppID("com.airport.vpn")
        #expect(
            catalogue.products.first
                == Product(
                    id: ProductID("com.airport.vpn.pass.30d"), app: app, terms: .pass(tier: pro, days: 30),
                    cardNames: [ProductID("plink_pass_30d")], price: Product.Price(amount: "4.99", currency: "USD"),
                    titles: ["en": "30-day pass", "zh-Hans": "30 天通行证"]))
        #expect(
            catalogue.products.dropFirst().map(\.terms) == [
                .pass(tier: pro, days: 90), .pass(tier: pro, days: 365),
                .addOn(features: [Feature("xyz")], requires: nil, seats: 0, familyShareable: false),
                .consumable(unit: "credit", amount: 100, onShortfall: .debt),
                .plan(tier: pro, planID: "annual_3", familyShareable: true),
                .plan(tier: pro, planID: "annual_5", familyShareable: false),
                .plan(tier: TierID("basic"), planID: "monthly_1", familyShareable: false),
                .plan(tier: pro, planID: "monthly_2", familyShareable: false),
            ])
        #expect(catalogue.products.map(\.source) == Array(repeating: .appleIAP, count: 8) + [.stripe])
        #expect(catalogue.products.allSatisfy { $0.app == app && Set($0.titles.keys) == ["en", "zh-Hans"] })
    }

    @Test func `every optional key is read`() throws {
        let catalogue = try CatalogueFile.parse(
            text: """
                apps: [{bundle_id: a}, {bundle_id: b}]
                lanes: [{id: main}, {id: side, under_higher_window: pause}]
                tiers: [{id: pro, rank: 1, title: {en: Pro, de: Profi}}, {id: extra, rank: 1, lane: side}]
                ownership: {pass: transfer, add_on: transfer_if_inactive, plan: keep}
                products:
                  - {id: x, kind: add_on, app: b, features: [f], requires: {tier: pro}, seats: 2,
                     family_shareable: true, description: {no: Ekstra}}
                  - {id: c, kind: consumable, app: a, unit: credit, amount: 5, on_shortfall: write_off}
                  - {id: c, kind: consumable, app: b, unit: credit, amount: 6}
                  - {id: c, kind: consumable, app: b, source: stripe, unit: credit, amount: 7}
                  - {id: p, kind: pass, app: a, tier: pro, duration: 30d, devices: 2}
                  - {id: q, kind: plan, app: a, tier: pro, devices: 4, subscription_group: "21"}
                """, fileName: "f")
        #expect(catalogue.lanes[1] == Lane(id: LaneID("side"), underHigherWindow: .pause))
        #expect(catalogue.tiers[1].lane == LaneID("side"))
        #expect(catalogue.tiers.map(\.titles) == [["en": "Pro", "de": "Profi"], [:]])
        #expect(catalogue.ownership == OwnershipPolicies([.pass: .transfer, .addOn: .transferIfInactive]))
        #expect(
            catalogue.products.map(\.terms) == [
                .addOn(features: [Feature("f")], requires: TierID("pro"), seats: 2, familyShareable: true),
                .consumable(unit: "credit", amount: 5, onShortfall: .writeOff),
                .consumable(unit: "credit", amount: 6, onShortfall: .debt),
                .consumable(unit: "credit", amount: 7, onShortfall: .debt),
                .pass(tier: TierID("pro"), days: 30),
                .plan(tier: TierID("pro"), planID: nil, familyShareable: false),
            ])
        #expect(catalogue.products.map(\.devices) == [nil, nil, nil, nil, 2, 4])
        #expect(catalogue.products.map(\.app.text) == ["b", "a", "b", "b", "a", "a"])
        #expect(catalogue.products.map(\.subscriptionGroup) == [nil, nil, nil, nil, nil, "21"])
        #expect(catalogue.products[0].descriptions == ["no": "Ekstra"])
    }

    @Test func `comments, layout and stated defaults make no new version; a changed value does`() throws {
        let text = """
            apps: [{bundle_id: a}]
            tiers: [{id: pro, rank: 1}]
            products: [{id: p, kind: pass, tier: pro, duration: 30d}]
            """
        let verbose = """
            # the same, at length
            products:
              - kind: pass
                id: "p"
                app: a
                source: apple_iap
                duration: "30d"
                tier: pro
            ownership: {pass: keep}
            lanes: [{id: main, under_higher_window: run}]
            tiers: [{id: pro, rank: 1, features: [], limits: {}, lane: main}]
            apps: [{bundle_id: a}]
            """
        let catalogue = try CatalogueFile.parse(text: text, fileName: "a")
        #expect(try CatalogueFile.parse(text: verbose, fileName: "b") == catalogue)
        let changed = text.replacingOccurrences(of: "30d", with: "31d")
        #expect(try CatalogueFile.parse(text: changed, fileName: "c") != catalogue)
        #expect(try CatalogueFile(text: verbose, fileName: "b").text == verbose)
    }

    @Test func `a limit may be unlimited, which is the largest number that every client has exactly`() throws {
        let text = "{apps: [{bundle_id: a}], tiers: [{id: pro, rank: 1, limits: {trips: unlimited}}], products: []}"
        let file = try CatalogueFile(text: text, fileName: "c")
        #expect(file.catalogue.tiers.first?.limits == ["trips": 9_007_199_254_740_991])
        #expect(file.text.contains("unlimited"), "a version of the database says what the file says")
        #expect(Tier.text(ofLimit: 9_007_199_254_740_991) == "unlimited" && Tier.text(ofLimit: 7) == "7")
    }

    @Test func `a version that turns ranks around is refused at the line of the rank`() throws {
        let text = """
            apps: [{bundle_id: a}]
            tiers:
              - {id: basic, rank: 1}
              - {id: pro, rank: 2}
            products: []
            """
        let turned = text.replacingOccurrences(of: "rank: 1", with: "rank: 3")
        let previous = try CatalogueFile.parse(text: text, fileName: "catalog.yaml")
        #expect(throws: Never.self) { try CatalogueFile(text: text, fileName: "f").check(following: previous) }
        let error = try #require(throws: CatalogueFileError.self) {
            try CatalogueFile(text: turned, fileName: "catalog.yaml").check(following: previous)
        }
        #expect(error.description.hasPrefix("catalog.yaml:4: tiers[1].rank: "))
    }

    @Test func `the check says how much is in a right catalogue`() throws {
        let file = try CatalogueFile(text: Self.demo(), fileName: "config/catalog.yaml")
        #expect(
            CatalogueCheckCommand.summary(of: file)
                == "config/catalog.yaml is right: 1 app, 1 lane, 3 tiers, 9 products")
    }
}
