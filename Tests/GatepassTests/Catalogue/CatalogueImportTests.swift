import EntitlementAPI
import Entitlements
import Foundation
import Testing

@testable import Gatepass

/// The catalogue that a StoreKit configuration file becomes, and what is said about it.
@Suite struct CatalogueImportTests {
    static let app = AppID("com.example.app")
    static let pro = TierID("pro")

    /// A file, what is added to it, and the products that the catalogue's own reader finds.
    struct Case: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let text: String
        var days: [String: Int] = [:]
        var credits: [String: Int] = [:]
        let products: [Product]
        let notes: [String]
    }

    private static let unpriced =
        "prices are in USD, because no StoreKit file has a currency: give --currency for another"
    private static let periods =
        "the periods of plans are not written, because the App Store says when each one ends"

    static let formats = [
        Case(
            testDescription: "format 1", text: StoreKitText.first, credits: ["com.example.app.coins": 100],
            products: [
                Product(
                    id: ProductID("com.example.app.addon.maps"), app: app,
                    terms: .addOn(features: [Feature("maps")], requires: nil, seats: 0, familyShareable: true),
                    price: Product.Price(amount: "1.99", currency: "USD"), titles: ["en": "Offline maps"],
                    descriptions: ["en": "Works without a network"]),
                Product(
                    id: ProductID("com.example.app.coins"), app: app,
                    terms: .consumable(unit: "credit", amount: 100, onShortfall: .debt),
                    price: Product.Price(amount: "29", currency: "USD")),
            ],
            notes: [unpriced]),
        Case(
            testDescription: "format 2", text: StoreKitText.second, days: ["com.example.app.week": 7],
            products: [
                Product(
                    id: ProductID("com.example.app.week"), app: app, terms: .pass(tier: pro, days: 7),
                    price: Product.Price(amount: "4.99", currency: "USD"), titles: ["es": "Una semana"])
            ],
            notes: [
                "the file holds a private key (subscriptionOffersKeyPair): keep it out of your repository", unpriced,
            ]),
        Case(
            testDescription: "format 3", text: StoreKitText.third,
            products: [
                Product(
                    id: ProductID("com.example.app.pro.monthly"), app: app,
                    terms: .plan(tier: pro, planID: "monthly", familyShareable: false),
                    price: Product.Price(amount: "2.99", currency: "USD"), subscriptionGroup: "5D00C0DE",
                    titles: ["en": "Monthly"]),
                Product(
                    id: ProductID("com.example.app.annual_3"), app: app,
                    terms: .plan(tier: pro, planID: "annual_3", familyShareable: true),
                    price: Product.Price(amount: "19.99", currency: "USD"), subscriptionGroup: "5D00C0DE",
                    titles: ["en": "Family"]),
            ],
            notes: [
                "the subscription_group of com.example.app.pro.monthly is Xcode's own: write the number that the group "
                    + "has in the App Store",
                "com.example.app.annual_3 is for 3 devices, because its plan_id is annual_3: write another one if it "
                    + "is not", unpriced, periods,
            ]),
        Case(
            testDescription: "format 4", text: StoreKitText.fourth, days: ["com.example.app.pass.30d": 30],
            products: [
                Product(
                    id: ProductID("com.example.app.pass.30d"), app: app, terms: .pass(tier: pro, days: 30),
                    price: Product.Price(amount: "9.99", currency: "USD"),
                    titles: [
                        "en": "30-day pass", "en-US": "30-day pass, no tax", "zh-Hans": "30 天通行证",
                        "zh-Hant": "30 天通行證",
                    ], descriptions: ["en": "30 days", "en-US": "30 days", "zh-Hans": "30 天"]),
                Product(
                    id: ProductID("com.example.app.pro"), app: app,
                    terms: .plan(tier: pro, planID: "pro", familyShareable: false),
                    price: Product.Price(amount: "2.99", currency: "USD"), subscriptionGroup: "21000001"),
            ], notes: [unpriced, periods]),
        Case(
            testDescription: "format 5", text: StoreKitText.fifth,
            products: [
                Product(
                    id: ProductID("com.example.app.yearly"), app: app,
                    terms: .plan(tier: pro, planID: "yearly", familyShareable: true),
                    price: Product.Price(amount: "29.99", currency: "USD"), subscriptionGroup: "21000002",
                    titles: ["en": "Yearly"])
            ], notes: [unpriced, periods]),
    ]

    @Test(arguments: formats)
    func `a file of each format becomes a catalogue that is right`(file: Case) throws {
        let made = try Self.made(file.text) {
            $0.days = file.days
            $0.credits = file.credits
        }
        #expect(made.notes == file.notes)
        let catalogue = try CatalogueFile.parse(text: made.text, fileName: "c")
        #expect(
            catalogue
                == Catalogue(
                    apps: [Catalogue.App(id: Self.app)], defaultTier: TierID("free"),
                    tiers: [Tier(id: TierID("free"), rank: 0), Tier(id: Self.pro, rank: 1)], products: file.products))
        #expect(!made.text.contains("canary") && !made.notes.joined().contains("canary"))
    }

    @Test func `a pass without a length is left empty, the import says so, and the check names it`() throws {
        let made = try Self.made(StoreKitText.passes) { $0.days = ["com.example.pass.30d": 30] }
        #expect(
            made.text == """
                apps:
                  - bundle_id: "com.example.app"
                default_tier: free
                tiers:
                  - {id: free, rank: 0, features: []}
                  - {id: "pro", rank: 1, features: []}
                products:
                  - {id: "com.example.pass.30d", kind: pass, tier: "pro", duration: 30d,
                     price: {amount: "9.99", currency: USD},
                     title: {en: "30-day pass"},
                     description: {en: "30 days"}}
                  - {id: "com.example.pass.90d", kind: pass, tier: "pro",
                     duration: ,  # fill in, such as 30d
                     price: {amount: "24.99", currency: USD},
                     title: {en: "90-day pass"},
                     description: {en: "90 days"}}
                """)
        #expect(
            made.notes == [
                "com.example.pass.90d has no duration, because no StoreKit file has one: fill it in, or give "
                    + "--pass ID=30d", Self.unpriced,
            ])
        let missing = "c:13: a product of kind pass (\"com.example.pass.90d\") has no duration; write duration: 30d"
        #expect(Self.faults(made.text) == [missing])
        #expect(Self.faults(made.text.replacing("duration: ,", with: "duration: 90d,")) == [])
    }

    @Test func `all that neither the file nor an option says is named by the import and by the check`() throws {
        let made = try Self.made(StoreKitText.first) { $0.bundleID = nil }
        #expect(
            made.notes == [
                "the app has no bundle_id, because no StoreKit file has one: fill it in, or give --bundle-id",
                "com.example.app.coins has no amount, because no StoreKit file has one: fill it in, or give "
                    + "--credits ID=100", Self.unpriced,
            ])
        #expect(
            Self.faults(made.text) == [
                "c:2: an app has no bundle_id; write bundle_id: com.example.app",
                "c:13: a product of kind consumable (\"com.example.app.coins\") has no amount; write amount: 100",
            ])
    }

    @Test func `tier and currency are the options', and a currency that was given is not told`() throws {
        let made = try Self.made(StoreKitText.passes) {
            $0.tier = "plus"
            $0.currency = "EUR"
            $0.days = ["com.example.pass.30d": 30, "com.example.pass.90d": 90]
        }
        #expect(made.notes == [])
        let catalogue = try CatalogueFile.parse(text: made.text, fileName: "c")
        #expect(catalogue.tiers.map(\.id.text) == ["free", "plus"])
        #expect(catalogue.products.map(\.terms.tier?.text) == ["plus", "plus"])
        #expect(catalogue.products.map(\.price?.currency) == ["EUR", "EUR"])
    }

    @Test(
        arguments: [
            (
                StoreKitText.passes, ["com.example.pass.31d": 31], [:],
                "--pass: the file has no product com.example.pass.31d; write com.example.pass.30d"
            ),
            (
                StoreKitText.passes, ["week": 7], [:],
                "--pass: the file has no product week; write one of com.example.pass.30d, com.example.pass.90d"
            ),
            (
                StoreKitText.first, ["com.example.app.coins": 7], [:],
                "--pass: com.example.app.coins is of kind consumable, not pass; leave it out"
            ),
            (
                StoreKitText.first, [:], ["com.example.app.addon.maps": 7],
                "--credits: com.example.app.addon.maps is of kind add_on, not consumable; write com.example.app.coins"
            ),
            (
                StoreKitText.passes, [:], ["com.example.pass.30d": 7],
                "--credits: com.example.pass.30d is of kind pass, not consumable; leave it out"
            ),
        ] as [(String, [String: Int], [String: Int], String)])
    func `an option for another product is refused`(
        _ text: String, _ days: [String: Int], _ credits: [String: Int], _ fault: String
    ) {
        let error = #expect(throws: Fault.self) {
            try Self.made(text) {
                $0.days = days
                $0.credits = credits
            }
        }
        #expect(error?.description == fault)
    }

    @Test(arguments: [
        (["en_US"], ["en": 0]), (["en_GB", "en_US"], ["en": 0, "en-US": 1]), (["zh_Hans_CN"], ["zh-Hans": 0]),
        (["zh_Hans", "zh_Hant", "zh_TW"], ["zh-Hans": 0, "zh-Hant": 1, "zh": 2]), (["es-419"], ["es": 0]),
        (["pt_PT", "pt_BR", "no"], ["pt": 0, "pt-BR": 1, "no": 2]), (["de_1996"], ["de": 0]),
    ])
    func `the first locale of a language is the language, and others keep their regions`(
        _ locales: [String], _ tags: [String: Int]
    ) throws {
        let made = try Self.made(Self.pass(titled: locales.map { ($0, $0) }))
        let titles = try CatalogueFile.parse(text: made.text, fileName: "c").products[0].titles
        #expect(titles == tags.mapValues { locales[$0] })
        #expect(made.notes == [])
        for locale in locales {
            let wanted = AcceptLanguage(locale.replacing("_", with: "-"))
            #expect(wanted.best(in: AcceptLanguage.ordered(titles.keys)).flatMap { titles[$0] } == locale)
        }
    }

    @Test(arguments: [
        "english_us", "", "e", "en_", "en US", "en_US", "x: 1", "en_" + String(repeating: "a_", count: 16) + "a",
    ])
    func `a locale that is no language, or comes twice, leaves its texts out and says so`(_ locale: String) throws {
        let made = try Self.made(
            Self.pass(titled: [("en_US", "one"), ("en_GB", "two"), (locale, "three")]) { text in
                // The third locale would be `en-US`, which is taken if it comes once more.
                locale == "en_US" ? text.replacing("en_GB", with: "en-US") : text
            })
        let note = "p.30d is written without the texts of a locale that is no language, or comes twice"
        #expect(made.notes == [note])
        let second = locale == "en_US" ? "en-US" : "en-GB"
        let product = try CatalogueFile.parse(text: made.text, fileName: "c").products[0]
        #expect(product.titles == ["en": "one", second: "two"])
    }

    @Test func `names are the last components of ids, and whole ids where two products share one`() throws {
        let made = try Self.made(
            """
            {"version": {"major": 3}, "products": [
              {"productID": "com.a.maps.offline", "type": "NonConsumable"},
              {"productID": "com.a.music.offline", "type": "NonConsumable"},
              {"productID": "maps", "type": "NonConsumable"}, {"productID": "com.a.themes.", "type": "NonConsumable"}],
             "subscriptionGroups": [{"subscriptions": [
              {"productID": "com.a.annual_0"}, {"productID": "com.a.monthly_5"}, {"productID": "com.a.monthly_x"}]}]}
            """)
        let products = try CatalogueFile.parse(text: made.text, fileName: "c").products
        #expect(
            products.map(\.terms) == [
                .addOn(
                    features: [Feature("com.a.maps.offline")], requires: nil, seats: 0, familyShareable: false),
                .addOn(
                    features: [Feature("com.a.music.offline")], requires: nil, seats: 0, familyShareable: false),
                .addOn(features: [Feature("maps")], requires: nil, seats: 0, familyShareable: false),
                .addOn(features: [Feature("themes")], requires: nil, seats: 0, familyShareable: false),
                .plan(tier: Self.pro, planID: nil, familyShareable: false),
                .plan(tier: Self.pro, planID: "monthly_5", familyShareable: false),
                .plan(tier: Self.pro, planID: "monthly_x", familyShareable: false),
            ])
        #expect(products.map(\.subscriptionGroup) == Array(repeating: nil, count: 7))
        #expect(
            made.notes == [
                "com.a.monthly_5 is for 5 devices, because its plan_id is monthly_5: write another one if it is not",
                Self.periods,
            ])
    }

    @Test func `a newer format, an unknown type and a price that is none are said, and the rest is written`() throws {
        let made = try Self.made(
            """
            {"version": {"major": 6}, "subscriptionOffersKeyPair": null, "products": [
              {"productID": "a", "type": "Rental", "displayPrice": "1"}, {"productID": "b"},
              {"productID": "c", "type": "NonConsumable", "displayPrice": "1,99"},
              {"productID": "d", "type": "NonConsumable", "displayPrice": 2.50},
              {"productID": "e", "type": "NonRenewingSubscription"}]}
            """
        ) { $0.days = ["e": 30] }
        #expect(
            made.notes == [
                "the file has format 6, and 5 is the newest that was tried: compare the catalogue with what Xcode "
                    + "shows",
                "a is left out, because its type is not known", "b is left out, because its type is not known",
                "c is written without its price, which is no decimal number such as 4.99", Self.unpriced,
            ])
        let products = try CatalogueFile.parse(text: made.text, fileName: "c").products
        #expect(products.map(\.id.text) == ["c", "d", "e"])
        #expect(products.map(\.price) == [nil, Product.Price(amount: "2.50", currency: "USD"), nil])
        #expect(products[2].terms == .pass(tier: Self.pro, days: 30))
    }

    @Test func `a file that sells nothing becomes a catalogue without products`() throws {
        let made = try Self.made(#"{"version": {"major": 1}, "products": null}"#)
        #expect(made.notes == ["the file sells nothing that a catalogue can have"])
        #expect(try CatalogueFile.parse(text: made.text, fileName: "c").products == [])
    }

    // MARK: Hostile texts

    @Test(arguments: [
        "\"}, {id: evil, kind: pass, tier: pro, duration: 1d", "\"\n  - {id: evil}", "a: b", "# no comment", "*alias",
        "&anchor", "\\", "\\\"", "!!binary x", "---\n...", "null", "true", "1", " ", "a\r\nb\tc", "a\u{2028}b\u{2029}c",
        "a\u{85}b", "\u{7}\u{1B}[31m", "a\u{FEFF}b", "\u{202E}desrever", "\u{FFFE}", "😀 你好 é", "می\u{200C}خواهم",
    ])
    func `whatever a title holds, it stays a title`(_ title: String) throws {
        let made = try Self.made(Self.pass(titled: [("en_US", title)]))
        let catalogue = try CatalogueFile.parse(text: made.text, fileName: "c")
        #expect(catalogue.products.map(\.titles) == [["en": title]])
        #expect(made.text.split(separator: "\n").count == 9)
        let isShown = made.text.unicodeScalars.allSatisfy { scalar in
            let category = scalar.properties.generalCategory
            return scalar == "\n" || (category != .control && category != .format && category != .lineSeparator)
        }
        #expect(isShown)
    }

    @Test(arguments: ["x\",kind:plan}", "x'#{}", "a]},{id:b", "*x", "-", "#x", "a:b", "%", "0x10", "null"])
    func `whatever an id holds, it stays an id`(_ id: String) throws {
        let text = #"{"version":{"major":3},"products":[{"productID":\#(Self.json(id)),"type":"NonConsumable"}]}"#
        let products = try CatalogueFile.parse(text: Self.made(text).text, fileName: "c").products
        let terms = Terms.addOn(features: [Feature(id)], requires: nil, seats: 0, familyShareable: false)
        #expect(products == [Product(id: ProductID(id), app: Self.app, terms: terms)])
    }

    @Test func `neither a group nor an option breaks out of its quotation marks`() throws {
        let group = "1\", tier: \"free"
        let list = #"[{"id":\#(Self.json(group)),"subscriptions":[{"productID":"p"}]}]"#
        let text = #"{"version":{"major":3},"subscriptionGroups":\#(list)}"#
        let made = try Self.made(text) {
            $0.tier = "pro\"}"
            $0.bundleID = "com.a\"#"
        }
        let catalogue = try CatalogueFile.parse(text: made.text, fileName: "c")
        #expect(catalogue.products.map(\.subscriptionGroup) == [group])
        #expect(catalogue.products.map(\.terms.tier?.text) == ["pro\"}"])
        #expect(catalogue.apps.map(\.id.text) == ["com.a\"#"])
        #expect(!made.notes.joined().contains("free"))
    }

    // MARK: Making

    /// Imports a file for one app, after `change` was made to what is added. Throws what the import refuses.
    private static func made(
        _ text: String, change: (inout CatalogueImport.Additions) -> Void = { _ in }
    ) throws -> CatalogueImport {
        var additions = CatalogueImport.Additions(bundleID: app.text)
        change(&additions)
        if text.contains(#""p.30d""#) { additions.days["p.30d"] = 30 }
        return try CatalogueImport(try StoreKitFile(Array(text.utf8), name: "s.storekit"), adding: additions)
    }

    /// A file with one pass, `p.30d`, that has these titles by locale.
    private static func pass(
        titled titles: [(locale: String, title: String)], change: (String) -> String = { $0 }
    ) -> String {
        let localizations = titles.map { #"{"locale":\#(json($0.locale)),"displayName":\#(json($0.title))}"# }
        return change(
            #"{"version":{"major":3},"nonRenewingSubscriptions":[{"productID":"p.30d","localizations":["#
                + localizations.joined(separator: ",") + "]}]}")
    }

    private static func json(_ text: String) -> String {
        // A text can always be encoded.
        (try? JSONEncoder().encode(text)).map { String(decoding: $0, as: UTF8.self) } ?? ""
    }

    private static func faults(_ text: String) -> [String] {
        do throws(CatalogueFileError) {
            _ = try CatalogueFile.parse(text: text, fileName: "c")
            return []
        } catch {
            return error.faults.map(\.description)
        }
    }
}
