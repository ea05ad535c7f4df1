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
        /// Runners that wait for somebody to get in line.
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

    /// Puts an item in line; false when the lane is closed or too many wait.
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

    /// Nil once the lane is closed and empty.
    private func next() async -> [Item]? {
        while true {
            // Whoever is about to get in line does: in a batch they cost far less than in one of their own.
            if state.withLock({ $0.waiting.count < maximumBatch }) { await Task.yield() }
            let (batch, isClosed) = state.withLock { ($0.take(atMost: maximumBatch), $0.isClosed) }
            guard batch.isEmpty else { return batch }
            guard !isClosed else { return nil }
            await somebodyWaits()
        }
    }

    /// Returns when there may be somebody in line, or the lane is closed.
    private func somebodyWaits() async {
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
