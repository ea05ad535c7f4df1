/// The addresses of a cluster: hosts on a loopback network drawn by chance, so that two runs do not meet, and ports
/// that all nodes share.
package struct ClusterAddresses: Sendable {
    private let network = "127.\(Int.random(in: 64...250)).\(Int.random(in: 1...250))"
    /// The port of the servers.
    package let port = PrivateMariaDB.freePort()
    private let group = PrivateMariaDB.freePort()
    private let increments = PrivateMariaDB.freePort()
    private let snapshots = PrivateMariaDB.freePort()

    /// The host of a node, numbered from 1.
    func host(_ number: Int) -> String { "\(network).\(number)" }

    /// The host of a proxy before the nodes.
    var proxy: String { host(99) }

    /// The arguments by which a server is a node. A node that is silent is given up sooner than by default, and before
    /// a client gives up its answer.
    func arguments(of number: Int) -> [String] {
        let host = host(number)
        let options = [
            "gcache.size=64M", "gmcast.listen_addr=tcp://\(host):\(group)", "ist.recv_addr=\(host):\(increments)",
            "evs.keepalive_period=PT0.3S", "evs.inactive_check_period=PT0.3S", "evs.suspect_timeout=PT1.5S",
            "evs.inactive_timeout=PT4S", "evs.install_timeout=PT4S", "repl.causal_read_timeout=PT4S",
        ]
        let members = (1...PrivateCluster.size).map { "\(self.host($0)):\(group)" }
        return [
            "--binlog-format=ROW", "--innodb-autoinc-lock-mode=2", "--wsrep-on=ON",
            "--wsrep-provider=/usr/lib/galera/libgalera_smm.so", "--wsrep-cluster-name=\(network)",
            "--wsrep-cluster-address=gcomm://\(members.joined(separator: ","))", "--wsrep-node-name=node\(number)",
            "--wsrep-node-address=\(host)", "--wsrep-slave-threads=2", "--wsrep-sst-method=rsync",
            "--wsrep-sst-receive-address=\(host):\(snapshots)",
            "--wsrep-provider-options=\(options.joined(separator: ";"))",
        ]
    }
}
