import Glibc
import Support

/// A datagram socket of the tests in the place of a supervisor's.
final class SupervisorHere: Sendable {
    /// The socket could not be made; the code is an errno.
    struct Failure: Error {
        let code: Int32
    }

    /// The value of `NOTIFY_SOCKET`.
    let name: String
    private let descriptor: Int32

    /// Listens at a path, or with `@` in front at an abstract name. Throws `Failure`.
    init(_ name: String) throws {
        self.name = name
        descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        var patience = timeval(tv_sec: 60, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let bytes = name.hasPrefix("@") ? [0] + name.utf8.dropFirst() : Array(name.utf8)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
        let length = socklen_t(MemoryLayout<sa_family_t>.size + bytes.count)
        let outcome = withUnsafePointer(to: address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(descriptor, $0, length) }
        }
        guard outcome == 0 else { throw Failure(code: errno) }
    }

    deinit { close(descriptor) }

    /// The next message; nil if none comes within a minute. Throws nothing.
    func next() async throws -> String? {
        try await blocking { [descriptor] in
            var bytes = [UInt8](repeating: 0, count: 4_096)
            let count = recv(descriptor, &bytes, bytes.count, 0)
            return count < 0 ? nil : String(decoding: bytes.prefix(count), as: UTF8.self)
        }
    }

    /// The messages that came and nobody took.
    var left: Int {
        var bytes = [UInt8](repeating: 0, count: 4_096)
        var count = 0
        while recv(descriptor, &bytes, bytes.count, Int32(MSG_DONTWAIT)) >= 0 { count += 1 }
        return count
    }
}
