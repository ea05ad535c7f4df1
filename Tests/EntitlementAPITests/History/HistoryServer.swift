import AppStore
import Entitlements
import StoreSimulator
import Synchronization

/// Apple's history as a test sets it: everything that Apple accounts bought, in pages.
final class HistoryServer: AppStoreServer {
    private struct State {
        var texts: [String] = []
        var failures: [AppStoreServerFailure] = []
        var delay = Duration.zero
        var asked: [AppStoreQuestion] = []
        var onAsk: (@Sendable (Int) async throws -> Void)?
    }

    private let state = Mutex(State())
    private let pageSize: Int

    init(pageSize: Int = 20) { self.pageSize = pageSize }

    /// The questions so far.
    var asked: [AppStoreQuestion] { state.withLock(\.asked) }

    /// Lists signed texts from now on.
    func list(_ texts: [String]) { state.withLock { $0.texts = texts } }
    /// Answers the next questions with failures, one each.
    func fail(_ failures: AppStoreServerFailure...) { state.withLock { $0.failures = failures } }
    /// Answers each question only after `delay`.
    func wait(_ delay: Duration) { state.withLock { $0.delay = delay } }
    /// Runs before each answer, with the number of the question.
    func onAsk(_ act: @escaping @Sendable (Int) async throws -> Void) { state.withLock { $0.onAsk = act } }

    func ask(
        _ question: AppStoreQuestion, about app: AppID, in environment: StoreEnvironment
    ) async throws(AppStoreServerFailure) -> [UInt8] {
        let (number, delay, onAsk) = state.withLock { state in
            state.asked.append(question)
            return (state.asked.count, state.delay, state.onAsk)
        }
        try? await Task.sleep(for: delay)  // cancelled: it is answered at once
        do {
            try await onAsk?(number)
        } catch {
            throw .unreachable("\(error)")
        }
        return try state.withLock { state throws(AppStoreServerFailure) in
            guard state.failures.isEmpty else { throw state.failures.removeFirst() }
            guard case .history(_, let revision) = question else { throw .unreadable }
            let start = revision.flatMap { Int($0) } ?? 0
            let page = state.texts.dropFirst(start).prefix(pageSize)
            let end = start + page.count
            let texts = page.map { "\"\($0)\"" }.joined(separator: ",")
            return Array(
                #"{"revision":"\#(end)","hasMore":\#(end < state.texts.count),"signedTransactions":[\#(texts)]}"#.utf8)
        }
    }
}
