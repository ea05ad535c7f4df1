import Glibc
import MariaDB
import Support
import Testing

extension EndToEnd {
    /// Three real nodes of a Galera cluster, and instances that write to one or two of them at once.
    @Suite(.serialized, .enabled(if: TestRun.hasCluster)) enum Cluster {}
}

/// Two instances on one schema of the shared cluster.
struct ClusterPair: Sendable {
    static let metricsToken = "metrics-token-of-a-cluster-0123"

    let cluster: PrivateCluster
    /// The name of the schema.
    let database: String
    let first: EndToEndBackend
    let second: EndToEndBackend

    /// Starts two instances on a new schema, on the first and on the second node. Throws when they do not become ready.
    static func open() async throws -> ClusterPair {
        let cluster = try await blocking { try PrivateCluster.shared }
        return try await open(on: cluster) { [cluster.settings($0, on: [1]), cluster.settings($0, on: [2])] }
    }

    /// Starts two instances on a new schema, with the settings that `settings` gives for its name, the second once the
    /// first is ready. Throws when they do not become ready.
    static func open(
        on cluster: PrivateCluster, _ settings: (String) -> [ConnectionSettings]
    ) async throws -> ClusterPair {
        let database = try await blocking { try cluster.freshDatabase() }
        let settings = settings(database)
        let added = [
            "GATEPASS_STRIPE_SIGNING_SECRETS": EndToEndServer.cardSecret, "GATEPASS_HTTP_METRICS_TOKEN": metricsToken,
        ]
        let first = try await EndToEndBackend.keyed(
            try await EndToEndBackend.ready(added, on: TestSchema(settings[0])))
        try await blocking { try cluster.catchUp() }
        let other = try await EndToEndBackend.ready(added, on: TestSchema(settings[1]))
        let second = EndToEndBackend(server: other, secret: first.secret)
        return ClusterPair(cluster: cluster, database: database, first: first, second: second)
    }

    /// Both instances.
    var backends: [EndToEndBackend] { [first, second] }

    /// The schema as a node has it, from 1.
    func schema(on node: Int) -> TestSchema { TestSchema(cluster.settings(database, on: [node])) }

    /// Waits until all nodes have what was committed on any. Throws when one does not answer.
    func catchUp() async throws {
        try await blocking { [cluster] in try cluster.catchUp() }
    }

    /// Does something with the nodes on a thread that may be blocked. Throws what `act` throws.
    @discardableResult
    func act<T: Sendable>(_ act: @escaping @Sendable (PrivateCluster) throws -> T) async throws -> T {
        try await blocking { [cluster] in try act(cluster) }
    }

    /// The nodes, from 1, to which instances are connected. Throws what a node that runs refuses.
    func nodesInUse() async throws -> [Int] {
        try await act { [database] cluster in
            try cluster.nodes.filter { node in
                let query = """
                    SELECT COUNT(*) FROM information_schema.processlist
                    WHERE user = '\(PrivateCluster.user)' AND db = '\(database)'
                    """
                return try node.sql(query) != ["0"]
            }.map(\.number)
        }
    }

    /// Waits until instances are connected to one node and to no other, 30 seconds at most, and returns that node.
    /// Throws what a node that runs refuses.
    func nodeInUse() async throws -> Int? {
        for _ in 0..<150 {
            let nodes = try await nodesInUse()
            if nodes.count == 1 { return nodes[0] }
            try await Task.sleep(for: .milliseconds(200))
        }
        return nil
    }

    /// Expects the books whole, and ends both instances. Throws when a command cannot be run.
    func end() async throws {
        try await catchUp()
        for backend in backends {
            let audit = try await backend.server.command(["audit", "verify"])
            #expect(audit.status == 0, "\(audit.text)")
            let status = try await backend.server.end()
            #expect(status == 0, "\(backend.server.log.suffix(4_000))")
        }
    }

    // MARK: At once

    /// Does something for each number below `count`, four at a time; the answers in any order. Throws what `act`
    /// throws.
    static func each<T: Sendable>(
        _ count: Int, lanes: Int = 4, _ act: @escaping @Sendable (Int) async throws -> T
    ) async throws -> [T] {
        try await withThrowingTaskGroup(of: T.self) { group in
            var answers: [T] = []
            for number in 0..<count {
                if number >= lanes, let answer = try await group.next() { answers.append(answer) }
                group.addTask { try await act(number) }
            }
            return try await group.reduce(into: answers) { $0.append($1) }
        }
    }

    /// Does two things at once, the second up to 8 ms before or after the first, by chance. Throws what they throw.
    static func together<A: Sendable, B: Sendable>(
        _ first: @Sendable () async throws -> A, _ second: @Sendable () async throws -> B
    ) async throws -> (A, B) {
        let lag = Int.random(in: -8...8)
        async let other = {
            try await Task.sleep(for: .milliseconds(max(0, lag)))
            return try await second()
        }()
        try await Task.sleep(for: .milliseconds(max(0, -lag)))
        return (try await first(), try await other)
    }
}
