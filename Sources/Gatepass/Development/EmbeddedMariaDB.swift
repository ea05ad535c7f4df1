import Foundation
import MariaDB

/// A private MariaDB server of an installation, with its own data directory. It listens on a socket only and writes
/// every commit to disk.
///
/// A small shell script runs the server and restarts it when it dies. The shell waits on a pipe from this process. When
/// this process ends for any reason, even by kill -9, the pipe closes and the shell stops the server. So nothing is
/// left running.
final class EmbeddedMariaDB {
    /// The reason why the server did not start; `log` is the path of the server's log.
    enum Failure: Error, CustomStringConvertible {
        case notInstalled(program: String)
        case notInitialised(log: String)
        case notReady(log: String)

        var description: String {
            switch self {
            case .notInstalled(let program): "\(program) is not installed: run `make setup`, or install mariadb-server"
            case .notInitialised(let log): "the data directory could not be made; \(log) says why"
            case .notReady(let log): "MariaDB did not start; \(log) says why"
            }
        }
    }

    /// The shell script. Its first argument is the file into which it writes the server's process id; the other
    /// arguments are the server's command line.
    ///
    /// A server that gets SIGTERM while it starts may hang. So the script kills a server that does not end, which loses
    /// nothing, because every commit is on disk.
    private static let supervisor = """
        exec 3<&0 </dev/null
        told=$1 stopping= tries=0
        shift
        trap 'stopping=1; trap "" TERM; kill -TERM "$server" 2>/dev/null' TERM
        (while read -r _ <&3; do :; done; kill -TERM $$) &
        until [ "$stopping" ] || [ "$tries" -ge 20 ]; do
            "$@" 3<&- & server=$!
            echo "$server" >"$told"
            [ "$stopping" ] && kill -TERM "$server" 2>/dev/null
            wait "$server"
            tries=$((tries + 1))
            [ "$stopping" ] || sleep 0.2
        done
        checks=0
        while kill -0 "$server" 2>/dev/null; do
            [ "$checks" -lt 80 ] || kill -KILL "$server"
            checks=$((checks + 1))
            sleep 0.1
        done
        rm -f "$told"
        """

    private let directory: URL
    private let process = Process()
    private let lifeline = Pipe()

    /// The path of the socket on which the server listens.
    let socket: String
    /// The database account: the system user of this process, whom the server authenticates by the socket.
    let user: String

    /// Prepares a server whose files are under `directory`. It runs only after `start`.
    init(directory: URL) {
        self.directory = directory
        user = NSUserName()
        let inside = directory.appendingPathComponent("mariadb.sock").path
        socket = inside.utf8.count < Self.maximumSocketPath ? inside : "/tmp/gatepass-\(getpid()).sock"
    }

    /// The longest path of a Unix socket; the system's limit is 108 bytes.
    private static let maximumSocketPath = 104

    /// Starts the server and waits until it answers. The first start also creates the data directory.
    ///
    /// Throws `Failure` or an error of the file system.
    func start() async throws {
        let data = directory.appendingPathComponent("data")
        await endOfPreviousServer(data)
        if !FileManager.default.fileExists(atPath: data.path) { try initialise(data) }
        try launch(data)
        for _ in 0..<Self.readinessChecks {
            if await isReady() { return }
            guard process.isRunning else { break }
            try await Task.sleep(for: .milliseconds(50))
        }
        await stop()
        throw Failure.notReady(log: logFile)
    }

    private static let readinessChecks = 1_200

    /// Stops the server and waits until it has ended; a server that does not end is killed.
    func stop() async {
        process.terminate()
        lifeline.fileHandleForWriting.closeFile()
        let deadline = ContinuousClock.now.advanced(by: Self.longestEnd)
        while process.isRunning, ContinuousClock.now < deadline {
            usleep(10_000)  // a task's sleep would not sleep once it is cancelled, and nothing else is left to do
        }
        if process.isRunning {
            kill(process.processIdentifier, SIGKILL)
            if let server = runningServer(directory.appendingPathComponent("data")) { kill(server, SIGKILL) }
        }
        try? FileManager.default.removeItem(atPath: socket)  // a stale socket is replaced at the next start
    }

    /// The longest time to wait for the end. The script kills the server after eight seconds, so this is for a script
    /// that hangs.
    private static let longestEnd = Duration.seconds(12)

    /// Waits for the server of an earlier process, which may still write after that process got kill -9. A server that
    /// hangs is killed.
    private func endOfPreviousServer(_ data: URL) async {
        let deadline = ContinuousClock.now.advanced(by: Self.longestEnd)
        while let server = runningServer(data) {
            if ContinuousClock.now > deadline { kill(server, SIGKILL) }
            try? await Task.sleep(for: .milliseconds(50))  // cancelled: it is waited for all the same
        }
    }

