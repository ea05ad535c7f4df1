import Entitlements
import Synchronization

/// A queue for each user, in which the user's reads are folded one at a time (`threats.md` T40).
///
/// The time of a fold grows with the user's facts, and a user can get thousands of them for nothing in the Sandbox.
/// Because of the queue, the reads of one user take one core at most.
final class FoldLine: Sendable {
    /// The most reads of one user that wait behind the read under way.
    static let maximumWaiting = 8

    /// The waiting reads of each user who has a read under way, in the order of arrival.
    private let lines = Mutex<[UserID: [CheckedContinuation<Bool, Never>]]>([:])

    /// Runs `fold` after the earlier reads of `user` have ended.
    ///
    /// - Throws: `rate_limited` if too many reads of the user wait, and what `fold` throws.
    func run<Answer>(
        for user: UserID, _ fold: () async throws(Problem) -> Answer
    ) async throws(Problem) -> Answer {
        guard await enter(user) else { throw .tooManyReads(limit: 1 + Self.maximumWaiting) }
        defer { leave(user) }
        return try await fold()
    }

    /// Waits for the caller's turn. Returns false at once if too many reads wait.
    private func enter(_ user: UserID) async -> Bool {
        await withCheckedContinuation { turn in
            let isNext: Bool? = lines.withLock { lines in
                guard let waiting = lines[user] else {
                    lines[user] = []
                    return true
                }
                guard waiting.count < Self.maximumWaiting else { return false }
                lines[user] = waiting + [turn]
                return nil
            }
            if let isNext { turn.resume(returning: isNext) }
        }
    }

    private func leave(_ user: UserID) {
        let next = lines.withLock { lines -> CheckedContinuation<Bool, Never>? in
            guard var waiting = lines[user], !waiting.isEmpty else {
                lines[user] = nil
                return nil
            }
            let next = waiting.removeFirst()
            lines[user] = waiting
            return next
        }
        next?.resume(returning: true)
    }
}
