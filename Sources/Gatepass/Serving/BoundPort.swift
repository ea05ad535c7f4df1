import Synchronization

/// The port that a server listens on. Until it listens, the port that the settings name.
final class BoundPort: Sendable {
    private let port: Mutex<Int>

    init(_ port: UInt16) { self.port = Mutex(Int(port)) }

    var value: Int { port.withLock { $0 } }

    func note(_ bound: Int) { port.withLock { $0 = bound } }
}
