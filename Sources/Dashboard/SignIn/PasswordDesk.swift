import EntitlementAPI
import NIOPosix
import Synchronization

/// The desk at which passwords are compared and hashed. It has a place for each ``Line``, a few more people of the line
/// wait, and any further one is sent away.
///
/// All lines together hash for at most half a minute in a minute, which is half a core. So a flood of tries neither
/// keeps the server from its work nor takes the place of somebody who signed in before (`threats.md` T27).
final class PasswordDesk: Sendable {
    /// The people who wait for each other.
    enum Line: Hashable, CaseIterable {
        /// People who sign in from a network from which nobody signed in to the account before.
        case strangers
        /// People who sign in from a network from which somebody signed in to the account before.
        case known
        /// People who set a password, by a session or a link.
        case setting
    }

    private static let chairs = 8
    /// The time for which a line may hash at once. A hash that has begun ends after it, so it is a little less than the
    /// five seconds that would make ten of a minute.
    static let burst = Duration.milliseconds(4_800)
    /// The seconds in which a line gets back one second for hashing.
    static let secondsBack = 12

    /// The people of a line at the desk and on its chairs, and the time that is left for hashing.
    private struct State {
        var isServed = false
        var waiting: [CheckedContinuation<Void, Never>] = []
        var left = burst
        var filledAt = Duration.zero

        mutating func fill(at uptime: Duration) {
            left = min(burst, left + max(.zero, uptime - filledAt) / secondsBack)
            filledAt = uptime
        }
    }

    private let state = Mutex<[Line: State]>([:])

    /// The result of `work`, which has the line's place at the desk meanwhile. Nil, and nothing is done, if too many
    /// are waiting already, or the line has hashed too much.
    func serve<Answer>(
        _ line: Line, by uptime: @Sendable () -> Duration, _ work: () async throws(Problem) -> Answer
    ) async throws(Problem) -> Answer? {
        guard await takePlace(in: line) else { return nil }
        defer { leavePlace(in: line) }
        let now = uptime()
        let hasTime = state.withLock { state in
            state[line, default: State()].fill(at: now)
            return state[line, default: State()].left > .zero
        }
        return hasTime ? try await work() : nil
    }

    /// The result of hashing on a thread of its own, for whoever has the place of the line; nil at the end of the
    /// process.
    func hashed<Answer: Sendable>(
        in line: Line, by uptime: @escaping @Sendable () -> Duration, _ hash: @escaping @Sendable () -> Answer
    ) async -> Answer? {
        // `try?` drops the error of a pool that is shut down.
        let hashed = try? await NIOThreadPool.singleton.runIfActive {
            let startedAt = uptime()
            let answer = hash()
            return (answer: answer, took: max(.zero, uptime() - startedAt))
        }
        guard let hashed else { return nil }
        state.withLock { $0[line, default: State()].left -= hashed.took }
        return hashed.answer
    }

    private func takePlace(in line: Line) async -> Bool {
        /// The answer at the door.
        enum Entry { case now, later, never }
        let entry = state.withLock { state -> Entry in
            if !state[line, default: State()].isServed {
                state[line, default: State()].isServed = true
                return .now
            }
            return state[line, default: State()].waiting.count < Self.chairs ? .later : .never
        }
        guard entry == .later else { return entry == .now }
        await withCheckedContinuation { continuation in
            let isFree = state.withLock { state in
                guard state[line, default: State()].isServed else {
                    state[line, default: State()].isServed = true
                    return true
                }
                state[line, default: State()].waiting.append(continuation)
                return false
            }
            if isFree { continuation.resume() }
        }
        return true
    }

    /// Hands the place to whoever of the line waits longest.
    private func leavePlace(in line: Line) {
        let next = state.withLock { state -> CheckedContinuation<Void, Never>? in
            guard state[line]?.waiting.isEmpty == false else {
                state[line]?.isServed = false
                return nil
            }
            return state[line]?.waiting.removeFirst()
        }
        next?.resume()
    }
}
