import NIOPosix
import Synchronization

/// Hashes passwords on threads of their own, two at a time. A few more wait; any further one is sent away.
final class PasswordDesk: Sendable {
    private static let places = 2
    private static let chairs = 8

    /// The people at the desk, and those who wait.
    private struct State {
        var working = 0
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    private let state = Mutex(State())

    /// The result of `work`; nil if too many are waiting already.
    func run<Answer: Sendable>(_ work: @escaping @Sendable () -> Answer) async -> Answer? {
        guard await takePlace() else { return nil }
        defer { leavePlace() }
        // `try?` drops the error of a pool that is shut down, which is at the end of the process.
        return try? await NIOThreadPool.singleton.runIfActive { work() }
    }

    private func takePlace() async -> Bool {
        /// The answer at the door.
        enum Entry { case now, later, never }
        let entry = state.withLock { state -> Entry in
            if state.working < Self.places {
                state.working += 1
                return .now
            }
            return state.waiting.count < Self.chairs ? .later : .never
        }
        guard entry == .later else { return entry == .now }
        await withCheckedContinuation { continuation in
            let isFree = state.withLock { state in
                guard state.working >= Self.places else {
                    state.working += 1
                    return true
                }
                state.waiting.append(continuation)
                return false
            }
            if isFree { continuation.resume() }
        }
        return true
    }

    /// Hands the place to whoever waits longest.
    private func leavePlace() {
        let next = state.withLock { state -> CheckedContinuation<Void, Never>? in
            guard !state.waiting.isEmpty else {
                state.working -= 1
                return nil
            }
            return state.waiting.removeFirst()
        }
        next?.resume()
    }
}
