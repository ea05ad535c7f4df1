import Glibc

/// The socket of the supervisor that started this process, such as systemd (`sd_notify(3)`).
///
/// Each message is one datagram and has no answer. A supervisor that is gone is not told, and nothing else follows.
struct SupervisorSocket: Sendable {
    /// The messages that a supervisor knows.
    enum Message: String, Sendable {
        case ready = "READY=1"
        case stopping = "STOPPING=1"
        case alive = "WATCHDOG=1"
    }

    /// The bytes of the address: a path, or a zero and an abstract name.
    private let address: [UInt8]
    /// The time between two signs of life, half of what the supervisor allows; nil if it wants none.
    let signOfLife: Duration?

    /// The socket that the environment of the process names; nil if there is none.
    ///
    /// - Parameter pid: The id of this process. Signs of life may be wanted of another one.
    init?(environment: [String: String], pid: Int32 = getpid()) {
        guard let name = environment["NOTIFY_SOCKET"], name.hasPrefix("/") || name.hasPrefix("@") else { return nil }
        address = name.hasPrefix("@") ? [0] + name.utf8.dropFirst() : Array(name.utf8)
        guard address.count < MemoryLayout.size(ofValue: sockaddr_un().sun_path) else { return nil }
        let isForThis = environment["WATCHDOG_PID"].map { $0 == String(pid) } ?? true
        let allowed = environment["WATCHDOG_USEC"].flatMap { Int64($0) } ?? 0
        signOfLife = isForThis && allowed > 0 ? .microseconds(max(allowed / 2, 1)) : nil
    }

    /// Sends a message. A supervisor that does not read, so that its queue is full, is not waited for.
    func send(_ message: Message) {
        let descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { return }
        defer { close(descriptor) }
        var target = sockaddr_un()
        target.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &target.sun_path) { $0.copyBytes(from: address) }
        let length = socklen_t(MemoryLayout<sa_family_t>.size + address.count)
        let bytes = Array(message.rawValue.utf8)
        _ = withUnsafePointer(to: target) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                sendto(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL | MSG_DONTWAIT), $0, length)
            }
        }
    }
}
