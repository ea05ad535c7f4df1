import Entitlements
import LedgerStore
import MariaDB
import Support
import Testing

/// The catalogue's versions in the database: one for each change, whoever makes it, and terms by the date of purchase.
@Suite struct CatalogueShelfTests {
    private let anna = Books.user("anna")
    private let later = Books.opening + 41 * Instant.millisecondsPerDay

    @Test func `applying the same text again makes no version`() async throws {
        try await Shop.open { shop in
            let again = try await apply("first", to: shop)
            #expect(again.version == 1 && !again.isNew)
            let second = try await apply("more", to: shop)
            #expect(second.version == 2 && second.isNew)
            let repeated = try await apply("more", to: shop)
            #expect(repeated.version == 2 && !repeated.isNew)
            let back = try await apply("first", to: shop)
            #expect(back.version == 3 && back.isNew)
            let instants = try await shop.schema.rows("SELECT effective_at FROM catalog_versions ORDER BY version")
            #expect(Set(instants).count == 3)
        }
    }

    @Test func `of many who apply the same, one makes the version`() async throws {
        try await Shop.open(instances: 4) { shop in
            let news = try await withThrowingTaskGroup(of: Bool.self) { group in
                for racer in 0..<16 {
                    group.addTask { try await apply("more", to: shop, via: racer % 4).isNew }
                }
                return try await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
            }
            #expect(news == 1)
            #expect(try await Desk(shop).told() == [#"catalog.apply {"version":"2"} more"#])
            #expect(try await shop.schema.counts()["catalog_versions"] == 2)
        }
    }

    @Test func `an unknown product is kept and begins to count when the catalogue learns it`() async throws {
        try await Shop.open(instances: 2) { shop in
            let pass = Books.pass("1", of: "pass.new", day: 39)
            try await shop.attach(pass, to: anna)
            #expect(
                try await shop.timeline(of: anna).standing(of: pass.key, at: shop.clock.now)
                    == .recorded(.unknownProduct))
            #expect(try await shop.schema.counts()["subscriptions"] == 0)
            _ = try await apply("more", to: shop, via: 1)
            // The reader notices by itself.
            #expect(try await shop.timeline(of: anna).standing(of: pass.key, at: shop.clock.now) == .counts)
            // So does the writer; what was bought before is taken into the projection by the rebuild that follows.
            try await shop.attach(Books.pass("2", of: "pass.new", day: 39), to: anna, via: 1)
            #expect(try await shop.schema.counts()["subscriptions"] == 1)
            try await Projection(pool: shop.pool, settings: Books.settings).rebuild(
                given: shop.instances[0].shelf.snapshot)
            #expect(try await shop.schema.counts()["subscriptions"] == 2)
        }
    }

    @Test func `terms are those of the version at the purchase, in whatever order the evidence arrives`() async throws {
        try await Shop.open { shop in
            _ = try await apply("longer", to: shop)
            try await shop.attach(Books.pass("new", day: 42), to: anna)
            try await shop.attach(Books.pass("old", day: 0), to: anna)
            let rows = try await shop.schema.rows(
                "SELECT external_id, (expires_at - starts_at) DIV 86400000 FROM subscriptions ORDER BY 1")
            #expect(rows == [["new", 60], ["old", 30]])
        }
    }

    @Test(.timeLimit(.minutes(5)))
    func `a version that only a newer program can read stops neither writing nor reading`() async throws {
        try await Shop.open { shop in
            try await shop.schema.rows(
                "INSERT INTO catalog_versions (version, effective_at, content) VALUES (2, ?, 'from the future')",
                [.int64(later.milliseconds)])
            let pass = Books.pass("1", day: 39)
            #expect(try await shop.attach(pass, to: anna) == .success(.unowned))
            #expect(try await shop.timeline(of: anna).standing(of: pass.key, at: shop.clock.now) == .counts)
            #expect(shop.instances[0].shelf.snapshot.latest.number == 1)
        }
    }

    private func apply(
        _ text: String, to shop: Shop, via instance: Int = 0
    ) async throws -> (version: Int, isNew: Bool) {
        let desk = Desk(shop, instance: instance)
        return try await CatalogueShelf.apply(
            text, to: desk.pool, at: later, as: desk.operation(text), isSame: { $0 == text })
    }
}
