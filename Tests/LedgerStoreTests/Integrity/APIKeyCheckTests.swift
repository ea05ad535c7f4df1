import Entitlements
import LedgerStore
import MariaDB
import Support
import Testing

/// A key that counts was made by somebody whom the trail names, as it is now; SQL alone makes none.
@Suite(.serialized) struct APIKeyCheckTests {
    private static let tamperings: [(String, [APIKeyFault])] = [
        (
            """
            INSERT INTO api_keys (name, scopes, secret_hash, created_at)
            VALUES ('back office', 'admin', UNHEX(SHA2('gp_mine', 256)), 0)
            """, [APIKeyFault(key: 4, defect: .notCreated)]
        ),
        (
            "UPDATE api_keys SET scopes = 'read,write,admin' WHERE id = 1",
            [APIKeyFault(key: 1, defect: .scopesChanged(from: "read"))]
        ),
        (
            "UPDATE api_keys SET scopes = 'admin' WHERE id = 2",
            [APIKeyFault(key: 2, defect: .scopesChanged(from: "read,write"))]
        ),
        ("UPDATE api_keys SET revoked_at = NULL WHERE id = 3", [APIKeyFault(key: 3, defect: .restored)]),
        ("UPDATE api_keys SET revoked_at = 1 WHERE id = 1", [APIKeyFault(key: 1, defect: .notRevoked)]),
        ("UPDATE api_keys SET name = 'till 9' WHERE id = 1", [APIKeyFault(key: 1, defect: .nameChanged)]),
        (
            "UPDATE api_keys SET secret_hash = UNHEX(SHA2('gp_mine', 256)) WHERE id = 1",
            [APIKeyFault(key: 1, defect: .secretChanged)]
        ),
        ("DELETE FROM api_keys WHERE id = 2", [APIKeyFault(key: 2, defect: .missing)]),
        (
            "UPDATE api_keys SET id = 7 WHERE id = 2",
            [APIKeyFault(key: 2, defect: .missing), APIKeyFault(key: 7, defect: .notCreated)]
        ),
    ]

    @Test func `every change of the keys is found, and named by the key's number`() async throws {
        try await TestStore.open { store in
            let operators = TestOperators(store)
            _ = try await operators.create([.read], name: "till \"3\" ü")
            _ = try await operators.create([.write, .read])
            let (key, _) = try await operators.create([.admin])
            _ = try await operators.keys.revoke(key.id, by: .commandLine, reason: "lost")
            #expect(try await APIKeyCheck.run(from: store.pool) == .init(keys: 3, faults: []))
            try await store.schema.rows("CREATE TABLE kept AS SELECT * FROM api_keys")
            for (edit, faults) in Self.tamperings {
                try await store.schema.rows(edit)
                #expect(try await APIKeyCheck.run(from: store.pool).faults == faults, "\(edit)")
                #expect(faults.allSatisfy { $0.description.hasPrefix("api key \($0.key): ") })
                try await store.schema.rows("DELETE FROM api_keys")
                try await store.schema.rows("INSERT INTO api_keys SELECT * FROM kept")
                try await store.schema.rows("ALTER TABLE api_keys AUTO_INCREMENT = 4")
            }
            #expect(try await APIKeyCheck.run(from: store.pool).faults == [])
        }
    }

    @Test func `an entry that was written for a key by hand breaks the trail`() async throws {
        try await TestStore.open { store in
            let operators = TestOperators(store)
            _ = try await operators.create([.read])
            try await store.schema.rows(
                "UPDATE audit_notes SET details = REPLACE(details, 'read', 'admin')")
            try await store.schema.rows("UPDATE api_keys SET scopes = 'admin'")
            #expect(try await APIKeyCheck.run(from: store.pool).faults == [])
            #expect(try await operators.defects() == [.noteEdited(id: 1)])
            let check = try await IntegrityCheck(of: store.pool) { _ in }
            #expect(check.faults == ["audit trail: the words of entry 1 were edited"])
        }
    }

    @Test func `keys that are made and revoked while they are checked are no faults`() async throws {
        try await TestStore.open(instances: 2) { store in
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask {
                    let operators = TestOperators(store)
                    for _ in 0..<20 {
                        let (key, _) = try await operators.create([.read])
                        _ = try await operators.keys.revoke(key.id, by: .commandLine, reason: nil)
                    }
                }
                for _ in 0..<30 {
                    #expect(try await APIKeyCheck.run(from: store.instances[1].pool).faults == [])
                }
                try await group.waitForAll()
            }
        }
    }
}
