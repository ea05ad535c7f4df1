import DequeModule
import Synchronization

/// A queue whose waiting items, up to a limit, are run as one batch; the next batch takes what has come meanwhile.
///
/// On two cores the hops between threads cost more than the statements, so many requests share one transaction. A
/// runner takes its next batch when its last one has ended; while it waits for the disk, another runner works.
final class BatchQueue<Item: Sendable>: Sendable {
    /// The state that the lock guards.
    private struct State {
        var waiting: Deque<Item> = []
        /// Runners that wait for an item.
        var idle: Deque<CheckedContinuation<Void, Never>> = []
        var isClosed = false

        mutating func take(atMost count: Int) -> [Item] {
            let batch = Array(waiting.prefix(count))
            waiting.removeFirst(batch.count)
            return batch
        }
    }

    private let maximumBatch: Int
    private let maximumWaiting: Int
    private let state = Mutex(State())

    /// At most `maximumBatch` items run together and `maximumWaiting` wait.
    init(maximumBatch: Int, maximumWaiting: Int) {
        self.maximumBatch = maximumBatch
        self.maximumWaiting = maximumWaiting
    }

    /// Puts an item in line; false when the queue is closed or too many wait.
    func submit(_ item: Item) -> Bool {
        state.withLock { state in
            guard !state.isClosed, state.waiting.count < maximumWaiting else { return false }
            state.waiting.append(item)
            state.idle.popFirst()?.resume()
            return true
        }
    }

    /// Takes no more items; `run` returns when those in line are done.
    func close() {
        state.withLock { state in
            state.isClosed = true
            while let idle = state.idle.popFirst() { idle.resume() }
        }
    }

    /// Runs batches, `runners` of them at a time, until the queue is closed and empty.
    func run(runners: Int, _ carryOut: @escaping @Sendable ([Item]) async -> Void) async {
        await withDiscardingTaskGroup { group in
            for _ in 0..<runners {
                group.addTask {
                    while let batch = await self.next() { await carryOut(batch) }
                }
            }
        }
    }

    /// Nil once the queue is closed and empty.
    private func next() async -> [Item]? {
        while true {
            // Lets tasks submit that are about to: an item in a shared batch costs far less than in a batch of its own.
            if state.withLock({ $0.waiting.count < maximumBatch }) { await Task.yield() }
            let (batch, isClosed) = state.withLock { ($0.take(atMost: maximumBatch), $0.isClosed) }
            guard batch.isEmpty else { return batch }
            guard !isClosed else { return nil }
            await itemMayWait()
        }
    }

    /// Returns when an item may be waiting, or the queue is closed.
    private func itemMayWait() async {
        await withCheckedContinuation { continuation in
            state.withLock { state in
                if state.waiting.isEmpty, !state.isClosed {
                    state.idle.append(continuation)
                } else {
                    continuation.resume()
                }
            }
        }
    }
}
