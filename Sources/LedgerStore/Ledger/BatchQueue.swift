import DequeModule
import Synchronization

/// A queue whose waiting items are run together as a batch, up to a limit. Items that come meanwhile wait for the next
/// batch.
///
/// On two cores, switching between threads costs more than the SQL statements, so many requests share one transaction.
/// A runner takes a batch when its last one has ended. While one runner waits for the disk, another runner works.
final class BatchQueue<Item: Sendable>: Sendable {
    /// The state that the lock guards.
    private struct State {
        var waiting: Deque<Item> = []
        /// The runners that wait for an item.
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

    /// - Parameters:
    ///   - maximumBatch: The most items of one batch.
    ///   - maximumWaiting: The most items that may wait.
    init(maximumBatch: Int, maximumWaiting: Int) {
        self.maximumBatch = maximumBatch
        self.maximumWaiting = maximumWaiting
    }

    /// Adds an item to the queue; false if the queue is closed or full.
    func submit(_ item: Item) -> Bool {
        state.withLock { state in
            guard !state.isClosed, state.waiting.count < maximumWaiting else { return false }
            state.waiting.append(item)
            state.idle.popFirst()?.resume()
            return true
        }
    }

    /// Takes no more items; `run` returns when the waiting items are done.
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

    /// The next batch; nil once the queue is closed and empty.
    private func next() async -> [Item]? {
        while true {
            // First lets other tasks submit their items, because an item in a shared batch costs far less than a batch
            // of its own.
            if state.withLock({ $0.waiting.count < maximumBatch }) { await Task.yield() }
            let (batch, isClosed) = state.withLock { ($0.take(atMost: maximumBatch), $0.isClosed) }
            guard batch.isEmpty else { return batch }
            guard !isClosed else { return nil }
            await itemMayWait()
        }
    }

    /// Suspends until an item may be waiting or the queue is closed.
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
