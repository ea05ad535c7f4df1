import Glibc
import Synchronization

/// A TCP proxy in front of a MariaDB server that knows where packets begin, cuts connections at COMMIT, and holds what
/// a client sends.
///
/// Listens on 127.0.0.1 and runs on threads of its own until `stop()`.
package final class PacketProxy: Sendable {
    /// What befalls the next COMMITs.
    package enum Fault: Sendable {
        /// The connection is cut and the server never sees the COMMIT.
        case cutBeforeCommit
        /// The connection is cut when the server has answered, and the client never sees the answer.
        case cutAfterCommit
    }

    /// The port to connect to.
    package let port: Int
    private let listener: Int32
    private let state: Mutex<State>

    /// What its threads share.
    private struct State {
        /// The port on 127.0.0.1 to which new connections lead.
        var target: Int
        var fault: Fault?
        var faultsLeft = 0
        var faultsMet = 0
        var refusesConnections = false
        /// The number of clients' messages that still pass before one is held.
        var untilHeld: Int?
        var isHolding = false
        var refusesAfterFault = false
        var isStopped = false
        var sockets: Set<Int32> = []
        var threads: [pthread_t] = []
    }

    /// A proxy to 127.0.0.1 at `target`. Throws `ChildProcess.Failure` with an errno when it cannot listen.
    package init(to target: Int) throws {
        state = Mutex(State(target: target))
        let listener = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        // Port 0 takes a free one and keeps it: one found free first may be somebody else's by now.
        guard Self.withLoopback(0, { bind(listener, $0, $1) }) == 0, listen(listener, 64) == 0,
            let port = Self.port(of: listener)
        else {
            let code = errno
            close(listener)
            throw ChildProcess.Failure(program: "proxy", code: code)
        }
        self.listener = listener
        self.port = port
        startThread { $0.accept() }
    }

    /// Leads new connections to another port on 127.0.0.1.
    package func lead(to target: Int) { state.withLock { $0.target = target } }

    /// Lets `fault` befall the next `count` COMMITs; then, if `refusesAfter`, refuses all new connections.
    package func inject(_ fault: Fault, count: Int = 1, refusesAfter: Bool = false) {
        state.withLock { state in
            state.fault = fault
            state.faultsLeft = count
            state.refusesAfterFault = refusesAfter
        }
    }

    /// Holds the message of a client before which `count` others pass, until `release`.
    package func hold(after count: Int) { state.withLock { $0.untilHeld = count } }

    /// True while a message is held.
    package var isHolding: Bool { state.withLock { $0.isHolding } }

    /// Lets a message go on that is held, and holds none any more.
    package func release() {
        state.withLock { state in
            state.untilHeld = nil
            state.isHolding = false
        }
    }

    /// Waits in the thread of a connection whose message is to be held.
    private func waitIfHeld() {
        let isHeld = state.withLock { state in
            guard let left = state.untilHeld else { return false }
            state.untilHeld = left > 0 ? left - 1 : nil
            if left == 0 { state.isHolding = true }
            return left == 0
        }
        while isHeld, state.withLock({ $0.isHolding && !$0.isStopped }) { usleep(500) }
    }

    /// How many COMMITs were cut.
    package var faultsMet: Int { state.withLock { $0.faultsMet } }

    /// Closes everything and waits for its threads.
    package func stop() {
        let threads = state.withLock { state in
            state.isStopped = true
            for socket in state.sockets { shutdown(socket, Int32(SHUT_RDWR)) }
            return state.threads
        }
        shutdown(listener, Int32(SHUT_RDWR))
        for thread in threads { pthread_join(thread, nil) }
        close(listener)
    }

    private func accept() {
        while true {
            let client = Glibc.accept(listener, nil, nil)
            if state.withLock({ $0.isStopped }) || client < 0 { return }
            if state.withLock({ $0.refusesConnections }) {
                close(client)
                continue
            }
            startThread { $0.relay(client) }
        }
    }

    private func relay(_ client: Int32) {
        let server = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { for socket in [client, server] { forget(socket) } }
        guard Self.withLoopback(state.withLock({ $0.target }), { connect(server, $0, $1) }) == 0 else { return }
        let isStopped = state.withLock { state in
            state.sockets.formUnion([client, server])
            return state.isStopped
        }
        guard !isStopped else { return }
        var packets = PacketReader()
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            var polled = [
                pollfd(fd: client, events: Int16(POLLIN), revents: 0),
                pollfd(fd: server, events: Int16(POLLIN), revents: 0),
            ]
            guard poll(&polled, 2, -1) > 0 else { return }
            for (source, sink) in [(0, server), (1, client)] where polled[source].revents != 0 {
                let count = recv(polled[source].fd, &buffer, buffer.count, 0)
                guard count > 0 else { return }
                if source == 0 { waitIfHeld() }
                let isCommit = source == 0 && packets.read(buffer.prefix(count))
                let fault = isCommit ? takeFault() : nil
                if fault == .cutBeforeCommit { return }
                guard Self.sendAll(buffer.prefix(count), to: sink) else { return }
                if fault == .cutAfterCommit {
                    _ = recv(server, &buffer, buffer.count, 0)
                    return
                }
            }
        }
    }

    private func takeFault() -> Fault? {
        state.withLock { state in
            guard state.faultsLeft > 0 else { return nil }
            state.faultsLeft -= 1
            state.faultsMet += 1
            if state.faultsLeft == 0, state.refusesAfterFault { state.refusesConnections = true }
            return state.fault
        }
    }

    private func forget(_ socket: Int32) {
        state.withLock { _ = $0.sockets.remove(socket) }
        close(socket)
    }

    private static func sendAll(_ bytes: ArraySlice<UInt8>, to socket: Int32) -> Bool {
        var rest = bytes
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { send(socket, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
            guard count > 0 else { return false }
            rest = rest.dropFirst(count)
        }
        return true
    }

    private static func port(of descriptor: Int32) -> Int? {
        var address = sockaddr_in()
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let status = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &length) }
        }
        return status == 0 ? Int(UInt16(bigEndian: address.sin_port)) : nil
    }

    private static func withLoopback(_ port: Int, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32) -> Int32 {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = UInt16(port).bigEndian
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        return withUnsafePointer(to: address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                body($0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
    }

    /// What a thread of the proxy is to do.
    private final class Job: Sendable {
        let proxy: PacketProxy
        let body: @Sendable (PacketProxy) -> Void

        init(_ proxy: PacketProxy, _ body: @escaping @Sendable (PacketProxy) -> Void) {
            self.proxy = proxy
            self.body = body
        }
    }

    private func startThread(_ body: @escaping @Sendable (PacketProxy) -> Void) {
        var thread = pthread_t()
        let job = Unmanaged.passRetained(Job(self, body))
        let status = pthread_create(
            &thread, nil,
            { context in
                guard let context else { return nil }
                let job = Unmanaged<Job>.fromOpaque(context).takeRetainedValue()
                job.body(job.proxy)
                return nil
            }, job.toOpaque())
        guard status == 0 else { return job.release() }
        let started = thread
        state.withLock { $0.threads.append(started) }
    }
}

/// Finds COMMIT in what a client sends: packets of a three-byte length, a number and a payload.
private struct PacketReader {
    private var pending: [UInt8] = []
    private static let commit: [UInt8] = [0x03] + Array("COMMIT".utf8)

    /// Whether the bytes complete a packet that is a COMMIT.
    mutating func read(_ bytes: ArraySlice<UInt8>) -> Bool {
        pending += bytes
        var isCommit = false
        while pending.count >= 4 {
            let length = Int(pending[0]) | Int(pending[1]) << 8 | Int(pending[2]) << 16
            guard pending.count >= 4 + length else { break }
            isCommit = isCommit || pending[4..<4 + length].elementsEqual(Self.commit)
            pending.removeFirst(4 + length)
        }
        return isCommit
    }
}
