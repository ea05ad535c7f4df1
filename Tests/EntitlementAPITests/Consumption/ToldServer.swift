import AppStore
import Entitlements
import Synchronization

/// An App Store that keeps what it is told, and fails as a test has it fail.
final class ToldServer: AppStoreServer {
    private struct State {
        var failures: [AppStoreServerFailure] = []
        var asked: [AppStoreQuestion] = []
        var onAsk: (@Sendable () async throws -> Void)?
    }

    private let state = Mutex(State())

    /// The bodies that were sent so far, also those that were refused.
    var bodies: [String] {
        state.withLock(\.asked).map { String(decoding: $0.body ?? [], as: UTF8.self) }
    }

    /// The paths to which something was sent so far.
    var paths: [String] { state.withLock(\.asked).map(\.path) }

    /// Fails the next questions, one each.
    func fail(_ failures: AppStoreServerFailure...) { state.withLock { $0.failures = failures } }
    /// Runs before each answer.
    func onAsk(_ act: @escaping @Sendable () async throws -> Void) { state.withLock { $0.onAsk = act } }

    func ask(
        _ question: AppStoreQuestion, about app: AppID, in environment: StoreEnvironment
    ) async throws(AppStoreServerFailure) -> [UInt8] {
        let onAsk = state.withLock { state in
            state.asked.append(question)
            return state.onAsk
        }
        do {
            try await onAsk?()
        } catch {
            throw .unreachable("\(error)")
        }
        try state.withLock { state throws(AppStoreServerFailure) in
            if !state.failures.isEmpty { throw state.failures.removeFirst() }
        }
        return []
    }
}
