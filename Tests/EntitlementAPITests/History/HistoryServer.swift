import AppStore
import Entitlements
import StoreSimulator
import Synchronization

/// Apple's history as a test sets it: everything that Apple accounts bought, in pages.
final class HistoryServer: AppStoreServer {
    private struct State {
        var texts: [String] = []
        /// The texts of the newest period and renewal of a chain, by its original transaction id.
        var chains: [String: (transaction: String, renewal: String)] = [:]
        var notifications: [String] = []
        var failures: [AppStoreServerFailure] = []
        var delay = Duration.zero
        var asked: [AppStoreQuestion] = []
        var onAsk: (@Sendable (Int) async throws -> Void)?
        var place: (@Sendable (Int) -> String)?
    }

    private let state = Mutex(State())
    private let pageSize: Int

    init(pageSize: Int = 20) { self.pageSize = pageSize }

    /// The questions so far.
    var asked: [AppStoreQuestion] { state.withLock(\.asked) }

    /// Lists signed texts from now on.
    func list(_ texts: [String]) { state.withLock { $0.texts = texts } }
    /// Says the newest of a chain from now on.
    func say(_ transaction: String, _ renewal: String, about chain: String) {
        state.withLock { $0.chains[chain] = (transaction, renewal) }
    }
    /// Lists signed notifications from now on.
    func list(notifications: [String]) { state.withLock { $0.notifications = notifications } }
    /// Answers the next questions with failures, one each.
    func fail(_ failures: AppStoreServerFailure...) { state.withLock { $0.failures = failures } }
    /// Says of each page that there are more, and where: by the number of the question.
    func lead(to place: @escaping @Sendable (Int) -> String) { state.withLock { $0.place = place } }
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
            let place = state.place?(number)
            switch question {
            case .history(_, let revision):
                let (texts, end, hasMore) = page(of: state.texts, after: revision) { "\"\($0)\"" }
                return Array(
                    (#"{"revision":"\#(place ?? end)","hasMore":\#(place != nil || hasMore),"#
                        + #""signedTransactions":[\#(texts)]}"#).utf8)
            case .notifications(_, let token):
                let (texts, end, hasMore) = page(of: state.notifications, after: token) {
                    #"{"signedPayload":"\#($0)"}"#
                }
                return Array(
                    (#"{"paginationToken":"\#(place ?? end)","hasMore":\#(place != nil || hasMore),"#
                        + #""notificationHistory":[\#(texts)]}"#).utf8)
            case .statuses(let id):
                guard let told = state.chains[id] else { throw .refused(code: 4_040_010) }
                let chain = """
                    {"originalTransactionId":"\(id)","status":1,"signedTransactionInfo":"\(told.transaction)",
                    "signedRenewalInfo":"\(told.renewal)"}
                    """
                return Array(#"{"data":[{"lastTransactions":[\#(chain)]}]}"#.utf8)
            default: throw .unreadable
            }
        }
    }

    private func page(
        of texts: [String], after place: String?, _ write: (String) -> String
    ) -> (json: String, end: String, hasMore: Bool) {
        let start = place.flatMap { Int($0) } ?? 0
        let page = texts.dropFirst(start).prefix(pageSize)
        let end = start + page.count
        return (page.map(write).joined(separator: ","), String(end), end < texts.count)
    }
}
