package import Glibc
package import MariaDB
import Synchronization

/// A mariadbd of this test process's own, with its data under a temporary directory.
///
/// `shared` serves whole test runs, one schema per test; tests that kill or freeze a server start one for themselves.
/// With `GATEPASS_TEST_SOCKET` set, `shared` is the server behind that socket, entered as root.
package final class PrivateMariaDB: Sendable {
    /// Why a server could not be used.
    package enum Failure: Error {
        case noTemporaryDirectory
        /// The server did not open its socket in time; `log` is its error log.
        case notReady(log: String)
    }

    /// What a test may want otherwise.
    package struct Options: Sendable {
        /// Also listens on 127.0.0.1, at `PrivateMariaDB.port`.
        package var listensOnLoopback = false
        /// Leaves out the system tables: quicker to start, and anybody may enter.
        package var skipsGrants = false
        /// Further arguments of mariadbd.
        package var arguments: [String] = []

        /// A socket only, and root known by it.
        package init() {}
    }

    /// The path of the unix socket.
    package let socket: String
    /// The TCP port on 127.0.0.1, or 0.
    package let port: Int
    private let user: String
    private let command: [String]
    private let log: String
    private let server = Mutex<ChildProcess?>(nil)

    private static let directories = Mutex<[String]>([])
    private static let databases = Mutex(0)
    private static let sharedResult = Result { try startShared() }

    /// The server that tests share. Throws `Failure` when it does not start.
    package static var shared: PrivateMariaDB {
        get async throws { try await blocking { try sharedResult.get() } }
    }

    init(socket: String, port: Int, user: String, command: [String], log: String) {
        self.socket = socket
        self.port = port
        self.user = user
        self.command = command
        self.log = log
    }

    /// Initialises a directory and starts a server on it. Throws `Failure` or `ChildProcess.Failure`.
    package static func start(_ options: Options = Options()) async throws -> PrivateMariaDB {
        try await blocking { try launch(options) }
    }

    private static func launch(_ options: Options) throws -> PrivateMariaDB {
        let directory = try makeDirectory()
        let data = directory + "/data"
        let account = accountName()
        let log = directory + "/log"
        if options.skipsGrants {
            mkdir(data, 0o700)
        } else {
            try ChildProcess.run(["cp", "-a", try installed.get(), data], log: log)
        }
        try giveToServer(directory)
        let port = options.listensOnLoopback ? freePort() : 0
        let socket = directory + "/s"
        let command = launcher + arguments(data: data, socket: socket, port: port, options)
        let mariaDB = PrivateMariaDB(socket: socket, port: port, user: account, command: command, log: log)
        try mariaDB.boot()
        if options.skipsGrants {
            // The first start made the system tablespace; it survives a kill only once it has been flushed.
            mariaDB.stop(by: SIGTERM)
            try mariaDB.boot()
        }
        return mariaDB
    }

    /// The words that start a server under the user who owns its data.
    static var launcher: [String] {
        // The death signal is lost when a process changes its user, so the user is changed before it is set.
        let asUser = getuid() == 0 ? ["--reuid=mysql", "--regid=mysql", "--clear-groups"] : []
        return ["setpriv"] + asUser + ["--pdeathsig", "KILL", "mariadbd", "--no-defaults"]
    }

    /// Lets the user of the servers own all in a directory. Throws `ChildProcess.Failure`.
    static func giveToServer(_ directory: String) throws {
        if getuid() == 0 { try ChildProcess.run(["chown", "-R", "mysql:mysql", directory]) }
    }

    /// A data directory that no server has used, made once for all servers of this process.
    static let installed = Result {
        let directory = try makeDirectory()
        let data = directory + "/data"
        let isRoot = getuid() == 0
        mkdir(data, 0o700)
        try giveToServer(directory)
        try ChildProcess.run(
            [
                "mariadb-install-db", "--no-defaults", "--datadir=\(data)", "--skip-test-db",
                "--auth-root-authentication-method=socket", "--auth-root-socket-user=\(accountName())",
                "--innodb-log-file-size=16M", "--tmpdir=\(directory)",
            ] + (isRoot ? ["--user=mysql"] : []),
            log: directory + "/log")
        return data
    }

    /// Settings for a schema that was created for the caller. Throws what connecting throws.
    package func freshDatabase() async throws -> ConnectionSettings {
        let number = Self.databases.withLock { count in
            count += 1
            return count
        }
        let name = "test_\(getpid())_\(number)"
        var settings = settings(database: nil)
        var patient = settings
        (patient.connectTimeoutSeconds, patient.readTimeoutSeconds) = (60, 60)
        let connection = try await Connection.open(patient)
        try await connection.with { (session) throws(DatabaseError) in
            try session.run(SQLStatement("createDatabase", "CREATE DATABASE \(name) CHARACTER SET utf8mb4"))
        }
        await connection.close()
        settings.database = name
        return settings
    }

    /// Settings for the unix socket. Between two statements a debug build that runs beside a thousand other tests may
    /// take longer than a server does.
    package func settings(database: String?) -> ConnectionSettings {
        var settings = ConnectionSettings(endpoints: [.socket(path: socket)], database: database, user: user)
        settings.idleTransactionTimeoutSeconds = 60
        return settings
    }

    /// From when it returns the server does nothing until `thaw`.
    package func freeze() {
        server.withLock { $0 }?.freeze()
    }

    /// Lets a frozen server go on.
    package func thaw() {
        server.withLock { $0 }?.send(SIGCONT)
    }

    /// Ends the server as a power cut would, and waits until it is gone.
    package func kill() {
        stop(by: SIGKILL)
    }

    /// Ends the server by a signal, and waits until it is gone.
    func stop(by signal: Int32) {
        let child = server.withLock { $0 }
        child?.send(signal)
        child?.waitForEnd()
        unlink(socket)
    }

    /// Starts the server again on the same data, and waits until it answers. Throws `Failure`.
    package func boot() throws {
        try boot([])
    }

    /// Starts the server with more arguments, and waits for so many seconds until it answers. Throws `Failure`.
    func boot(_ arguments: [String], seconds: Int = 120) throws {
        let child = try ChildProcess.start(command + arguments, log: log)
        server.withLock { $0 = child }
        for _ in 0..<seconds * 100 {
            if isGreeting() { return }
            usleep(10_000)
        }
        throw Failure.notReady(log: log)
    }

    /// The process id of the server that was started last.
    package var pid: pid_t? { server.withLock { $0?.pid } }

    /// Whether the server says its greeting: the socket is open a little before the server is ready, even for signals.
    private func isGreeting() -> Bool {
        let descriptor = Glibc.socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(descriptor) }
        var patience = timeval(tv_sec: 1, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: socket.utf8.prefix($0.count - 1)) }
        let isConnected = withUnsafePointer(to: address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) == 0
            }
        }
        var byte: UInt8 = 0
        return isConnected && recv(descriptor, &byte, 1, 0) == 1
    }
}

