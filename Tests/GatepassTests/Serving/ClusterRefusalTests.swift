import Support
import Testing

extension EndToEnd {
    /// A list of hosts is for a server and its replicas, not for the nodes of a cluster.
    @Suite struct Clusters {
        /// A database that anybody reaches on the loopback interface.
        private static func database(_ arguments: [String]) async throws -> PrivateMariaDB {
            var options = PrivateMariaDB.Options()
            (options.listensOnLoopback, options.skipsGrants, options.arguments) = (true, true, arguments)
            let started = options
            return try await EndToEnd.blocking { try PrivateMariaDB.start(started) }
        }

        private static func server(_ hosts: String, _ database: PrivateMariaDB) async throws -> EndToEndServer {
            try await EndToEndServer(
                [
                    "GATEPASS_DATABASE_SOCKET": "", "GATEPASS_DATABASE_HOST": hosts,
                    "GATEPASS_DATABASE_PORT": String(database.port),
                ], database: database)
        }

        @Test func `a list of hosts does not start where the server says wsrep_on, and one host does`() async throws {
            // Without a provider there is no cluster, but the server says the same as a node of one.
            let node = try await Self.database(["--wsrep-on=ON", "--wsrep-provider=none"])
            let refused = try await Self.server("127.0.0.1,127.0.0.2", node)
            try await refused.launch()
            #expect(try await refused.waitForEnd() == 1)
            let words =
                "database.host is a list, and the database is a node of a Galera cluster (wsrep_on): name one server"
            #expect(refused.log.contains(words), "\(refused.log)")
            #expect(try await refused.schema.rows("SHOW TABLES").isEmpty, "it was refused before anything was written")
            let single = try await Self.server("127.0.0.1", node)
            try await single.boot()
            #expect(try await single.end() == 0)
            node.kill()
        }

        @Test func `a list of hosts starts where the server is no node of a cluster`() async throws {
            let database = try await Self.database([])
            let server = try await Self.server("127.0.0.2,127.0.0.1", database)
            try await server.boot()
            #expect(try await server.end() == 0)
            database.kill()
        }
    }
}
