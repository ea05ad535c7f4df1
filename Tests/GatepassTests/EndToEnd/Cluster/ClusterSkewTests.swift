import StoreSimulator
import StrictJSON
import Support
import Testing

extension EndToEnd.Cluster {
    /// Two acts that rest on the same rows, on two nodes at once.
    @Suite struct Skew {
        @Test func `a purchase that is attached on one node and refunded on another gives nothing`() async throws {
            let pair = try await ClusterPair.open()
            let rounds = TestRun.rounds(192, soak: 960)
            let kept = try await ClusterSkew(pair: pair).keptRefunds(of: rounds)
            print("refunds lost:", kept, "of", rounds)
            #expect(kept == 0)
            try await pair.end()
        }

        @Test func `nobody who was erased on one node has an account token of another`() async throws {
            let pair = try await ClusterPair.open()
            let rounds = TestRun.rounds(96, soak: 480)
            let tokens = try await ClusterSkew(pair: pair).tokensOfErased(of: rounds)
            print("tokens of erased people:", tokens, "of", rounds)
            #expect(tokens == 0)
            try await pair.end()
        }

        @Test func `card events that need each other find each other across nodes`() async throws {
            let pair = try await ClusterPair.open()
            let rounds = TestRun.rounds(96, soak: 240)
            let lost = try await ClusterSkew(pair: pair).lostCards(of: rounds)
            print("card events lost:", lost, "of", rounds)
            #expect(lost == 0)
            try await pair.end()
        }

        @Test func `the metrics and the doctor say to how many nodes instances write, and how many there are`()
            async throws
        {
            let pair = try await ClusterPair.open()
            for backend in pair.backends {
                var page = ""
                for _ in 0..<150 {
                    page = try await backend.server.send(
                        "GET", "/metrics", fields: [("Authorization", "Bearer " + ClusterPair.metricsToken)]
                    ).text
                    if page.matches(of: /gatepass_instances\{node="[^"]+"\} 1\n/).count == 2 { break }
                    try await Task.sleep(for: .milliseconds(100))
                }
                #expect(page.matches(of: /gatepass_instances\{node="[^"]+"\} 1\n/).count == 2, "\(page)")
                #expect(page.contains(/gatepass_cluster_size\{node="[^"]+"\} 3\n/))
                #expect(page.contains(/gatepass_cluster_conflicts_total\{met="commit",node="[^"]+"\} \d+\n/))
                let doctor = try await backend.server.command(["doctor"])
                let words = doctor.text.split(separator: "\n").first { $0.contains("write to several servers") }
                #expect(words?.contains("(node1)") == true && words?.contains("(node2)") == true, "\(doctor.text)")
            }
            try await pair.end()
        }

        @Test func `what one node acknowledged the instance on another answers at once`() async throws {
            let pair = try await ClusterPair.open()
            let rounds = TestRun.rounds(200, soak: 3_000)
            let old = EndToEndCounter()
            _ = try await ClusterPair.each(rounds) { round in
                let (user, backends) = ("reader-" + EndToEnd.newID(), pair.backends)
                let pass = EndToEndBackend.sale("pass.30", at: EndToEnd.now - EndToEnd.day)
                let attached = try await backends[round % 2].attach(pass, to: user)
                let status = try await backends[1 - round % 2].server.status(of: user)
                #expect(attached.status == 200 && status.status == 200, "\(attached.text) \(status.text)")
                if status["active"]?.flag != true { old.add() }
            }
            print("old answers:", old.count, "of", rounds)
            #expect(old.count == 0)
            try await pair.end()
        }

        /// A guard that the database has switched off: `touched` keeps its value, so nothing is certified by it.
        private static func careless(_ table: String, on nodes: String) async throws -> ClusterPair {
            let pair = try await ClusterPair.open()
            try await pair.act { [database = pair.database] cluster in
                try cluster.nodes[0].sql(
                    """
                    CREATE TRIGGER \(database).careless BEFORE UPDATE ON \(database).\(table) FOR EACH ROW
                    SET NEW.touched = IF(@@wsrep_node_name LIKE '\(nodes)', OLD.touched, NEW.touched)
                    """)
            }
            return pair
        }

        /// Ends instances whose books need not be whole.
        private static func drop(_ pair: ClusterPair) async throws {
            for backend in pair.backends { #expect(try await backend.server.end() == 0) }
        }

        @Test func `refunds are lost where purchases that a transaction relies on are not written`() async throws {
            let pair = try await Self.careless("purchases", on: "%")
            var (kept, rounds) = (0, 0)
            while kept == 0, rounds < 960 {
                kept = try await ClusterSkew(pair: pair).keptRefunds(of: 96)
                rounds += 96
            }
            print("refunds lost without the guard:", kept, "of", rounds)
            #expect(kept > 0)
            try await Self.drop(pair)
        }

        @Test func `erased people get tokens where people that a transaction relies on are not written`() async throws {
            // The node that erases writes the row in any case.
            let pair = try await Self.careless("users", on: "node2")
            var (tokens, rounds) = (0, 0)
            while tokens == 0, rounds < 480 {
                tokens = try await ClusterSkew(pair: pair).tokensOfErased(of: 48)
                rounds += 48
            }
            print("tokens of erased people without the guard:", tokens, "of", rounds)
            #expect(tokens > 0)
            try await Self.drop(pair)
        }
    }
}
