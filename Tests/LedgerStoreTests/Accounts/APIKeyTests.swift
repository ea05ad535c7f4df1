import Crypto
import Entitlements
import LedgerStore
import MariaDB
import Support
import Testing

/// Servers show a key that nobody keeps; it counts until it is revoked (`api.md`, "API keys").
@Suite(.serialized) struct APIKeyTests {
    @Test func `a key counts under its secret alone, of which only the digest is kept`() async throws {
        try await TestStore.open { store in
            let operators = TestOperators(store)
            let (key, secret) = try await operators.create([.read, .write], name: "till 3")
            #expect(secret.text.hasPrefix("gp_") && secret.text.utf8.count == 46)
            #expect(try await operators.keys.key(for: secret)?.id == key.id)
            #expect(try await operators.keys.key(for: TestOperators.secret()) == nil)
            let rows = try await store.schema.rows("SELECT * FROM api_keys")
            #expect(rows[0][3] == .bytes(Array(SHA256.hash(data: Array(secret.text.utf8)))))
            #expect(key.name == "till 3" && key.scopes == [.read, .write] && key.createdAt == store.clock.now)
        }
    }

    private static let reaches: [(scopes: Set<APIKeyScope>, allowed: [Bool])] = [
        ([.read], [true, false, false, false]), ([.write], [true, true, false, false]),
        ([.admin], [true, true, true, true]), ([.audit], [false, false, false, true]),
        ([.read, .audit], [true, false, false, true]), ([.write, .audit], [true, true, false, true]),
        ([.read, .admin], [true, true, true, true]), ([], [false, false, false, false]),
    ]

    @Test(arguments: reaches)
    func `a scope includes those before it, and the trail is of admin and its own scope`(
        scopes: Set<APIKeyScope>, allowed: [Bool]
    ) {
        let key = APIKey(id: 1, name: "till", scopes: scopes, createdAt: Sample.epoch)
        #expect(APIKeyScope.allCases.map(key.allows) == allowed)
    }

    @Test(arguments: [
        "", "gp_", "gp_abc", "GP_" + String(repeating: "A", count: 43), "gp_" + String(repeating: "A", count: 42),
        "gp_" + String(repeating: "A", count: 44), "gp_" + String(repeating: "=", count: 43),
        "gp_" + String(repeating: "é", count: 21) + "A", "eyJhbGciOiJIUzI1NiJ9.e30.c2lnbmF0dXJl",
    ])
    func `what is no secret is never looked up`(text: String) {
        #expect(APIKeySecret(text) == nil)
    }

    @Test func `a name is short and has no control character, and a key has a scope`() {
        #expect(APIKeyRequest(name: String(repeating: "ü", count: 64), scopes: [.read]) != nil)
        #expect(APIKeyRequest(name: String(repeating: "u", count: 65), scopes: [.read]) == nil)
        #expect(APIKeyRequest(name: "", scopes: [.read]) == nil)
        #expect(APIKeyRequest(name: "a\nb", scopes: [.read]) == nil)
        #expect(APIKeyRequest(name: "till", scopes: []) == nil)
    }

    @Test func `a revoked key counts no longer: here at once, elsewhere after two seconds, for ever`() async throws {
        try await TestStore.open(instances: 2) { store in
            let (here, there) = (TestOperators(store), TestOperators(store, instance: 1))
            let (key, secret) = try await here.create([.admin])
            #expect(try await here.keys.key(for: secret) != nil)
            #expect(try await there.keys.key(for: secret) != nil)
            let revokedAt = store.clock.now
            #expect(try await here.keys.revoke(key.id, by: .commandLine, reason: nil)?.revokedAt == revokedAt)
            #expect(try await here.keys.key(for: secret) == nil)
            #expect(try await there.keys.key(for: secret) != nil)
            store.clock.now = revokedAt + APIKeys.memory
            #expect(try await there.keys.key(for: secret) == nil)
            #expect(try await there.keys.revoke(key.id, by: .commandLine, reason: nil)?.revokedAt == revokedAt)
            #expect(try await there.keys.revoke(999, by: .commandLine, reason: nil) == nil)
            let entries = try await OperatorReader(pool: store.pool).auditEntries(before: nil, limit: 10).rows
            #expect(entries.map(\.action) == ["api_key.revoke", "api_key.create"])
        }
    }

    @Test func `a clock that goes back makes nobody remember longer`() async throws {
        try await TestStore.open(instances: 2) { store in
            let (here, there) = (TestOperators(store), TestOperators(store, instance: 1))
            let (key, secret) = try await here.create([.read])
            #expect(try await there.keys.key(for: secret) != nil)
            _ = try await here.keys.revoke(key.id, by: .commandLine, reason: nil)
            store.clock.now = store.clock.now + -1
            #expect(try await there.keys.key(for: secret) == nil)
        }
    }

    @Test func `the use of a key is written at most once a minute`() async throws {
        try await TestStore.open { store in
            let operators = TestOperators(store)
            let (key, secret) = try await operators.create([.read])
            #expect(key.lastUsedAt == nil)
            let opening = store.clock.now
            for (second, expected) in [(0, 0), (1, 0), (30, 0), (57, 0), (60, 60), (90, 60), (117, 60), (130, 130)] {
                store.clock.now = opening + Int64(second) * 1_000
                _ = try await operators.keys.key(for: secret)
                let used = try await operators.keys.page(before: nil, limit: 1).first?.lastUsedAt
                #expect(used == opening + Int64(expected) * 1_000, "after \(second) seconds")
            }
        }
    }

    @Test func `the list has all keys, newest first, in pages`() async throws {
        try await TestStore.open { store in
            let operators = TestOperators(store)
            for name in ["a", "b", "c"] { _ = try await operators.create([.read], name: name) }
            let first = try await operators.keys.page(before: nil, limit: 2)
            #expect(first.map(\.name) == ["c", "b"])
            #expect(try await operators.keys.page(before: first[1].id, limit: 2).map(\.name) == ["a"])
        }
    }
}
