import Entitlements
import Testing

@testable import Gatepass

/// `IAP_PRODUCT_MAP` in place of a file.
@Suite struct CatalogueProductMapTests {
    @Test func `a map is a catalogue whose tiers rank as they first appear`() throws {
        let file = try ProductMap.catalogueFile(
            map: """
                {"a.30d": {"tier": "plus", "duration": "30d", "title": {"en": "A \\"month\\""}},
                 "a.90d": {"tier": "plus", "duration": "90d"}, "b.30d": {"tier": "basic", "duration": "30d"},
                 "xyz": {"features": ["xyz"]}, "coins": {"unit": "coin", "amount": 5},
                 "year": {"tier": "plus", "plan_id": "annual_3"}, "month": {"kind": "plan", "tier": "basic"}}
                """, bundleID: "com.a")
        let app = AppID("com.a")
        #expect(file.catalogue.apps == [Catalogue.App(id: app)])
        #expect(file.catalogue.defaultTier == nil)
        #expect(file.catalogue.tiers == [Tier(id: TierID("plus"), rank: 1), Tier(id: TierID("basic"), rank: 2)])
        let (plus, basic) = (TierID("plus"), TierID("basic"))
        #expect(
            file.catalogue.products.map(\.terms) == [
                .pass(tier: plus, days: 30), .pass(tier: plus, days: 90), .pass(tier: basic, days: 30),
                .addOn(features: [Feature("xyz")], requires: nil, seats: 0, familyShareable: false),
                .consumable(unit: "coin", amount: 5, onShortfall: .debt),
                .plan(tier: plus, planID: "annual_3", familyShareable: false),
                .plan(tier: basic, planID: nil, familyShareable: false),
            ])
        #expect(file.catalogue.products.map(\.id.text) == ["a.30d", "a.90d", "b.30d", "xyz", "coins", "year", "month"])
        #expect(file.catalogue.products[0].titles == ["en": "A \"month\""])
        #expect(try CatalogueFile.parse(text: file.text, fileName: "database") == file.catalogue)
    }

    @Test func `a rank that is given is kept, and the others take what is free`() throws {
        let file = try ProductMap.catalogueFile(
            map: """
                {"a": {"tier": "x", "duration": "1d"}, "b": {"tier": "y", "duration": "1d", "rank": 1},
                 "c": {"tier": "z", "duration": "1d", "rank": 0}, "d": {"tier": "y", "duration": "2d", "rank": 1}}
                """, bundleID: "com.a")
        #expect(file.catalogue.tiers.map(\.id.text) == ["x", "y", "z"])
        #expect(file.catalogue.tiers.map(\.rank) == [2, 1, 0])
    }

    @Test(arguments: [
        (
            "[]",
            "IAP_PRODUCT_MAP: the product map is not a JSON object; "
                + "write {\"product id\": {\"tier\": \"pro\", \"duration\": \"30d\"}}"
        ),
        (
            "{\"a\": \"pro\"}",
            "IAP_PRODUCT_MAP:1: 'a' must be an object, not a text; "
                + "write \"a\": {\"tier\": \"pro\", \"duration\": \"30d\"}"
        ),
        (
            "{\"a\": {\"tier\": \"pro\"}}",
            "IAP_PRODUCT_MAP:1: a product of kind pass (\"a\") has no duration; write duration: 30d"
        ),
        (
            "{\"a\": {\"tier\": \"pro\",\n\"duration\": \"30 days\"}}",
            "IAP_PRODUCT_MAP:2: duration must be a number of days followed by d; write duration: 30d"
        ),
        (
            "{\"a\": {\"tier\": \"p\", \"duration\": \"1d\", \"rank\": 1},\n"
                + "\"b\": {\"tier\": \"p\", \"duration\": \"1d\", \"rank\": 2}}",
            "IAP_PRODUCT_MAP:2: the tier p has rank 1 and rank 2; write one rank for each tier"
        ),
        (
            "{\"a\": {\"features\": [\"x\"], \"rank\": 2}}",
            "IAP_PRODUCT_MAP:1: rank stands without a tier; write the tier that has this rank"
        ),
        (
            "{\"a\": {\"features\": [\"x\"]}, \"a\": {\"features\": [\"y\"]}}",
            "IAP_PRODUCT_MAP:1: the key 'a' stands more than once in one mapping; keep one of them"
        ),
    ])
    func `a map that makes no catalogue is refused`(_ map: String, _ fault: String) {
        let error = #expect(throws: CatalogueFileError.self) {
            try ProductMap.catalogueFile(map: map, bundleID: "com.a")
        }
        #expect(error?.description == fault)
    }

    @Test func `the environment's map stands in for the default file, and a named file comes before it`() throws {
        let map = "{\"a\": {\"tier\": \"pro\", \"duration\": \"30d\"}}"
        let environment = ["IAP_PRODUCT_MAP": map, "APPLE_IAP_BUNDLE_ID": "com.a"]
        let text = "{apps: [{bundle_id: com.f}], tiers: [{id: pro, rank: 1}], products: []}"
        let lookup = FileLookup(
            workingDirectory: "/w", binaryDirectory: "/b", exists: { $0 == "/w/config/catalog.yaml" },
            read: { path in
                guard path == "/w/config/catalog.yaml" || path == "/w/f.yaml" else { throw SettingsInputs.NoFiles() }
                return text
            })
        let load = { (explicit: String?, environment: [String: String]) throws(CatalogueFileError) -> CatalogueFile in
            try CatalogueLocation.load(explicit: explicit, environment: environment, lookup: lookup)
        }
        #expect(try load(nil, environment).catalogue.apps.map(\.id.text) == ["com.a"])
        #expect(try load("f.yaml", environment).name == "f.yaml")
        #expect(try load(nil, [:]).name == "config/catalog.yaml")
        let missing = #expect(throws: CatalogueFileError.self) { try load("gone.yaml", [:]) }
        #expect(
            missing?.description == "gone.yaml: there is no such file; write the path of the catalogue; "
                + "/w/gone.yaml was looked for")
        let binary = FileLookup(
            workingDirectory: "/w", binaryDirectory: "/b", exists: { _ in true },
            read: { _ in throw SettingsInputs.NoFiles() })
        let notText = #expect(throws: CatalogueFileError.self) {
            try CatalogueLocation.load(explicit: "f.yaml", environment: [:], lookup: binary)
        }
        #expect(
            notText?.description == "f.yaml: the catalogue cannot be read as UTF-8 text; "
                + "save it as UTF-8, and let the server's user read it")
        let alone = #expect(throws: CatalogueFileError.self) { try load(nil, ["IAP_PRODUCT_MAP": map]) }
        #expect(
            alone?.description == "APPLE_IAP_BUNDLE_ID: IAP_PRODUCT_MAP is set without APPLE_IAP_BUNDLE_ID; "
                + "set APPLE_IAP_BUNDLE_ID to the app's bundle id")
    }
}
