import Entitlements
import LedgerStore
import MariaDB
import Support
import Testing

/// One key a generation, whoever makes it.
@Suite struct SigningKeyStoreTests {
    private static func key(_ kid: String, at created: Instant = Sample.epoch, hours: Int = 72) -> SigningKeyStore.Key {
        SigningKeyStore.Key(
            kid: kid, publicJWK: "{\"kid\":\"\(kid)\"}", sealedKey: Array(kid.utf8), createdAt: created,
            signsUntil: created + 90 * Instant.millisecondsPerDay, tokenHours: hours)
    }

    @Test func `a key comes back as it was kept`() async throws {
        try await TestStore.open { (store) async throws in
            let keyStore = SigningKeyStore(pool: store.pool)
            #expect(try await keyStore.load() == [])
            #expect(try await keyStore.add(Self.key("b"), as: 1))
            #expect(try await keyStore.add(Self.key("a"), as: 2))
            #expect(
                try await keyStore.load() == [
                    SigningKeyStore.Stored(generation: 1, key: Self.key("b"), retiredAt: nil),
                    SigningKeyStore.Stored(generation: 2, key: Self.key("a"), retiredAt: nil),
                ])
        }
    }

    @Test func `of many who make one generation one wins`() async throws {
        try await TestStore.open(instances: 2) { (store) async throws in
            for generation in 1...TestRun.rounds(5, soak: 200) {
                let wins = try await withThrowingTaskGroup(of: Bool.self) { group in
                    for racer in 0..<16 {
                        let keyStore = SigningKeyStore(pool: store.instances[racer % 2].pool)
                        group.addTask { try await keyStore.add(Self.key("\(generation).\(racer)"), as: generation) }
                    }
                    return try await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
                }
                #expect(wins == 1)
            }
        }
    }

    @Test func `a rotation ends the signing of all others, once, and not their past`() async throws {
        try await TestStore.open { (store) async throws in
            let keyStore = SigningKeyStore(pool: store.pool)
            let later = Sample.epoch + 100 * Instant.millisecondsPerDay
            #expect(try await keyStore.add(Self.key("past"), as: 1))
            #expect(try await keyStore.add(Self.key("present", at: later), as: 2))
            let next = Self.key("next", at: later + 5)
            for _ in 0..<2 {
                try await keyStore.replaceAll(with: next, audit: TestOperators(store).trailWriter("a leak"))
            }
            let stored = try await keyStore.load()
            #expect(stored.map(\.key.kid) == ["past", "present", "next"])
            #expect(stored.map(\.retiredAt) == [nil, later + 5, nil])
            #expect(try await TestOperators(store).told() == [#"token_key.rotate {"kid":"next"} a leak"#])
            #expect(stored.map(\.stopsAt) == [stored[0].key.signsUntil, later + 5, next.signsUntil])
        }
    }

    @Test func `rotations at once leave one key that signs`() async throws {
        try await TestStore.open(instances: 2) { (store) async throws in
            try await withThrowingTaskGroup(of: Void.self) { group in
                for racer in 0..<8 {
                    let keyStore = SigningKeyStore(pool: store.instances[racer % 2].pool)
                    let audit = TestOperators(store, instance: racer % 2).trailWriter()
                    group.addTask { try await keyStore.replaceAll(with: Self.key("\(racer)"), audit: audit) }
                }
                try await group.waitForAll()
            }
            let stored = try await SigningKeyStore(pool: store.pool).load()
            #expect(stored.map(\.generation) == Array(1...8))
            #expect(stored.filter { $0.retiredAt == nil }.map(\.generation) == [8])
            #expect(try await TestOperators(store).told().count == 8)
        }
    }

    @Test func `a longer life of tokens is noted, a shorter one is not, and what is deleted is gone`() async throws {
        try await TestStore.open { (store) async throws in
            let keyStore = SigningKeyStore(pool: store.pool)
            #expect(try await keyStore.add(Self.key("a"), as: 1))
            for (hours, noted) in [(100, 100), (1, 100), (8_760, 8_760)] {
                try await keyStore.promise(hours, by: "a")
                #expect(try await keyStore.load().map(\.key.tokenHours) == [noted])
            }
            let stored = try await keyStore.load()
            try await keyStore.delete(stored)
            try await keyStore.delete(stored)
            #expect(try await keyStore.load() == [])
        }
    }
}
