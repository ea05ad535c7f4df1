import LedgerStore
import MariaDB
import Support
import Testing

/// The rows by which instances say that they run.
@Suite struct InstancesTests {
    @Test func `instances are counted by the server that they write to, for 35 seconds after they were seen`()
        async throws
    {
        try await TestStore.open { store in
            let instances = Instances(pool: store.pool)
            #expect(try await instances.running().isEmpty)
            for id: UInt64 in [1, 2, 2] { try await instances.note(id) }
            let running = try await instances.running()
            let server = try await store.pool.with { (session) throws(DatabaseError) in session.serverName }
            #expect(running.map(\.node) == [server] && running.map(\.count) == [2])
            _ = try await store.schema.rows("UPDATE instances SET seen_at = seen_at - 36000 WHERE id = 1")
            #expect(try await instances.running().map(\.count) == [1])
            _ = try await store.schema.rows(
                "UPDATE instances SET seen_at = seen_at - 3600000, node = 'gone' WHERE id = 1")
            try await instances.note(2)
            #expect(try await store.schema.number("SELECT COUNT(*) FROM instances") == 1)
        }
    }

    @Test func `before the table is there no instance runs, and a server apart is no node of a cluster`() async throws {
        let settings = try await PrivateMariaDB.shared.freshDatabase()
        try await Pool.running(settings) { (pool) async throws in
            #expect(try await Instances(pool: pool).running().isEmpty)
            #expect(try await ClusterNode.read(in: pool) == nil)
        }
    }
}
