import DequeModule
import Synchronization

/// Takes whatever is waiting, up to a limit, and runs it as one batch; then takes what has come meanwhile.
///
/// On two cores the hops between threads cost more than the statements, so many requests share one transaction. A runner
/// takes its next batch when the last one has ended; while it waits for the disk, another one works.
final class Lane<Item: Sendable>: Sendable {
    /// What the lock guards.
    private struct State {
        var waiting: Deque<Item> = []
        var idle: Deque<CheckedContinuation<[Item]?, Never>> = []
        var isClosed = false
    }

    private let maximumBatch: Int
    private let maximumWaiting: Int
    private let state = Mutex(State())

    /// At most `maximumBatch` items run together and `maximumWaiting` wait.
    init(maximumBatch: Int, maximumWaiting: Int) {
        self.maximumBatch = maximumBatch
        self.maximumWaiting = maximumWaiting
    }

    /// Puts an item in line; false when the lane is closed or too many wait.
    func submit(_ item: Item) -> Bool {
        state.withLock { state in
            guard !state.isClosed, state.waiting.count < maximumWaiting else { return false }
            if let idle = state.idle.popFirst() {
                idle.resume(returning: [item])
            } else {
                state.waiting.append(item)
            }
            return true
        }
    }

    /// Takes no more items; `run` returns when those in line are done.
    func close() {
        state.withLock { state in
            state.isClosed = true
            while let idle = state.idle.popFirst() { idle.resume(returning: nil) }
        }
    }

    /// Runs batches, `runners` of them at a time, until the lane is closed and empty.
    func run(runners: Int, _ carryOut: @escaping @Sendable ([Item]) async -> Void) async {
        await withDiscardingTaskGroup { group in
            for _ in 0..<runners {
                group.addTask {
                    while let batch = await self.next() { await carryOut(batch) }
                }
            }
        }
    }

    private func next() async -> [Item]? {
        await withCheckedContinuation { continuation in
            state.withLock { state in
                if !state.waiting.isEmpty {
                    let batch = Array(state.waiting.prefix(maximumBatch))
                    state.waiting.removeFirst(batch.count)
                    continuation.resume(returning: batch)
                } else if state.isClosed {
                    continuation.resume(returning: nil)
                } else {
                    state.idle.append(continuation)
                }
            }
        }
    }
}
