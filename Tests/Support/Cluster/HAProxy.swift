import FoundationEssentials
import Glibc
package import MariaDB

/// HAProxy before the nodes of a cluster, as `docs/haproxy.cfg` has it run.
package final class HAProxy: Sendable {
    /// The address at which it listens.
    package let endpoint: ConnectionSettings.Endpoint
    private let child: ChildProcess

    /// Starts it with the addresses of `cluster` in place of the document's. Throws when it does not start.
    package init(before cluster: PrivateCluster) throws {
        let directory = try PrivateMariaDB.makeDirectory()
        let (host, port) = (cluster.addresses.proxy, cluster.addresses.port)
        endpoint = .tcp(host: host, port: port)
        let own = [
            ("/run/haproxy", directory), ("10.0.1.10:3306", "\(host):\(port)"), ("10.0.1.0/24", "127.0.0.0/8"),
        ]
        let nodes = cluster.nodes.map { ("10.0.0.1\($0.number):3306", "\($0.host):\(port)") }
        var text = String(
            decoding: try Data(contentsOf: URL(fileURLWithPath: TestRun.repository + "/docs/haproxy.cfg")),
            as: UTF8.self)
        for (documented, ours) in own + nodes { text = text.replacing(documented, with: ours) }
        try Data(text.utf8).write(to: URL(fileURLWithPath: directory + "/haproxy.cfg"))
        let (program, log) = (Self.program, directory + "/log")
        try ChildProcess.run([program, "-c", "-f", directory + "/haproxy.cfg"], log: log)
        child = try ChildProcess.start(
            ["setpriv", "--pdeathsig", "KILL", program, "-db", "-f", directory + "/haproxy.cfg"], log: log)
    }

    /// Ends it at once.
    package func stop() {
        child.send(SIGKILL)
        child.waitForEnd()
    }

    private static var program: String {
        let own = TestRun.repository + "/.tools/haproxy"
        return FileManager.default.fileExists(atPath: own) ? own : "haproxy"
    }
}
