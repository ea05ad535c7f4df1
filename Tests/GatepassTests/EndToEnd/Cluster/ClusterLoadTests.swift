import MariaDB
import StoreSimulator
import Support
import Testing

extension EndToEnd.Cluster {
    /// Many at once, on two nodes.
    @Suite struct Contention {
        private static func pass() -> SimulatedTransaction {
            EndToEndBackend.sale("pass.30", at: EndToEnd.now - 1_000)
        }

        @Test func `ten clients of two nodes who share five users are all served, and nothing is half there`()
            async throws
        {
            for _ in 0..<TestRun.rounds(1, soak: 50) {
                let pair = try await ClusterPair.open()
                let load = EndToEndLoad(pair.backends.map(\.server), users: 5, Self.pass)
                try await load.run(workers: 10, untilFault: false) {
                    try await Task.sleep(for: .seconds(TestRun.rounds(10, soak: 20)))
                }
                try await pair.catchUp()
                print("acknowledged:", load.acknowledged.count, "answers 503:", load.refusals)
                let lines = pair.backends.flatMap { $0.server.log.split(separator: "\n") }
                let refused = lines.filter { $0.contains("503") }
                #expect(load.refusals == 0, "\(refused)")
                for node in 1...PrivateCluster.size { try await load.expectKept(in: pair.schema(on: node)) }
                try await pair.end()
            }
        }

        @Test func `of 24 users of two nodes who race for one purchase one wins`() async throws {
            let pair = try await ClusterPair.open()
            for round in 0..<TestRun.rounds(10, soak: 90) {
                let pass = Self.pass()
                let answers = try await ClusterPair.each(24, lanes: 24) { racer in
                    try await pair.backends[(racer + round) % 2].attach(pass, to: "racer\(racer)")
                }
                #expect(answers.count { $0.status == 200 } == 1)
                #expect(answers.count { $0.string("code") == "owned_by_another_user" } == 23, "\(answers.map(\.text))")
            }
            try await pair.catchUp()
            for node in 1...2 { try await EndToEnd.expectOnceEach(pair.schema(on: node)) }
            try await pair.end()
        }

        @Test func `of 160 spends of a hundred units on two nodes a hundred succeed`() async throws {
            let pair = try await ClusterPair.open()
            for _ in 0..<TestRun.rounds(1, soak: 5) {
                let user = "spender-" + EndToEnd.newID()
                try await pair.first.attach(EndToEndBackend.sale("credits.100", at: EndToEnd.now - 1_000), to: user)
                try await pair.catchUp()
                let answers = try await ClusterPair.each(160, lanes: 8) { number in
                    try await pair.backends[number % 2].spend(1, for: user)
                }
                #expect(answers.count { $0.status == 200 } == 100)
                let others = answers.filter { $0.status != 200 && $0.string("code") != "insufficient_credits" }
                #expect(others.isEmpty, "\(others.map(\.text))")
                try await pair.catchUp()
                #expect(try await pair.first.look("credits", of: user).integer("data.0.spendable") == 0)
            }
            try await pair.end()
        }

        @Test func `eight grants under one key on two nodes are one grant`() async throws {
            let pair = try await ClusterPair.open()
            for _ in 0..<TestRun.rounds(10, soak: 40) {
                let (user, key) = ("granted-" + EndToEnd.newID(), "grant-" + EndToEnd.newID())
                let gift = #""kind":"credits","unit":"credit","amount":5"#
                let answers = try await ClusterPair.each(8, lanes: 8) { number in
                    try await pair.backends[number % 2].grant(gift, to: user, key: key)
                }
                #expect(
                    answers.allSatisfy { $0.status == 201 || $0.string("code") == "idempotency_in_progress" },
                    "\(answers.map(\.text))")
                #expect(Set(answers.filter { $0.status == 201 }.map(\.text)).count == 1)
                try await pair.catchUp()
                #expect(try await pair.first.look("credits", of: user).integer("data.0.credited") == 5)
            }
            try await pair.end()
        }

        @Test func `two who migrate on two nodes at once both succeed`() async throws {
            let cluster = try await blocking { try PrivateCluster.shared }
            for _ in 0..<8 {
                let name = try await blocking { try cluster.freshDatabase() }
                try await blocking { try cluster.catchUp() }
                let ended = try await ClusterPair.each(2) { number in
                    let schema = TestSchema(cluster.settings(name, on: [number + 1]))
                    return try await EndToEndServer(on: schema).command(["migrate"])
                }
                #expect(ended.map(\.status) == [0, 0], "\(ended.map(\.text))")
            }
        }
    }
}
