import Entitlements
import LedgerStore
import MariaDB
import Support
import Testing

/// The catalogue's versions in the database: one for each change, whoever makes it, and terms by the date of purchase.
@Suite struct CatalogueVersionCacheTests {
    private let anna = Sample.user("anna")
    private let later = Sample.epoch + 41 * Instant.millisecondsPerDay

    @Test func `applying the same text again makes no version`() async throws {
        try await TestStore.open { store in
            let again = try await apply("first", to: store)
            #expect(again.version == 1 && !again.isNew)
            let second = try await apply("more", to: store)
            #expect(second.version == 2 && second.isNew)
            let repeated = try await apply("more", to: store)
            #expect(repeated.version == 2 && !repeated.isNew)
            let back = try await apply("first", to: store)
            #expect(back.version == 3 && back.isNew)
            let instants = try await store.schema.rows("SELECT effective_at FROM catalog_versions ORDER BY version")
            #expect(Set(instants).count == 3)
        }
    }

    @Test func `of many who apply the same, one makes the version`() async throws {
        try await TestStore.open(instances: 4) { store in
            let news = try await withThrowingTaskGroup(of: Bool.self) { group in
                for racer in 0..<16 {
                    group.addTask { try await apply("more", to: store, via: racer % 4).isNew }
                }
                return try await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
            }
            #expect(news == 1)
            #expect(try await TestOperators(store).told() == [#"catalog.apply {"version":"2"} more"#])
            #expect(try await store.schema.counts()["catalog_versions"] == 2)
        }
    }

    @Test func `an unknown product is kept and begins to count when the catalogue learns it`() async throws {
        try await TestStore.open(instances: 2) { store in
            let pass = Sample.pass("1", of: "pass.new", day: 39)
            try await store.attach(pass, to: anna)
            #expect(
                try await store.timeline(of: anna).disposition(of: pass.key, at: store.clock.now)
                    == .recorded(.unknownProduct))
            #expect(try await store.schema.counts()["subscriptions"] == 0)
            _ = try await apply("more", to: store, via: 1)
            // The reader notices by itself.
            #expect(try await store.timeline(of: anna).disposition(of: pass.key, at: store.clock.now) == .counts)
            // So does the writer, which takes what was bought before into the projection too.
            try await store.attach(Sample.pass("2", of: "pass.new", day: 39), to: anna, via: 1)
            #expect(try await store.schema.counts()["subscriptions"] == 2)
            try await Projection(pool: store.pool, settings: Sample.settings, format: Sample.format).rebuild(
                given: store.instances[0].versionCache.snapshot, at: store.clock.now)
            #expect(try await store.schema.counts()["subscriptions"] == 2)
        }
    }

    @Test func `terms are those of the version at the purchase, in whatever order the evidence arrives`() async throws {
        try await TestStore.open { store in
            _ = try await apply("longer", to: store)
            try await store.attach(Sample.pass("new", day: 42), to: anna)
            try await store.attach(Sample.pass("old", day: 0), to: anna)
            let rows = try await store.schema.rows(
                "SELECT external_id, (expires_at - starts_at) DIV 86400000 FROM subscriptions ORDER BY 1")
            #expect(rows == [["new", 60], ["old", 30]])
        }
    }

    @Test(.timeLimit(.minutes(20)))
    func `a version that only a newer program can read stops neither writing nor reading`() async throws {
        try await TestStore.open { store in
            try await store.schema.rows(
                "INSERT INTO catalog_versions (version, effective_at, content) VALUES (2, ?, 'from the future')",
                [.int64(later.milliseconds)])
            let pass = Sample.pass("1", day: 39)
            #expect(try await store.attach(pass, to: anna) == .success(.unowned))
            #expect(try await store.timeline(of: anna).disposition(of: pass.key, at: store.clock.now) == .counts)
            #expect(store.instances[0].versionCache.snapshot.latest.number == 1)
        }
    }

    private func apply(
        _ text: String, to store: TestStore, via instance: Int = 0
    ) async throws -> (version: Int, isNew: Bool) {
        let operators = TestOperators(store, instance: instance)
        return try await CatalogueVersionCache.apply(
            text, to: operators.pool, at: later, audit: operators.trailWriter(text), isSame: { $0 == text })
    }
}
