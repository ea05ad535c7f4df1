package import MariaDB

/// A node of a Galera cluster, as it sees itself and the cluster.
package struct ClusterNode: Hashable, Sendable {
    /// Reads the variables and counters of a node; no row for a server that is in no cluster, or was built without
    /// Galera.
    private static let read = SQLStatement(
        "read node of cluster",
        """
        SELECT LOWER(variable_name), variable_value FROM information_schema.global_variables
        WHERE variable_name = 'WSREP_ON'
        UNION ALL SELECT LOWER(variable_name), variable_value FROM information_schema.global_status
        WHERE variable_name IN ('WSREP_CLUSTER_SIZE', 'WSREP_LOCAL_STATE_COMMENT',
            'WSREP_LOCAL_CERT_FAILURES', 'WSREP_LOCAL_BF_ABORTS')
        """)

    /// The server's own name, with that of the node, as in the rows of ``Instances``.
    package let name: String
    /// The number of nodes that the node sees, including itself.
    package let size: Int
    /// The node's state, such as `Synced`, `Donor/Desynced` or `Joined`.
    package let state: String
    /// The transactions of this node since its start that lost against another node's: at COMMIT, and before.
    package let failedCertifications: Int
    package let abortedTransactions: Int

    package init(name: String, size: Int, state: String, failedCertifications: Int, abortedTransactions: Int) {
        self.name = name
        self.size = size
        self.state = state
        self.failedCertifications = failedCertifications
        self.abortedTransactions = abortedTransactions
    }

    /// Reads the node to which the pool leads; nil if the server is in no cluster. Throws when the database is away.
    package static func read(in pool: Pool) async throws(ServiceFailure) -> ClusterNode? {
        let (name, values) = try await pool.ask { (session) throws(DatabaseError) in
            var values: [String: String] = [:]
            for row in try session.query(read) { values[try row.text(0)] = try row.text(1) }
            return (session.serverName, values)
        }
        guard values["wsrep_on"] == "ON" else { return nil }
        let number = { (name: String) in values[name].flatMap { Int($0) } ?? 0 }
        return ClusterNode(
            name: name, size: number("wsrep_cluster_size"),
            state: values["wsrep_local_state_comment"] ?? "",
            failedCertifications: number("wsrep_local_cert_failures"),
            abortedTransactions: number("wsrep_local_bf_aborts"))
    }
}
