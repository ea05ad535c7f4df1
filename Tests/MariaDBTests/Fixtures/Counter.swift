import Synchronization

/// Counts from several threads.
final class Counter: Sendable {
    private let count = Atomic(0)

    /// What was counted so far.
    var value: Int { count.load(ordering: .sequentiallyConsistent) }

    /// Counts one; answers the new count.
    @discardableResult
    func add() -> Int {
        count.add(1, ordering: .sequentiallyConsistent).newValue
    }
}
