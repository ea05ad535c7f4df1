package import MariaDB

/// The test for a database server that is a node of a Galera cluster.
package enum ClusterNode {
    private static let flag = SQLStatement(
        "read wsrep_on",
        "SELECT variable_value FROM information_schema.global_variables WHERE variable_name = 'WSREP_ON'")

    /// True if the database server is a node of a Galera cluster: its variable `wsrep_on` is on. A MariaDB that was
    /// built without Galera does not have this variable, so the result is false. Throws when the database is away.
    package static func isServing(_ pool: Pool) async throws(ServiceFailure) -> Bool {
        try await pool.ask { (session) throws(DatabaseError) in try session.query(flag).first?.text(0) == "ON" }
    }
}
