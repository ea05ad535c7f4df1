package import Entitlements
import Synchronization

/// Queues in which the reads that fold ledgers run one at a time (`threats.md` T40).
///
/// The time of a fold grows with the user's facts, and a user can get thousands of them for nothing in the Sandbox.
/// Because of the queues, all reads of one place take one core at most.
package final class FoldLine: Sendable {
    /// The reads that share a queue.
    package enum Place: Hashable, Sendable {
        /// A user's own reads.
        case own(UserID)
        /// The reads about a user by staff and by servers, who never wait behind the user.
        case operators(UserID)
        /// The lists of operators that are made of the ledgers of many users.
        case lists
        /// The previews of acts, each of which folds the ledgers before and after the act.
        case previews

        /// The most reads that wait behind the read under way. Operators have room for all connections of a server of
        /// the app.
        var maximumWaiting: Int {
            switch self {
            case .own: 8
            case .operators, .lists, .previews: 256
            }
        }
    }

    /// The end of a wait.
    private enum Turn {
        case hasCome
        case isFull
        /// The caller no longer waits for the answer.
        case isCancelled
    }

    /// The waiting reads of each place that has a read under way, in the order of arrival.
    private struct State {
        var lines: [Place: [(number: UInt64, turn: CheckedContinuation<Turn, Never>)]] = [:]
        var lastNumber: UInt64 = 0
    }

    private let state = Mutex(State())

    /// Runs `fold` after the earlier reads of `place` have ended.
    ///
    /// - Throws: `rate_limited` if too many reads of the place wait, `unavailable` if the task is cancelled before its
    ///   turn, and what `fold` throws.
    func run<Answer>(
        at place: Place, _ fold: () async throws(Problem) -> Answer
    ) async throws(Problem) -> Answer {
        switch await enter(place) {
        case .isFull: throw .tooManyReads(limit: 1 + place.maximumWaiting)
        case .isCancelled: throw .tookTooLong
        case .hasCome: break
        }
        defer { leave(place) }
        guard !Task.isCancelled else { throw .tookTooLong }
        return try await fold()
    }

    /// The number of reads that wait at `place`.
    func waiting(at place: Place) -> Int { state.withLock { $0.lines[place]?.count ?? 0 } }

    /// True if a read of `place` is under way.
    func isBusy(at place: Place) -> Bool { state.withLock { $0.lines[place] != nil } }

    /// Waits for the caller's turn, unless too many reads wait.
    private func enter(_ place: Place) async -> Turn {
        let number = state.withLock { state in
            state.lastNumber += 1
            return state.lastNumber
        }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { turn in
                let known: Turn? = state.withLock { state in
                    guard let waiting = state.lines[place] else {
                        state.lines[place] = []
                        return .hasCome
                    }
                    guard waiting.count < place.maximumWaiting else { return .isFull }
                    // If the task was cancelled before this, the cancellation handler found nobody to send away.
                    guard !Task.isCancelled else { return .isCancelled }
                    state.lines[place] = waiting + [(number, turn)]
                    return nil
                }
                if let known { turn.resume(returning: known) }
            }
        } onCancel: {
            abandon(number, at: place)
        }
    }

    /// Sends a waiting read away whose task was cancelled.
    private func abandon(_ number: UInt64, at place: Place) {
        let turn = state.withLock { state in
            state.lines[place]?.firstIndex { $0.number == number }.flatMap { state.lines[place]?.remove(at: $0).turn }
        }
        turn?.resume(returning: .isCancelled)
    }

    private func leave(_ place: Place) {
        let next = state.withLock { state -> CheckedContinuation<Turn, Never>? in
            guard var waiting = state.lines[place], !waiting.isEmpty else {
                state.lines[place] = nil
                return nil
            }
            let next = waiting.removeFirst()
            state.lines[place] = waiting
            return next.turn
        }
        next?.resume(returning: .hasCome)
    }
}
