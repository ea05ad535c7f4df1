import Glibc
package import MariaDB
import Synchronization

/// Three servers of this test process's own that are one Galera cluster, with their data under temporary directories.
package final class PrivateCluster: Sendable {
    /// The number of nodes.
    package static let size = 3
    /// The account that enters over TCP. It has no right to write to a server that is read-only.
    package static let user = "gatepass"
    package static let password = "a-password-of-tests"
    /// The account of a proxy's checks, which has no right, no password and few sessions.
    private static let checker = "haproxy_check"

    package let nodes: [PrivateNode]
    package let addresses: ClusterAddresses
    private let databases = Mutex(0)

    private static let sharedResult = Result { try PrivateCluster() }

    /// The cluster that tests share. Throws when it does not start.
    package static var shared: PrivateCluster {
        get throws { try sharedResult.get() }
    }

    /// Starts a cluster. Throws when a node does not start.
    package init() throws {
        let addresses = ClusterAddresses()
        let nodes = try (1...Self.size).map { try PrivateNode($0, of: addresses) }
        (self.addresses, self.nodes) = (addresses, nodes)
        let data = nodes[0].directory + "/data"
        try ChildProcess.run(["cp", "-a", try PrivateMariaDB.installed.get(), data])
        try PrivateMariaDB.giveToServer(nodes[0].directory)
        // All begin with the data of one: then a node that joins needs no copy of them.
        try nodes[0].bootstrap()
        try nodes[0].sql(
            """
            CREATE USER \(Self.user) IDENTIFIED BY '\(Self.password)';
            GRANT SELECT, INSERT, UPDATE, DELETE, CREATE, ALTER, DROP, INDEX ON *.* TO \(Self.user);
            CREATE USER \(Self.checker) WITH MAX_USER_CONNECTIONS 10 MAX_STATEMENT_TIME 1
            """)
        nodes[0].shutDown()
        unlink(data + "/galera.cache")
        for node in nodes.dropFirst() {
            try ChildProcess.run(["cp", "-a", data, node.directory + "/data"])
            try PrivateMariaDB.giveToServer(node.directory)
        }
        try nodes[0].bootstrap()
        for node in nodes.dropFirst() { try node.boot() }
        try settle()
    }

    /// Ends all nodes.
    package func stop() {
        for node in nodes where node.isRunning {
            node.thaw()
            node.kill()
        }
    }

    /// Undoes faults of nodes that run, starts the others, and waits until all are one cluster. Throws when they do not
    /// become one.
    package func heal() throws {
        for node in nodes where node.isRunning {
            node.thaw()
            try node.sql("SET GLOBAL wsrep_reject_queries = NONE; SET GLOBAL read_only = 0")
            try node.isolate(false)
        }
        for node in nodes where !node.isRunning { try node.boot() }
        try settle()
    }

    /// Waits until all nodes are one cluster. Throws when they do not become one.
    package func settle() throws {
        for _ in 0..<600 {
            if nodes.allSatisfy({ $0.isSynced(of: Self.size) }) { return }
            usleep(100_000)
        }
        throw PrivateNode.Failure(text: nodes.map { $0.log.suffix(2_000) }.joined(separator: "\n\n"))
    }

    /// Waits until every node has applied what was committed anywhere. Throws when one does not answer.
    package func catchUp() throws {
        for node in nodes { try node.sql("SET SESSION wsrep_sync_wait = 15; SELECT 1") }
    }

    /// The name of a schema that was made for the caller. Throws what the first node refuses.
    package func freshDatabase() throws -> String {
        let number = databases.withLock { count in
            count += 1
            return count
        }
        let name = "test_\(number)"
        try nodes[0].sql("CREATE DATABASE \(name) CHARACTER SET utf8mb4")
        return name
    }

    /// Settings that lead to nodes, tried in this order, over TCP.
    package func settings(_ database: String?, on numbers: [Int]) -> ConnectionSettings {
        settings(database, at: numbers.map { .tcp(host: nodes[$0 - 1].host, port: addresses.port) })
    }

    /// Settings that lead to these endpoints.
    package func settings(_ database: String?, at endpoints: [ConnectionSettings.Endpoint]) -> ConnectionSettings {
        var settings = ConnectionSettings(
            endpoints: endpoints, database: database, user: Self.user, password: Self.password)
        settings.idleTransactionTimeoutSeconds = 60
        return settings
    }
}
