import EntitlementAPI
import NIOPosix
import Synchronization

/// The desk at which passwords are compared and hashed, two at a time. A few more people wait; any further one is sent
/// away.
final class PasswordDesk: Sendable {
    private static let places = 2
    private static let chairs = 8

    /// The people at the desk, and those who wait.
    private struct State {
        var working = 0
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    private let state = Mutex(State())

    /// The result of `work`, which has a place at the desk meanwhile. Nil, and nothing is done, if too many are waiting
    /// already.
    func serve<Answer>(_ work: () async throws(Problem) -> Answer) async throws(Problem) -> Answer? {
        guard await takePlace() else { return nil }
        defer { leavePlace() }
        return try await work()
    }

    /// The result of hashing on a thread of its own; nil at the end of the process.
    static func hashed<Answer: Sendable>(_ hash: @escaping @Sendable () -> Answer) async -> Answer? {
        // `try?` drops the error of a pool that is shut down.
        try? await NIOThreadPool.singleton.runIfActive { hash() }
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
