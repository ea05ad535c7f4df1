import Entitlements
import Foundation
import Testing

@testable import Gatepass

/// What a catalogue's text may not say: the line, the words and the remedy.
@Suite struct CatalogueRefusalTests {
    /// A right catalogue with one place changed, and everything that is said about it.
    struct Case: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let replacing: String
        let with: String
        let faults: [String]

        init(_ name: String, _ replacing: String, with: String, _ faults: String...) {
            testDescription = name
            self.replacing = replacing
            self.with = with
            self.faults = faults
        }
    }

    static let right = """
        apps:
          - bundle_id: com.a
            app_apple_id: 1
        default_tier: free
        tiers:
          - {id: free, rank: 0}
          - {id: pro, rank: 1, features: [x], limits: {trips: 1}}
        products:
          - {id: pass, kind: pass, tier: pro, duration: 30d}
          - {id: addon, kind: add_on, features: [y]}
          - {id: coins, kind: consumable, unit: coin, amount: 5}
          - {id: plan, kind: plan, tier: pro}
        """

    static let refused = [
        Case(
            "an unknown key of the catalogue", "default_tier: free", with: "defaulttier: free",
            "c:4: the catalogue has no key 'defaulttier'; write default_tier instead"),
        Case(
            "an unknown key of a product", "duration: 30d}", with: "duration: 30d, colour: red}",
            "c:9: a product of kind pass has no key 'colour'; write only id, kind, source, app, stripe, price, title, "
                + "description, tier, duration, sandbox_duration, devices"),
        Case(
            "a Sandbox length in words", "duration: 30d}", with: "duration: 30d, sandbox_duration: 3 minutes}",
            "c:9: sandbox_duration must be a number of minutes, hours or days followed by m, h or d; write "
                + "sandbox_duration: 3m"),
        Case(
            "a Sandbox length beyond all numbers", "duration: 30d}",
            with: "duration: 30d, sandbox_duration: 9223372036854775807d}",
            "c:9: sandbox_duration must be a number of minutes, hours or days followed by m, h or d; write "
                + "sandbox_duration: 3m"),
        Case(
            "a Sandbox length that does not shorten", "duration: 30d}",
            with: "duration: 30d, sandbox_duration: 31d}",
            "c:9: products[0].sandbox_duration: 44640 minutes do not shorten 30 days; write 1m to 30d, or "
                + "leave it out"),
        Case(
            "a Sandbox length of nothing", "duration: 30d}", with: "duration: 30d, sandbox_duration: 0m}",
            "c:9: products[0].sandbox_duration: 0 minutes do not shorten 30 days; write 1m to 30d, or "
                + "leave it out"),
        Case(
            "a Sandbox length of a plan", "kind: plan,", with: "kind: plan, sandbox_duration: 3m,",
            "c:12: a product of kind plan has no key 'sandbox_duration'; write only id, kind, source, app, stripe, "
                + "price, title, description, tier, plan_id, devices, family_shareable, subscription_group"),
        Case(
            "another kind's key", "unit: coin,", with: "unit: coin, tier: pro,",
            "c:11: a product of kind consumable has no key 'tier'; write only id, kind, source, app, stripe, price, "
                + "title, description, unit, amount, on_shortfall"),
        Case(
            "an ownership of no kind", "default_tier: free", with: "ownership: {pass: share}",
            "c:4: pass is 'share', which is none of keep, transfer, transfer_if_inactive; write keep or "
                + "transfer or transfer_if_inactive"),
        Case(
            "a plan without seats", "kind: plan,", with: "kind: plan, plan_id: annual_0,",
            "c:12: plan_id is 'annual_0', which names no seats from 1 to 10000; write annual_1 or another name"),
        Case(
            "an alias of an alias", "features: [x]", with: "features: &b [&a [x], *a, *a], more: [*b, *b]",
            "c:7: an anchor is not understood here; write the value itself wherever it is wanted"),
        Case(
            "an anchor", "default_tier: free", with: "default_tier: &a free",
            "c:4: an anchor is not understood here; write the value itself wherever it is wanted"),
        Case(
            "a duplicate key", "tier: pro, duration: 30d", with: "tier: pro, tier: free, duration: 30d",
            "c:9: the key 'tier' stands more than once in one mapping; keep one of them"),
        Case(
            "a product without an id", "{id: addon,", with: "{",
            "c:10: a product of kind add_on has no id; write id: com.example.pass.30d"),
        Case(
            "a product without a kind", "kind: pass, ", with: "",
            "c:9: a product (\"pass\") has no kind; write kind: pass or add_on or consumable or plan"),
        Case(
            "an unknown kind", "kind: add_on", with: "kind: addon",
            "c:10: kind is 'addon', which is none of pass, add_on, consumable, plan; write add_on"),
        Case(
            "a pass without a tier", "kind: pass, tier: pro", with: "kind: pass",
            "c:9: a product of kind pass (\"pass\") has no tier; write tier: pro"),
        Case(
            "a pass without a duration", ", duration: 30d", with: "",
            "c:9: a product of kind pass (\"pass\") has no duration; write duration: 30d"),
        Case(
            "an empty duration", "duration: 30d", with: "\n     duration: ,  # fill in\n     price: ",
            "c:10: a product of kind pass (\"pass\") has no duration; write duration: 30d",
            "c:11: a price must be a mapping, not nothing; write {amount: …, currency: …}"),
        Case(
            "an add-on that gives nothing", ", features: [y]", with: "",
            "c:10: a product of kind add_on (\"addon\") has no features; write features: [xyz]"),
        Case(
            "a consumable without an amount", ", amount: 5", with: "",
            "c:11: a product of kind consumable (\"coins\") has no amount; write amount: 100"),
        Case(
            "an empty amount", "amount: 5", with: "amount: ",
            "c:11: a product of kind consumable (\"coins\") has no amount; write amount: 100"),
        Case(
            "an empty bundle id", "bundle_id: com.a", with: "bundle_id:  # fill in",
            "c:2: an app has no bundle_id; write bundle_id: com.example.app"),
        Case(
            "a tier without a rank", "{id: free, rank: 0}", with: "{id: free}",
            "c:6: a tier (\"free\") has no rank; write rank: 1"),
        Case(
            "a negative rank", "rank: 0", with: "rank: -1", "c:6: rank is -1; write a number from 0 up"),
        Case(
            "a number for a text", "{id: pass,", with: "{id: 1234,",
            "c:9: id must be a text, not a number; write id: com.example.pass.30d"),
        Case(
            "a text for a number", "amount: 5", with: "amount: \"5\"",
            "c:11: amount must be a whole number, not a text; write a number without quotes, point or leading zero"),
        Case(
            "a text for a list", "features: [y]", with: "features: y",
            "c:10: features must be a list, not a text; write features: [premium_servers]"),
        Case(
            "a word for a truth value", "features: [y]", with: "features: [y], family_shareable: yes",
            "c:10: family_shareable must be true or false, not a text; write family_shareable: true"),
        Case(
            "a list for a mapping", "limits: {trips: 1}", with: "limits: [1]",
            "c:7: limits must be a mapping, not a list; write limits: {saved_trips: 10}"),
        Case(
            "a word for a limit", "limits: {trips: 1}", with: "limits: {trips: Unlimited}",
            "c:7: the limit trips must be a whole number, not a text; write a number without quotes, point or leading "
                + "zero, or unlimited"),
        Case(
            "a price in plain figures", "duration: 30d", with: "duration: 30d, price: {amount: 4.99, currency: USD}",
            "c:9: amount must be a text, not a number; write amount: \"4.99\""),
        Case(
            "a price without a currency", "duration: 30d", with: "duration: 30d, price: {amount: \"4.99\"}",
            "c:9: a price has no currency; write currency: USD"),
        Case(
            "a title without a language", "duration: 30d", with: "duration: 30d, title: Pass",
            "c:9: title must be a text for each language, not a text; write title: {en: \"…\"}"),
        Case(
            "a title in no language", "duration: 30d", with: "duration: 30d, title: {english_us: Pass}",
            "c:9: 'english_us' is not a language tag; write a tag such as en or zh-Hans"),
        Case(
            "a tier's title without a language", "features: [x]", with: "features: [x], title: Pro",
            "c:7: title must be a text for each language, not a text; write title: {en: \"…\"}"),
        Case(
            "a tier's title in no language", "features: [x]", with: "features: [x], title: {english_us: Pro}",
            "c:7: 'english_us' is not a language tag; write a tag such as en or zh-Hans"),
        Case(
            "a duration in months", "30d", with: "1m",
            "c:9: duration must be a number of days followed by d; write duration: 30d"),
        Case(
            "a duration without a unit", "30d", with: "30",
            "c:9: duration must be a number of days followed by d; write duration: 30d"),
        Case(
            "an unknown shortfall", "amount: 5", with: "amount: 5, on_shortfall: forgive",
            "c:11: on_shortfall is 'forgive', which is none of debt, write_off; write debt or write_off"),
        Case(
            "requires as a bare word", "features: [y]", with: "features: [y], requires: pro",
            "c:10: requires must be a mapping, not a text; write {tier: …}"),
        Case(
            "several apps and a product that names none", "  - bundle_id: com.a",
            with: "  - bundle_id: com.b\n  - bundle_id: com.a",
            "c:10: the catalogue has several apps and this product names none; write app: com.b or com.a",
            "c:11: the catalogue has several apps and this product names none; write app: com.b or com.a",
            "c:12: the catalogue has several apps and this product names none; write app: com.b or com.a",
            "c:13: the catalogue has several apps and this product names none; write app: com.b or com.a"),
    ]

    @Test(arguments: refused)
    func `a mistake is refused with its line and a remedy`(_ refused: Case) {
        #expect(faults(refused.replacing, refused.with) == refused.faults)
    }

    @Test func `the catalogue that the cases change is right`() {
        #expect(throws: Never.self) { try CatalogueFile.parse(text: Self.right, fileName: "c") }
    }

    /// Where the words are `CatalogueCheck`'s, the line and the path are asserted.
    @Test(arguments: [
        ("kind: pass, tier: pro", "kind: pass, tier: prro", "c:9: products[0].tier: "),
        ("default_tier: free", "default_tier: gold", "c:4: default_tier: "),
        ("30d", "0d", "c:9: products[0].duration: "), ("30d", "99999d", "c:9: products[0].duration: "),
        ("amount: 5", "amount: 0", "c:11: products[2].amount: "),
        ("{id: addon", "{id: pass", "c:10: products[1].id: "),
        ("rank: 1", "rank: 0", "c:7: tiers[1].rank: "), ("{id: free", "{id: pro", "c:7: tiers[1].id: "),
        ("{id: free, rank: 0", "{id: free, rank: 0, devices: 3", "c:7: tiers[1].devices: "),
        ("trips: 1", "trips: -1", "c:7: tiers[1].limits.trips: "),
        ("rank: 1,", "rank: 1, lane: side,", "c:7: tiers[1].lane: "),
        ("duration: 30d", "duration: 30d, app: com.c", "c:9: products[0].app: "),
        ("duration: 30d", "duration: 30d, price: {amount: free, currency: USD}", "c:9: products[0].price.amount: "),
        ("features: [y]", "features: [y], requires: {tier: gold}", "c:10: products[1].requires.tier: "),
        ("app_apple_id: 1", "app_apple_id: 1\n  - bundle_id: com.a", "c:4: apps[1].bundle_id: "),
        ("{id: pass", "{id: pass à la carte", "c:9: products[0].id: "),
    ])
    func `contradictions are refused at their line`(_ replacing: String, _ with: String, _ prefix: String) {
        let faults = faults(replacing, with)
        #expect(faults?.contains { $0.hasPrefix(prefix) && $0.contains("; ") } == true, "\(faults ?? [])")
    }

    @Test func `faults of form and contradictions are listed together, by line of the file`() {
        let text = Self.right.replacingOccurrences(of: "amount: 5", with: "amount: five")
            .replacingOccurrences(of: "kind: plan, tier: pro", with: "kind: plan, tier: gold")
            .replacingOccurrences(of: "30d", with: "0d")
        let error = #expect(throws: CatalogueFileError.self) { try CatalogueFile.parse(text: text, fileName: "c") }
        let places = error?.faults.map { $0.description.split(separator: ": ").prefix(2).joined(separator: " ") }
        #expect(
            places == [
                "c:9 products[0].duration",
                "c:11 amount must be a whole number, not a text; write a number without "
                    + "quotes, point or leading zero", "c:12 products[3].tier",
            ])
    }

    @Test(arguments: [
        ("", "c:1: the catalogue has no apps; write apps: […]"),
        ("# nothing", "c:1: the catalogue has no apps; write apps: […]"),
        ("- a", "c:1: the catalogue must be a mapping, not a list; write {apps: …, default_tier: …}"),
        ("apps: [a", "c:2: this is not well-formed YAML"),
        ("apps: []\n---\napps: []", "c:2: this is not well-formed YAML"),
    ])
    func `a text that is no catalogue at all is refused`(_ text: String, _ first: String) {
        let error = #expect(throws: CatalogueFileError.self) { try CatalogueFile.parse(text: text, fileName: "c") }
        #expect(error?.description.hasPrefix(first) == true, "\(error?.description ?? "")")
    }

    private func faults(_ replacing: String, _ with: String) -> [String]? {
        let text: String
        guard let range = Self.right.range(of: replacing) else {
            Issue.record("the right catalogue does not have '\(replacing)'")
            return nil
        }
        text = Self.right.replacingCharacters(in: range, with: with)
        let error = #expect(throws: CatalogueFileError.self) { try CatalogueFile.parse(text: text, fileName: "c") }
        return error?.faults.map(\.description)
    }
}
