import AppStore
import Entitlements
import HTTPTypes
import LedgerStore
package import Metrics
import Synchronization

/// The counters of the API. Each series is found once and then by a short key. Labels are routes of the URL table,
/// codes and reasons, and nothing that a client can choose.
package final class APIMetrics: Sendable {
    /// The kind of a signed text, by the member or endpoint that takes it.
    enum SignedKind: String, Hashable, Sendable, CaseIterable {
        case transaction
        case appTransaction = "app_transaction"
        case notification
        case cardEvent = "card_event"
    }

    /// Requests that count together.
    private struct Answered: Hashable {
        let method: HTTPRequest.Method?
        let route: String
        let status: Int
    }

    /// Verifications that count together.
    private struct Verified: Hashable {
        let kind: SignedKind
        let outcome: String
        let reason: String
    }

    /// Deliveries that count together.
    private struct Delivered: Hashable {
        let source: Source
        let standing: DeliveryStanding
    }

    /// The methods that routes have; clients may write any other word.
    private static let methods: Set<HTTPRequest.Method> = [.get, .head, .post, .put, .patch, .delete, .options]

    private let factory: any MetricsFactory
    private let answers = Mutex<[Answered: (Counter, Timer)]>([:])
    private let verifications = Mutex<[Verified: Counter]>([:])
    private let deliveries = Mutex<[Delivered: Counter]>([:])

    /// Counts with `factory`.
    package init(_ factory: any MetricsFactory) {
        self.factory = factory
    }

    /// A request was answered.
    func answered(_ method: HTTPRequest.Method, _ route: String, status: Int, after duration: Duration) {
        let known = Self.methods.contains(method) ? method : nil
        let (counter, timer) = answers.withLock { answers in
            let key = Answered(method: known, route: route, status: status)
            if let found = answers[key] { return found }
            let labels = [("method", known?.rawValue ?? "other"), ("route", route)]
            let made = (
                Counter(
                    label: "gatepass_http_requests_total", dimensions: labels + [("status", String(status))],
                    factory: factory),
                Timer(label: "gatepass_http_request_duration_seconds", dimensions: labels, factory: factory)
            )
            answers[key] = made
            return made
        }
        counter.increment()
        let (seconds, attoseconds) = duration.components
        timer.recordNanoseconds(seconds * 1_000_000_000 + attoseconds / 1_000_000_000)
    }

    /// A signed text was judged.
    func verified<Value>(_ kind: SignedKind, _ verdict: Result<Value, EvidenceError>) {
        switch verdict {
        case .success: found(genuine: kind)
        case .failure(let refusal): refused(kind, because: refusal.reason.rawValue)
        }
    }

    /// A signed text was genuine.
    func found(genuine kind: SignedKind) {
        verified(kind, "genuine")
    }

    /// A signed text was refused; `reason` is one of ours.
    func refused(_ kind: SignedKind, because reason: String) {
        verified(kind, "refused", reason)
    }

    /// Apple could not be asked about the certificates of a signed text.
    func couldNotVerify(_ kind: SignedKind) {
        verified(kind, "unavailable")
    }

    /// The texts of a restore were judged.
    func verified(_ verdicts: [AppStoreVerifier.Verdict]) {
        for verdict in verdicts {
            switch verdict {
            case .genuine: found(genuine: .transaction)
            case .refused(let refusal): refused(.transaction, because: refusal.reason.rawValue)
            case .notJudged: verified(.transaction, "not_judged")
            }
        }
    }

    private func verified(_ kind: SignedKind, _ outcome: String, _ reason: String = "") {
        verifications.withLock { verifications in
            verifications.counter(Verified(kind: kind, outcome: outcome, reason: reason)) {
                let labels = [("kind", kind.rawValue), ("outcome", outcome), ("reason", reason)]
                return Counter(label: "gatepass_verifications_total", dimensions: labels, factory: factory)
            }
        }.increment()
    }

    /// An authentic delivery of a store was answered, or placed later.
    func delivered(from source: Source, _ standing: DeliveryStanding) {
        deliveries.withLock { deliveries in
            deliveries.counter(Delivered(source: source, standing: standing)) {
                let labels = [
                    ("source", source.text), ("result", standing.result.rawValue),
                    ("reason", standing.reason?.rawValue ?? ""),
                ]
                return Counter(label: "gatepass_deliveries_total", dimensions: labels, factory: factory)
            }
        }.increment()
    }
}

extension Dictionary where Value == Counter {
    /// The counter of a key, made if it is new.
    fileprivate mutating func counter(_ key: Key, _ make: () -> Counter) -> Counter {
        if let found = self[key] { return found }
        let made = make()
        self[key] = made
        return made
    }
}
