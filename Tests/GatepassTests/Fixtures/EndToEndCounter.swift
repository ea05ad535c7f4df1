import Synchronization

/// Counts what several tasks do.
final class EndToEndCounter: Sendable {
    private let stored = Mutex(0)

    var count: Int { stored.withLock { $0 } }

    func add() {
        stored.withLock { $0 += 1 }
    }
}
