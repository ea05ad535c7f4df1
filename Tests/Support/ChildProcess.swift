package import Glibc
import Synchronization

/// A program this process started; it is killed when this process ends, however that happens.
///
/// The death signal of `setpriv` is tied to the thread that spawned, so one thread that never ends spawns them all.
package final class ChildProcess: Sendable {
    /// Why a program did not start, or failed.
    package struct Failure: Error {
        package let program: String
        package let code: Int32
    }

    /// The process id; it stays valid until `waitForEnd`.
    package let pid: pid_t
    private let isReaped = Mutex(false)

    private static let running = Mutex<[pid_t: ChildProcess]>([:])
    private static let registersExit: Void = { atexit { ChildProcess.killAll() } }()

    private init(pid: pid_t) {
        self.pid = pid
    }

    /// Starts a program with its output discarded, or appended to the file `log`. Throws `Failure` with an errno.
    package static func start(_ arguments: [String], log: String? = nil) throws -> ChildProcess {
        _ = registersExit
        let child = ChildProcess(pid: try SpawningThread.shared.spawn(arguments, log: log))
        running.withLock { $0[child.pid] = child }
        return child
    }

    /// Runs a program to its end. Throws `Failure` with an errno or the exit status.
    package static func run(_ arguments: [String], log: String? = nil) throws {
        let status = try start(arguments, log: log).waitForEnd()
        guard status == 0 else { throw Failure(program: arguments.first ?? "", code: status) }
    }

    /// Sends a signal, unless the process has been waited for.
    package func send(_ signal: Int32) {
        isReaped.withLock { isReaped in
            if !isReaped { kill(pid, signal) }
        }
    }

    /// Stops every thread of the process, and waits until they stand still.
    package func freeze() {
        send(SIGSTOP)
        var info = siginfo_t()
        while waitid(P_PID, id_t(pid), &info, WSTOPPED | WEXITED | WNOWAIT) != 0, errno == EINTR {}
    }

    /// Waits for the end; answers the exit status, or 128 and the signal.
    @discardableResult
    package func waitForEnd() -> Int32 {
        var info = siginfo_t()
        // Leaves the process a zombie, so that its number cannot be another's while `send` may use it.
        while waitid(P_PID, id_t(pid), &info, WEXITED | WNOWAIT) != 0, errno == EINTR {}
        var status: Int32 = 0
        isReaped.withLock { isReaped in
            if !isReaped { waitpid(pid, &status, 0) }
            isReaped = true
        }
        Self.running.withLock { $0[pid] = nil }
        return status & 0x7f == 0 ? (status >> 8) & 0xff : 128 + (status & 0x7f)
    }

    private static func killAll() {
        for child in running.withLock({ Array($0.values) }) {
            child.send(SIGCONT)
            child.send(SIGKILL)
            child.waitForEnd()
        }
        PrivateMariaDB.removeDirectories()
    }
}

/// The thread that spawns and never ends.
private final class SpawningThread: Sendable {
    /// A program to start, and whom to tell.
    private struct Request: Sendable {
        let arguments: [String]
        let log: String?
        let reply: @Sendable (Result<pid_t, ChildProcess.Failure>) -> Void
    }

    static let shared = SpawningThread()
    private let requests = Mutex<[Request]>([])

    private init() {
        var thread = pthread_t()
        pthread_create(
            &thread, nil,
            { _ in
                while true {
                    SpawningThread.shared.serve()
                    usleep(1000)
                }
            }, nil)
        pthread_detach(thread)
    }

    /// Has the thread start a program. Throws `ChildProcess.Failure` with an errno.
    func spawn(_ arguments: [String], log: String?) throws -> pid_t {
        let answer = Answer()
        let request = Request(arguments: arguments, log: log) { result in answer.result.withLock { $0 = result } }
        requests.withLock { $0.append(request) }
        while true {
            if let result = answer.result.withLock({ $0 }) { return try result.get() }
            usleep(500)
        }
    }

    /// Where the spawning thread leaves its answer.
    private final class Answer: Sendable {
        let result = Mutex<Result<pid_t, ChildProcess.Failure>?>(nil)
    }

    private func serve() {
        let batch = requests.withLock { requests in
            defer { requests = [] }
            return requests
        }
        for request in batch {
            request.reply(Self.spawnHere(request.arguments, log: request.log))
        }
    }

    private static func spawnHere(_ arguments: [String], log: String?) -> Result<pid_t, ChildProcess.Failure> {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
        posix_spawn_file_actions_addopen(&actions, 1, log ?? "/dev/null", O_WRONLY | O_CREAT | O_APPEND, 0o644)
        posix_spawn_file_actions_adddup2(&actions, 1, 2)
        // A socket of the tests that a child inherited would stay open when the tests close it.
        for descriptor in openDescriptors() where descriptor > 2 {
            posix_spawn_file_actions_addclose(&actions, descriptor)
        }
        var argv: [UnsafeMutablePointer<CChar>?] = arguments.map { strdup($0) }
        argv.append(nil)
        defer { argv.forEach { free($0) } }
        var pid: pid_t = 0
        let code = posix_spawnp(&pid, arguments.first ?? "", &actions, nil, argv, environ)
        guard code == 0 else { return .failure(ChildProcess.Failure(program: arguments.first ?? "", code: code)) }
        return .success(pid)
    }

    /// What this process has open, and perhaps some that it closes meanwhile, which does no harm.
    private static func openDescriptors() -> [Int32] {
        guard let directory = opendir("/proc/self/fd") else { return [] }
        defer { closedir(directory) }
        var descriptors: [Int32] = []
        while let entry = readdir(directory) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
                pointer.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if let descriptor = Int32(name) { descriptors.append(descriptor) }
        }
        return descriptors
    }
}
