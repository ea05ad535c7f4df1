import Synchronization
import Testing

@testable import LedgerStore

@Suite struct BatchQueueTests {
    private final class Seen: Sendable {
        let batches = Mutex<[[Int]]>([])

        func note(_ batch: [Int]) { batches.withLock { $0.append(batch) } }

        var all: [[Int]] { batches.withLock { $0 } }
    }

    @Test func `what waits shares a batch, in its order and up to the limit`() async {
        let queue = BatchQueue<Int>(maximumBatch: 4, maximumWaiting: 100)
        let seen = Seen()
        for number in 1...10 { #expect(queue.submit(number)) }
        queue.close()
        await queue.run(runners: 1) { seen.note($0) }
        #expect(seen.all == [[1, 2, 3, 4], [5, 6, 7, 8], [9, 10]])
    }

    @Test func `one more than may wait is refused, and so is whoever comes after the close`() async {
        let queue = BatchQueue<Int>(maximumBatch: 4, maximumWaiting: 2)
        let seen = Seen()
        #expect([1, 2, 3].map { queue.submit($0) } == [true, true, false])
        queue.close()
        #expect(!queue.submit(4))
        await queue.run(runners: 2) { seen.note($0) }
        #expect(seen.all == [[1, 2]])
    }

    @Test(arguments: [1, 2, 5])
    func `everybody is taken exactly once, whenever they come, and the close ends idle runners`(runners: Int) async {
        let queue = BatchQueue<Int>(maximumBatch: 3, maximumWaiting: 10_000)
        let seen = Seen()
        await withTaskGroup { group in
            group.addTask { await queue.run(runners: runners) { seen.note($0) } }
            await withTaskGroup { clients in
                for client in 0..<20 {
                    clients.addTask {
                        for number in 0..<100 {
                            #expect(queue.submit(client * 100 + number))
                            if number % 7 == 0 { await Task.yield() }
                        }
                    }
                }
            }
            queue.close()
        }
        #expect(seen.all.flatMap(\.self).sorted() == Array(0..<2_000))
        #expect(seen.all.allSatisfy { (1...3).contains($0.count) })
    }

    @Test func `a runner that is busy does not keep another from starting`() async {
        let queue = BatchQueue<Int>(maximumBatch: 1, maximumWaiting: 10)
        let seen = Seen()
        await withTaskGroup { group in
            let (second, isTaken) = AsyncStream.makeStream(of: Void.self)
            group.addTask {
                await queue.run(runners: 2) { batch in
                    if batch == [1] { for await _ in second { break } } else { isTaken.yield() }
                    seen.note(batch)
                }
            }
            #expect(queue.submit(1) && queue.submit(2))
            queue.close()
        }
        #expect(seen.all.flatMap(\.self).sorted() == [1, 2])
    }
}