extension PrivateMariaDB {
    private static func startShared() throws -> PrivateMariaDB {
        guard let socket = getenv("GATEPASS_TEST_SOCKET").map({ String(cString: $0) }), !socket.isEmpty else {
            return try launch(Options())
        }
        return PrivateMariaDB(socket: socket, port: 0, user: "root", command: [], log: "")
    }

    /// The arguments of a server that listens at `port` of `host`, or at a socket alone if `port` is 0.
    static func arguments(
        data: String, socket: String, host: String = "127.0.0.1", port: Int, _ options: Options
    ) -> [String] {
        let network = port == 0 ? ["--skip-networking"] : ["--bind-address=\(host)", "--port=\(port)"]
        return network + [
            // A server that starts deletes what others keep in a directory of temporary files that it shares with them.
            "--tmpdir=\(data)/..", "--datadir=\(data)", "--socket=\(socket)", "--pid-file=\(data)/pid",
            "--skip-log-bin",
            "--skip-name-resolve",
            "--performance-schema=OFF", "--innodb-flush-log-at-trx-commit=1", "--innodb-buffer-pool-size=64M",
            "--innodb-log-file-size=16M", "--innodb-buffer-pool-dump-at-shutdown=0",
            "--innodb-buffer-pool-load-at-startup=0", "--key-buffer-size=64K", "--aria-pagecache-buffer-size=1M",
            "--innodb-read-io-threads=1", "--innodb-write-io-threads=1", "--innodb-purge-threads=1",
            "--table-open-cache=400", "--max-connections=1000",
        ] + (options.skipsGrants ? ["--skip-grant-tables"] : []) + options.arguments
    }

    /// A directory that is removed when the process ends; other users may pass through it. Throws `Failure`.
    package static func makeDirectory() throws -> String {
        var template = Array("\(place)/gatepass-test-XXXXXX\0".utf8CString)
        guard mkdtemp(&template) != nil else { throw Failure.noTemporaryDirectory }
        let path = String(decoding: template.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        chmod(path, 0o755)
        directories.withLock { $0.append(path) }
        return path
    }

    /// In memory where there is room for it: a server that is killed loses nothing there either, and no neighbour's
    /// disk holds it up.
    private static let place: String = {
        var memory = statvfs()
        guard statvfs("/dev/shm", &memory) == 0, access("/dev/shm", W_OK) == 0 else { return "/tmp" }
        return UInt64(memory.f_bavail) * UInt64(memory.f_bsize) > 8 << 30 ? "/dev/shm" : "/tmp"
    }()

    static func removeDirectories() {
        let paths = directories.withLock { $0 }
        guard !paths.isEmpty else { return }
        // What cannot be removed stays in /tmp; there is nobody left to tell.
        try? ChildProcess.run(["rm", "-rf"] + paths)
    }

    /// The port that this process tries next, below those that Linux gives to connections that ask for any.
    private static let nextPort = Mutex(10_000 + Int(getpid()) % 200 * 100)

    /// A port nobody listens on at this moment, and that no connection takes before the program that it is for.
    package static func freePort() -> Int {
        while true {
            let port = nextPort.withLock { next in
                next = next < 32_000 ? next + 1 : 10_000
                return next
            }
            if canListen(at: port) { return port }
        }
    }

    private static func canListen(at port: Int) -> Bool {
        // A program that is started at this moment must not keep the port.
        let descriptor = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        defer { close(descriptor) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = UInt16(port).bigEndian
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        let length = socklen_t(MemoryLayout<sockaddr_in>.size)
        return withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(descriptor, $0, length) == 0 }
        }
    }

    static func accountName() -> String {
        guard let entry = getpwuid(getuid()) else { return "root" }
        return String(cString: entry.pointee.pw_name)
    }
}
