import MariaDB
import Support

/// A fault of nodes of the shared cluster.
enum ClusterFault: CaseIterable, Sendable {
    case killed
    case frozen
    case isolated
    /// A node and the next cannot reach anybody, so no part has a quorum.
    case partitioned
    case readOnly
    case rejecting

    /// Has the fault befall a node, from 0. Throws what the node refuses.
    func befall(_ place: Int, of cluster: PrivateCluster) throws {
        let node = cluster.nodes[place]
        switch self {
        case .killed: node.kill()
        case .frozen: node.freeze()
        case .isolated: try node.isolate()
        case .partitioned:
            try node.isolate()
            try cluster.nodes[(place + 1) % PrivateCluster.size].isolate()
        case .readOnly: try node.readOnly()
        case .rejecting: try node.reject()
        }
    }

    /// True once the fault shows: in the node's process, in what the node says, or in how many the others are. Throws
    /// what a node refuses that should answer.
    func shows(_ place: Int, of cluster: PrivateCluster) throws -> Bool {
        let (node, next) = (cluster.nodes[place], cluster.nodes[(place + 1) % PrivateCluster.size])
        return switch self {
        case .killed: !node.isRunning && next.isSynced(of: PrivateCluster.size - 1)
        case .frozen: next.isSynced(of: PrivateCluster.size - 1)
        case .isolated:
            node.status("wsrep_cluster_status") != "Primary" && next.isSynced(of: PrivateCluster.size - 1)
        case .partitioned: cluster.nodes.allSatisfy { $0.status("wsrep_cluster_status") != "Primary" }
        case .readOnly: try node.sql("SELECT @@read_only") == ["1"]
        case .rejecting: (try? node.sql("SELECT COUNT(*) FROM mysql.db")) == nil
        }
    }

    /// Has the fault befall a node and waits until it shows. Returns false if it does not show in 30 seconds. Throws
    /// what a node refuses that should answer.
    func isShown(on place: Int, of cluster: PrivateCluster) async throws -> Bool {
        try await blocking { try befall(place, of: cluster) }
        let start = ContinuousClock.now
        defer { print("fault:", self, "of node", place + 1, "shown after", start.duration(to: .now)) }
        while start.duration(to: .now) < .seconds(30) {
            if try await blocking({ try shows(place, of: cluster) }) { return true }
            try await Task.sleep(for: .milliseconds(100))
        }
        return false
    }
}
