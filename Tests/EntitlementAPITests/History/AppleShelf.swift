import AppStore
import Entitlements
import StoreSimulator
import Support
import Synchronization

@testable import EntitlementAPI

/// Apple's server as a test fills it: Apple accounts, each in an app and environment, and orders.
final class AppleShelf: AppStoreServer {
    /// What an Apple account bought, by original transaction id, in the order of the list.
    struct Account: Sendable {
        var app: AppID = Fixture.app
        var environment = StoreEnvironment.sandbox
        let texts: [(id: String, text: String)]
    }

    private struct State {
        var accounts: [Account] = []
        var orders: [String: [String]] = [:]
        var failures: [AppStoreServerFailure] = []
        var delay = Duration.zero
        var asked: [AppStoreQuestion] = []
        var places: [(AppID, StoreEnvironment)] = []
        var onAsk: (@Sendable () async throws -> Void)?
        var place: (@Sendable (Int) -> String)?
    }

    private let state = Mutex(State())

    var asked: [AppStoreQuestion] { state.withLock(\.asked) }
    var environments: [StoreEnvironment] { state.withLock { $0.places.map(\.1) } }

    func add(_ account: Account) { state.withLock { $0.accounts.append(account) } }
    func add(order: String, _ texts: [String]) { state.withLock { $0.orders[order] = texts } }
    /// Answers the next questions with failures, one each.
    func fail(_ failures: AppStoreServerFailure...) { state.withLock { $0.failures = failures } }
    /// Says of each page of a history that there are more, and where: by the number of the question.
    func lead(to place: @escaping @Sendable (Int) -> String) { state.withLock { $0.place = place } }
    /// Answers each question only after `delay`.
    func wait(_ delay: Duration) { state.withLock { $0.delay = delay } }
    /// Runs before each answer.
    func onAsk(_ act: @escaping @Sendable () async throws -> Void) { state.withLock { $0.onAsk = act } }

    func ask(
        _ question: AppStoreQuestion, about app: AppID, in environment: StoreEnvironment
    ) async throws(AppStoreServerFailure) -> [UInt8] {
        let (delay, onAsk) = state.withLock { state in
            state.asked.append(question)
            state.places.append((app, environment))
            return (state.delay, state.onAsk)
        }
        try? await Task.sleep(for: delay)  // cancelled: it is answered at once
        do {
            try await onAsk?()
        } catch {
            throw .unreachable("\(error)")
        }
        return try state.withLock { state throws(AppStoreServerFailure) in
            guard state.failures.isEmpty else { throw state.failures.removeFirst() }
            switch question {
            case .order(let id):
                let texts = state.orders[id].map { $0.map { "\"\($0)\"" }.joined(separator: ",") }
                return Array(#"{"status":\#(texts == nil ? 1 : 0),"signedTransactions":[\#(texts ?? "")]}"#.utf8)
            case .history(let id, let revision):
                let found = state.accounts.first { account in
                    account.app == app && account.environment == environment
                        && account.texts.contains { $0.id == id }
                }
                guard let found else { throw .refused(code: 4_040_010) }
                let start = revision.flatMap { Int($0) } ?? 0
                let page = found.texts.dropFirst(start).prefix(20)
                let end = start + page.count
                let texts = page.map { "\"\($0.text)\"" }.joined(separator: ",")
                let place = state.place?(state.asked.count)
                return Array(
                    (#"{"revision":"\#(place ?? String(end))","hasMore":\#(place != nil || end < found.texts.count),"#
                        + #""signedTransactions":[\#(texts)]}"#).utf8)
            default: throw .unreadable
            }
        }
    }
}

/// verifyReceipt as a test sets it.
final class ReceiptDesk: ReceiptServer {
    private struct State {
        var answers: [String] = []
        var asked: [String] = []
    }

    private let state = Mutex(State())

    /// Gives the answers in turn, and after them none.
    func say(_ answers: String...) { state.withLock { $0.answers = answers } }

    /// The receipts so far.
    var asked: [String] { state.withLock(\.asked) }

    func verify(
        _ receipt: String, in environment: StoreEnvironment
    ) async throws(AppStoreServerFailure) -> [UInt8] {
        try state.withLock { state throws(AppStoreServerFailure) in
            state.asked.append(receipt)
            guard !state.answers.isEmpty else { throw .unreachable("away") }
            return Array(state.answers.removeFirst().utf8)
        }
    }
}

extension Receipts {
    /// The check of receipts of the tests' authority, and verifyReceipt if there is one.
    static func sample(asking server: ReceiptDesk?) throws -> Receipts {
        let verifier = ReceiptVerifier(roots: try ReceiptAuthority.sample.get().trustRoots)
        return Receipts(verifier: verifier, server: server, secret: server == nil ? nil : "shared")
    }
}
