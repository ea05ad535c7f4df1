import MariaDB
import StoreSimulator
import Support
import Testing

extension EndToEnd.Cluster {
    /// Nodes fail while two instances are at work, and come back.
    @Suite(.serialized) struct Faults {
        private static func pass() -> SimulatedTransaction {
            EndToEndBackend.sale("pass.30", at: EndToEnd.now - 1_000)
        }

        /// Lets faults befall nodes under load, and expects that nothing acknowledged is lost or doubled on any node.
        /// Behind a proxy it also expects that one node at a time is in use, and stays so when others come back.
        private static func suffer(_ faults: Int, _ pair: ClusterPair, isBehindProxy: Bool) async throws {
            let load = EndToEndLoad(pair.backends.map(\.server), users: .max, pass)
            var chance = SeededChance("faults of a cluster")
            var fired: [ClusterFault: Int] = [:]
            try await load.run(workers: 6, untilFault: false) {
                let kinds = ClusterFault.allCases.shuffled(using: &chance)
                for number in 0..<faults {
                    try await load.waitForAcknowledgements(10, seconds: 60)
                    let fault = kinds[number % kinds.count]
                    // The writer every other time.
                    let writer = try await pair.nodesInUse().first ?? 1
                    let place = Bool.random(using: &chance) ? writer - 1 : Int.random(in: 0..<3, using: &chance)
                    if try await fault.isShown(on: place, of: pair.cluster) { fired[fault, default: 0] += 1 }
                    try await Task.sleep(for: .milliseconds(Int.random(in: 0...3_000, using: &chance)))
                    try await pair.act { try $0.heal() }
                    guard isBehindProxy else { continue }
                    // After the loss of all nodes any of them may be the first that is well again.
                    try await load.waitForAcknowledgements(50, seconds: 60)
                    let used = try await pair.nodeInUse()
                    #expect(used != nil, "several nodes are in use after \(fault)")
                    // Time for the checks that find a node well again.
                    try await Task.sleep(for: .seconds(3))
                    #expect(try await pair.nodesInUse() == used.map { [$0] }, "after \(fault)")
                }
                try await load.waitForAcknowledgements(10, seconds: 60)
            }
            print("acknowledged:", load.acknowledged.count, "answers 503:", load.refusals, "faults:", fired)
            #expect(fired.values.reduce(0, +) == faults)
            try await pair.catchUp()
            for node in 1...PrivateCluster.size { try await load.expectKept(in: pair.schema(on: node)) }
            try await pair.end()
        }

        @Test func `nothing acknowledged behind HAProxy is lost or doubled by faults`() async throws {
            let cluster = try await blocking { try PrivateCluster.shared }
            let proxy = try await blocking { try HAProxy(before: cluster) }
            let pair = try await ClusterPair.open(on: cluster) { name in
                Array(repeating: cluster.settings(name, at: [proxy.endpoint]), count: 2)
            }
            try await Self.suffer(TestRun.rounds(6, soak: 100), pair, isBehindProxy: true)
            proxy.stop()
        }

        @Test func `HAProxy leads no new connection back to a node that is well again`() async throws {
            let cluster = try await blocking { try PrivateCluster.shared }
            let proxy = try await blocking { try HAProxy(before: cluster) }
            let pair = try await ClusterPair.open(on: cluster) { name in
                Array(repeating: cluster.settings(name, at: [proxy.endpoint]), count: 2)
            }
            let query = "SELECT CAST(SUBSTRING(@@wsrep_node_name, 5) AS SIGNED)"
            var used = 1
            #expect(try await pair.first.server.schema.number(query) == used)
            for _ in 0..<3 {
                let left = used
                try await pair.act { try $0.nodes[left - 1].readOnly() }
                for _ in 0..<100 where used == left {
                    try await Task.sleep(for: .milliseconds(100))
                    used = (try? await pair.first.server.schema.number(query)) ?? used
                }
                #expect(used != left)
                try await pair.act { try $0.heal() }
                // Time for the checks that find a node well again.
                try await Task.sleep(for: .seconds(4))
                for _ in 0..<3 { #expect(try await pair.first.server.schema.number(query) == used) }
            }
            try await pair.first.attach(Self.pass(), to: "latecomer")
            #expect(try await pair.nodeInUse() == used)
            try await pair.end()
            proxy.stop()
        }

        @Test func `nothing acknowledged by instances with lists of hosts is lost or doubled by faults`() async throws {
            let cluster = try await blocking { try PrivateCluster.shared }
            let pair = try await ClusterPair.open(on: cluster) { name in
                [cluster.settings(name, on: [1, 2, 3]), cluster.settings(name, on: [2, 3, 1])]
            }
            try await Self.suffer(TestRun.rounds(6, soak: 100), pair, isBehindProxy: false)
        }
    }

    /// An instance with a list of hosts, of which the first fails.
    @Suite(.serialized) struct HostLists {
        @Test(arguments: ClusterFault.allCases.filter { $0 != .partitioned })
        func `an instance whose first host fails is served again soon, and stays where it went`(
            fault: ClusterFault
        ) async throws {
            let cluster = try await blocking { try PrivateCluster.shared }
            let pair = try await ClusterPair.open(on: cluster) { name in
                Array(repeating: cluster.settings(name, on: [1, 2, 3]), count: 2)
            }
            #expect(try await pair.nodesInUse() == [1])
            let load = EndToEndLoad(pair.backends.map(\.server), users: .max) {
                EndToEndBackend.sale("pass.30", at: EndToEnd.now - 1_000)
            }
            try await load.run(workers: 8, untilFault: false) {
                try await load.waitForAcknowledgements(20)
                async let isShown = fault.isShown(on: 0, of: cluster)
                try await Self.waitUntilServed(pair, after: fault)
                let hasShown = try await isShown
                #expect(hasShown)
                try await blocking { try cluster.heal() }
                try await load.waitForAcknowledgements(200, seconds: 60)
            }
            let used = try await pair.nodesInUse()
            let logs = pair.backends.map { $0.server.log.suffix(3_000) }
            #expect(used.count == 1 && used != [1], "\(used) \(logs)")
            try await pair.catchUp()
            for node in 1...PrivateCluster.size { try await load.expectKept(in: pair.schema(on: node)) }
            try await pair.end()
        }

        /// Waits until each instance has attached a purchase that was sent after a fault; ten seconds at most.
        private static func waitUntilServed(_ pair: ClusterPair, after fault: ClusterFault) async throws {
            // The fault is under way at once; an attach before it shows nothing.
            try await Task.sleep(for: .milliseconds(500))
            let start = ContinuousClock.now
            for backend in pair.backends {
                while true {
                    let pass = EndToEndBackend.sale("pass.30", at: EndToEnd.now - 1_000)
                    let answer = try? await backend.server.attach(backend.server.sign(pass), as: "late", seconds: 10)
                    if answer?.status == 200 { break }
                    guard start.duration(to: .now) < .seconds(60) else {
                        throw EndToEndServer.Failure(log: backend.server.log)
                    }
                    try await Task.sleep(for: .milliseconds(50))
                }
            }
            let took = start.duration(to: .now)
            print("served again after \(fault) in", took)
            #expect(took < .seconds(10))
        }
    }
}
