import Glibc
import Support
import Testing

extension EndToEnd {
    /// Three real nodes of a Galera cluster, and instances that write to one or two of them at once.
    @Suite(.serialized, .enabled(if: isAskedForCluster)) enum Cluster {}

    /// True with `GATEPASS_TEST_CLUSTER=1`: the tests need three servers more, and HAProxy.
    static let isAskedForCluster = getenv("GATEPASS_TEST_CLUSTER").map { String(cString: $0) } == "1"
}

/// Two instances on one schema of the shared cluster, each on a node of its own.
struct ClusterPair: Sendable {
    let cluster: PrivateCluster
    /// The instance on the first node.
    let first: EndToEndBackend
    /// The instance on the second node.
    let second: EndToEndBackend

    /// Starts the instances on a new schema, the second once the first is ready. Throws when they do not become ready.
    static func open() async throws -> ClusterPair {
        let cluster = try await EndToEnd.blocking { try PrivateCluster.shared }
        let name = try await EndToEnd.blocking { try cluster.freshDatabase() }
        let server = try await EndToEndBackend.ready(settings, on: TestSchema(cluster.settings(name, on: [1])))
        let first = try await EndToEndBackend.keyed(server)
        try await EndToEnd.blocking { try cluster.catchUp() }
        let other = try await EndToEndBackend.ready(settings, on: TestSchema(cluster.settings(name, on: [2])))
        return ClusterPair(
            cluster: cluster, first: first, second: EndToEndBackend(server: other, secret: first.secret))
    }

    private static let settings = ["GATEPASS_STRIPE_SIGNING_SECRETS": EndToEndServer.cardSecret]

    /// Waits until both nodes have what was committed on either. Throws when one does not answer.
    func catchUp() async throws {
        try await EndToEnd.blocking { [cluster] in try cluster.catchUp() }
    }

    /// Expects both books whole, and ends both instances. Throws when a command cannot be run.
    func end() async throws {
        try await catchUp()
        for backend in [first, second] {
            let audit = try await backend.server.command(["audit", "verify"])
            #expect(audit.status == 0, "\(audit.text)")
            #expect(try await backend.server.end() == 0)
        }
    }
}
