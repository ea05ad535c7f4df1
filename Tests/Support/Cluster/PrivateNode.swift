package import Glibc
import FoundationEssentials

/// A node of a ``PrivateCluster``: a mariadbd that listens at an address of its own.
package final class PrivateNode: Sendable {
    /// The reason why a statement failed or the node did not start.
    package struct Failure: Error {
        package let text: String
    }

    /// The node's number in the cluster, from 1.
    package let number: Int
    /// The address at which it listens.
    package let host: String
    /// The path of the directory with its socket, its log and its data.
    let directory: String
    private let server: PrivateMariaDB
    private let command: [String]
    private let account = PrivateMariaDB.accountName()

    /// A node that does not run yet and has no data.
    init(_ number: Int, of addresses: ClusterAddresses) throws {
        self.number = number
        host = addresses.host(number)
        directory = try PrivateMariaDB.makeDirectory()
        var options = PrivateMariaDB.Options()
        options.arguments = addresses.arguments(of: number)
        let socket = directory + "/s"
        command =
            PrivateMariaDB.launcher
            + PrivateMariaDB.arguments(
                data: directory + "/data", socket: socket, host: host, port: addresses.port, options)
        server = PrivateMariaDB(
            socket: socket, port: addresses.port, user: account, command: command, log: directory + "/log")
    }

    // MARK: The process

    /// The process id of the node, also of one that was killed; nil before the first start.
    package var pid: pid_t? { server.pid }

    /// True while the process runs or stands still.
    package var isRunning: Bool { pid.map { Glibc.kill($0, 0) == 0 } ?? false }

    /// Starts a cluster of this node alone. Throws when it does not start.
    func bootstrap() throws {
        try server.boot(["--wsrep-new-cluster"], seconds: 60)
    }

    /// Starts the node, which joins the others where its data end, and waits until it answers. Throws when it does not
    /// start.
    package func boot() throws {
        try server.boot(["--wsrep-start-position=\(try position())"], seconds: 60)
    }

    /// Ends the node as a power cut would, and waits until it is gone.
    package func kill() { server.kill() }

    /// Ends the node in order, and waits until it is gone.
    package func shutDown() { server.stop(by: SIGTERM) }

    /// From when it returns the node does nothing until `thaw`.
    package func freeze() { server.freeze() }

    /// Lets a frozen node go on.
    package func thaw() { server.thaw() }

    /// The transaction at which the data end, as services of distributions also find it before each start.
    private func position() throws -> String {
        let log = directory + "/recovery"
        // The log of an earlier start would be read too.
        unlink(log)
        try ChildProcess.run(command + ["--wsrep-recover"], log: log)
        let mark = "Recovered position: "
        let line = Self.text(of: log).split(separator: "\n").last { $0.contains(mark) }
        guard let position = line.flatMap({ $0.components(separatedBy: mark).last }) else {
            throw Failure(text: Self.text(of: log))
        }
        return position
    }

    // MARK: The cluster

    /// Cuts the node off from the others, or lets them meet again. Throws what the node refuses.
    package func isolate(_ isIsolated: Bool = true) throws {
        try sql("SET GLOBAL wsrep_provider_options = 'gmcast.isolate=\(isIsolated ? 1 : 0)'")
    }

    /// Has the node refuse all queries, or take them again. Throws what the node refuses.
    package func reject(_ isRejecting: Bool = true) throws {
        try sql("SET GLOBAL wsrep_reject_queries = \(isRejecting ? "ALL" : "NONE")")
    }

    /// Has the node refuse all writes of others than root, or take them again. Throws what the node refuses.
    package func readOnly(_ isReadOnly: Bool = true) throws {
        try sql("SET GLOBAL read_only = \(isReadOnly ? 1 : 0)")
    }

    /// A status variable, such as `wsrep_cluster_size`; nil if the node does not answer.
    package func status(_ name: String) -> String? {
        let line = try? sql("SHOW GLOBAL STATUS LIKE '\(name)'").first
        return line?.split(separator: "\t").last.map { String($0) }
    }

    /// True if the node takes part in a cluster of so many nodes.
    package func isSynced(of size: Int) -> Bool {
        status("wsrep_local_state_comment") == "Synced" && status("wsrep_cluster_status") == "Primary"
            && status("wsrep_cluster_size") == String(size)
    }

    /// Runs statements as root, also where others may run none; the lines of their rows, with tabs between values.
    /// Throws ``Failure`` with what the node answered.
    @discardableResult
    package func sql(_ text: String) throws -> [String] {
        let output = directory + "/output-\(UInt64.random(in: .min ... .max))"
        defer { unlink(output) }
        let client = ["mariadb", "--no-defaults", "--skip-column-names", "--batch", "--socket=\(directory)/s"]
        let status = try ChildProcess.start(client + ["--user=\(account)", "--execute=\(text)"], log: output)
            .waitForEnd()
        guard status == 0 else { throw Failure(text: "\(host): \(Self.text(of: output))") }
        return Self.text(of: output).split(separator: "\n").map { String($0) }
    }

    /// The node's error log.
    package var log: String { Self.text(of: directory + "/log") }

    private static func text(of path: String) -> String {
        String(decoding: FileManager.default.contents(atPath: path) ?? Data(), as: UTF8.self)
    }
}
