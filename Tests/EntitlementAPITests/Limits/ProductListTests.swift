import Entitlements
import LedgerStore
import MariaDB
import NIOHTTP1
import StrictJSON
import Support
import Synchronization
import Testing

@testable import EntitlementAPI

/// A list of products is work for the catalogue, and not for those who ask.
struct ProductListTests {
    private static let path = "/api/iap/apple/products"

    /// Headers of clients, by the language that they come to.
    private static let spellings: [String: [String?]] = [
        "en": [nil, "", "en", "EN", "en-GB", "*", "fr", "fr, *;q=0.1", "de;q=0, fr", ";;,,;q=1", "en;q=0.3, de;q=0.2"],
        "de": ["de", "DE", "de-AT", "de-AT-1996, en", "fr, de;q=0.5", "en;q=0.1,de;q=0.9", " de ; q=1.000"],
        "zh-Hans": ["zh", "ZH", "zh-TW", "zh-Hans-CN", "zh-x-private", "xx, zh;q=0.001"],
    ]

    /// How many lists were made, by whichever task.
    private final class Counter: Sendable {
        let count = Mutex(0)
    }

    private static func version(_ number: Int, _ catalogue: Catalogue = Fixture.catalogue.latest.catalogue)
        -> CatalogueVersions.Version
    {
        CatalogueVersions.Version(number: number, effectiveAt: .distantPast, catalogue: catalogue)
    }

    @Test func `a list is made once for its language, however the language is asked for and how often`() {
        let (lists, version) = (ProductLists(), Self.version(1))
        var made: [String?] = []
        for _ in 0..<20 {
            for (language, fields) in Self.spellings {
                for field in fields {
                    let body = lists.body(
                        of: Fixture.app, soldBy: .appleIAP, in: version, for: AcceptLanguage(field)
                    ) { language in
                        made.append(language)
                        return ProductsBody(version, app: Fixture.app, soldBy: .appleIAP, language: language)
                    }
                    #expect(body.languages == [language], "\(field ?? "none")")
                }
            }
        }
        #expect(made.count == 3 && Set(made) == Set(Self.spellings.keys))
    }

    @Test func `strangers' words make no list of their own`() {
        let (lists, version) = (ProductLists(), Self.version(1))
        var made = 0
        for number in 0..<2_000 {
            let field = "x\(number), q\(number)-\(number);q=0.\(number % 10), d\(number)"
            _ = lists.body(
                of: Fixture.app, soldBy: .appleIAP, in: version, for: AcceptLanguage(field)
            ) { language in
                made += 1
                return ProductsBody(version, app: Fixture.app, soldBy: .appleIAP, language: language)
            }
        }
        #expect(made == 1)
    }

    @Test func `askers at the same time share one list`() async {
        let (lists, version) = (ProductLists(), Self.version(1))
        let made = Counter()
        await withTaskGroup(of: EntityTag.self) { group in
            for _ in 0..<32 {
                group.addTask {
                    lists.body(
                        of: Fixture.app, soldBy: .appleIAP, in: version, for: AcceptLanguage("de")
                    ) { language in
                        made.count.withLock { $0 += 1 }
                        return ProductsBody(version, app: Fixture.app, soldBy: .appleIAP, language: language)
                    }.entityTag
                }
            }
            #expect(await group.reduce(into: Set<String>()) { $0.insert($1.text) }.count == 1)
        }
        #expect(made.count.withLock { $0 } == 1)
    }

    @Test func `each app has its lists, and a newer version takes the place of all`() {
        let apps = [Fixture.app, AppID("com.example.other")]
        let catalogue = Fixture.catalogue(of: apps)
        let lists = ProductLists()
        var made: [String] = []
        for number in [1, 1, 2, 2, 3] {
            for app in apps {
                for field in ["de", "en", "de-DE"] {
                    let version = Self.version(number, catalogue)
                    _ = lists.body(
                        of: app, soldBy: .appleIAP, in: version, for: AcceptLanguage(field)
                    ) { language in
                        made.append("\(number) \(app.text) \(language ?? "none")")
                        return ProductsBody(version, app: app, soldBy: .appleIAP, language: language)
                    }
                }
            }
        }
        #expect(made.count == 12 && Set(made).count == 12)
    }

    @Test func `an app without any text has one list`() {
        let silent = Product(
            id: ProductID("p"), app: Fixture.app, terms: .pass(tier: TierID("pro"), days: 1), price: nil)
        let catalogue = Catalogue(
            apps: [Catalogue.App(id: Fixture.app)], defaultTier: nil, tiers: [Tier(id: TierID("pro"), rank: 1)],
            products: [silent])
        let (lists, version) = (ProductLists(), Self.version(1, catalogue))
        var made: [String?] = []
        for field in ["de", "en", "*"] {
            let body = lists.body(
                of: Fixture.app, soldBy: .appleIAP, in: version, for: AcceptLanguage(field)
            ) { language in
                made.append(language)
                return ProductsBody(version, app: Fixture.app, soldBy: .appleIAP, language: language)
            }
            #expect(body.languages.isEmpty)
        }
        #expect(made == [nil])
    }

    @Test func `whoever has the list gets 304 in every spelling, and a new version at once`() async throws {
        try await TestServer.run { server in
            for (language, fields) in Self.spellings {
                let first = try await server.send("GET", Self.path, token: nil, fields: [("Accept-Language", language)])
                let tag = try #require(first.headers.first(name: "ETag"))
                for field in fields {
                    let spelled = [("Accept-Language", field ?? "")]
                    let answer = try await server.send("GET", Self.path, token: nil, fields: spelled)
                    #expect(answer.status == 200 && answer.body == first.body, "\(field ?? "none")")
                    #expect(answer.headers["Content-Language"] == [language])
                    let known = try await server.send(
                        "GET", Self.path, token: nil, fields: spelled + [("If-None-Match", tag)])
                    #expect(known.status == 304 && known.body.isEmpty && known.headers["ETag"] == [tag])
                }
                try await Self.expectNewVersion(after: tag, language, server)
            }
        }
    }

    /// Requires that a version that comes into force is served to the next asker.
    private static func expectNewVersion(after tag: String, _ language: String, _ server: TestServer) async throws {
        let number = server.api.catalogue.latest.number + 1
        try await server.open.schema.rows(
            "INSERT INTO catalog_versions (version, effective_at, content) VALUES (?, ?, '')",
            [Value(number), .int64(Instant.distantPast.milliseconds + Int64(number))])
        try await server.open.store.catalogue.refreshIfNewer()
        let answer = try await server.send(
            "GET", path, token: nil, fields: [("Accept-Language", language), ("If-None-Match", tag)])
        #expect(answer.status == 200)
        #expect(try answer.json["catalog_version"]?.number == String(number))
    }

    @Test func `a version that is in force from an instant on is served from then on`() async throws {
        let later = CatalogueVersions.Version(
            number: 4, effectiveAt: Fixture.now + Instant.millisecondsPerHour,
            catalogue: Fixture.catalogue.latest.catalogue)
        let catalogue = CatalogueVersions(first: Fixture.catalogue.latest, later: [later])
        try await TestServer.run(catalogue: catalogue) { server in
            let before = try await server.send("GET", Self.path, token: nil).json
            server.wait(hours: 1)
            let after = try await server.send("GET", Self.path, token: nil).json
            #expect(before["catalog_version"]?.number == "3" && after["catalog_version"]?.number == "4")
        }
    }
}
