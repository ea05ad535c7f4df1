import Entitlements
import Synchronization

/// The line in which the reads of each user are folded, one at a time (`threats.md` T40).
///
/// A fold takes as long as the user has facts, and a user may have thousands that cost nothing, in the Sandbox. In line
/// the reads of one user take one core at most, however many are sent at once.
final class FoldLine: Sendable {
    /// How many reads of one user wait at most behind the one that is under way.
    static let maximumWaiting = 8

    /// The reads that wait behind the one of each user that is under way, the first to come first.
    private let lines = Mutex<[UserID: [CheckedContinuation<Bool, Never>]]>([:])

    /// Runs `fold` when the reads of `user` that came before have ended.
    ///
    /// - Throws: `rate_limited` where too many wait, and what `fold` throws.
    func run<Answer>(
        for user: UserID, _ fold: () async throws(Problem) -> Answer
    ) async throws(Problem) -> Answer {
        guard await enter(user) else { throw .tooManyReads(limit: 1 + Self.maximumWaiting) }
        defer { leave(user) }
        return try await fold()
    }

    /// Returns when it is the caller's turn; false at once where too many wait.
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
