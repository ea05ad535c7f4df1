import Glibc
import Synchronization

/// A point in a test that several threads reach before any of them goes on.
final class Barrier: Sendable {
    private let arrived = Atomic(0)
    private let expected: Int

    init(of expected: Int) {
        self.expected = expected
    }

    /// Whether all have arrived.
    var isComplete: Bool { arrived.load(ordering: .sequentiallyConsistent) >= expected }

    /// Counts the caller in.
    func arrive() {
        arrived.add(1, ordering: .sequentiallyConsistent)
    }

    /// Blocks the calling thread, which is not one of the cooperative pool, until all have arrived; five minutes at
    /// most.
    func wait() {
        for _ in 0..<300_000 where !isComplete { usleep(1000) }
    }

    /// Counts the caller in and waits for the others.
    func arriveAndWait() {
        arrive()
        wait()
    }
}