    /// The process id of the server on `data`; nil if none runs.
    private func runningServer(_ data: URL) -> pid_t? {
        guard let text = try? String(contentsOfFile: serverFile, encoding: .utf8),  // none was started
            let server = pid_t(text.trimmingCharacters(in: .whitespacesAndNewlines)), kill(server, 0) == 0
        else { return nil }
        let ps = Process()
        let output = Pipe()
        ps.executableURL = URL(fileURLWithPath: "/bin/sh")
        ps.arguments = ["-c", "exec ps -ww -o args= -p \(server)"]
        ps.standardOutput = output
        guard (try? ps.run()) != nil else { return nil }  // without ps nothing can be told of it
        let line = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        ps.waitUntilExit()
        return line.contains("--datadir=\(data.path)") ? server : nil
    }

    /// The file into which the script writes the server's process id.
    private var serverFile: String { directory.appendingPathComponent("server.pid").path }

    /// The settings for a connection to the schema `database`.
    func settings(database: String?) -> ConnectionSettings {
        ConnectionSettings(endpoints: [.socket(path: socket)], database: database, user: user)
    }

    private var logFile: String { directory.appendingPathComponent("mariadb.log").path }

    private func initialise(_ data: URL) throws {
        try FileManager.default.createDirectory(
            at: directory, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        let unfinished = data.appendingPathExtension("unfinished")
        try? FileManager.default.removeItem(at: unfinished)  // what an interrupted first start left; nobody used it yet
        let setup = Process()
        setup.executableURL = try Self.program("mariadb-install-db")
        setup.arguments =
            [
                "--no-defaults", "--datadir=\(unfinished.path)", "--auth-root-authentication-method=socket",
                "--auth-root-socket-user=\(user)", "--skip-test-db", "--tmpdir=\(directory.path)",
            ] + account
        let log = try openLog()
        setup.standardOutput = log
        setup.standardError = log
        try setup.run()
        setup.waitUntilExit()
        guard setup.terminationStatus == 0 else { throw Failure.notInitialised(log: logFile) }
        try FileManager.default.moveItem(at: unfinished, to: data)
    }

    private func launch(_ data: URL) throws {
        // The shell must not inherit the pipe's writing end, or the pipe would never close for it.
        _ = fcntl(lifeline.fileHandleForWriting.fileDescriptor, F_SETFD, FD_CLOEXEC)
        process.executableURL = URL(fileURLWithPath: "/bin/sh")
        process.arguments =
            ["-c", Self.supervisor, "gatepass-mariadb", serverFile, try Self.program("mariadbd").path] + options(data)
        process.standardInput = lifeline
        let log = try openLog()
        process.standardOutput = log
        process.standardError = log
        try Self.withNoSignalBlocked { try process.run() }
    }

    /// Runs `body` with no signal blocked. A child inherits the signals that its parent's thread blocks, and the
    /// threads that run tasks block most signals. A shell started from such a thread would get neither SIGTERM nor the
    /// signal that its child has ended.
    private static func withNoSignalBlocked(_ body: () throws -> Void) rethrows {
        var none = sigset_t()
        var before = sigset_t()
        sigemptyset(&none)
        pthread_sigmask(SIG_SETMASK, &none, &before)
        defer { pthread_sigmask(SIG_SETMASK, &before, nil) }
        try body()
    }

    private func options(_ data: URL) -> [String] {
        [
            "--no-defaults", "--datadir=\(data.path)", "--socket=\(socket)", "--tmpdir=\(directory.path)",
            "--pid-file=\(directory.appendingPathComponent("mariadb.pid").path)", "--skip-networking", "--skip-log-bin",
            "--skip-name-resolve", "--performance-schema=OFF", "--innodb-flush-log-at-trx-commit=1",
            "--innodb-doublewrite=ON", "--innodb-buffer-pool-size=256M", "--innodb-log-file-size=128M",
            "--max-connections=64", "--character-set-server=utf8mb4", "--collation-server=utf8mb4_nopad_bin",
        ] + account
    }

    /// The server refuses to run as root unless an option says so.
    private var account: [String] { getuid() == 0 ? ["--user=root"] : [] }

    private func isReady() async -> Bool {
        guard let connection = try? await Connection.open(settings(database: nil), name: "probe") else { return false }
        await connection.close()
        return true
    }

    private func openLog() throws -> FileHandle {
        if !FileManager.default.fileExists(atPath: logFile) {
            _ = FileManager.default.createFile(atPath: logFile, contents: nil, attributes: [.posixPermissions: 0o600])
        }
        let log = try FileHandle(forWritingTo: URL(fileURLWithPath: logFile))
        _ = try log.seekToEnd()
        return log
    }

    private static func program(_ name: String) throws -> URL {
        for folder in ["/usr/sbin", "/usr/bin", "/usr/local/sbin", "/usr/local/bin", "/opt/homebrew/bin"] {
            let url = URL(fileURLWithPath: folder).appendingPathComponent(name)
            if FileManager.default.isExecutableFile(atPath: url.path) { return url }
        }
        throw Failure.notInstalled(program: name)
    }
}
