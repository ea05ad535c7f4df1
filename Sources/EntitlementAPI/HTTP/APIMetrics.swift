import AppStore
import Entitlements
import HTTPTypes
import LedgerStore
package import Metrics
import Synchronization

/// The counters of the API. Each series is made once and then found by a short key. Labels hold routes of the URL
/// table, codes and reasons, and nothing that a client can choose.
package final class APIMetrics: Sendable {
    /// The kind of a signed text; the raw value is the label in the metrics.
    enum SignedKind: String, Hashable, Sendable, CaseIterable {
        case transaction
        case appTransaction = "app_transaction"
        case notification
        case cardEvent = "card_event"
        /// A legacy receipt, whose signature is not checked: it is refused if it cannot be read, or by Apple.
        case receipt
    }

    /// The key of a series of requests.
    private struct Answered: Hashable {
        let method: HTTPRequest.Method?
        let route: String
        let status: Int
    }

    /// The key of a series of verifications.
    private struct Verified: Hashable {
        let kind: SignedKind
        let outcome: String
        let reason: String
    }

    /// The key of a series of deliveries.
    private struct Delivered: Hashable {
        let source: Source
        let outcome: DeliveryOutcome
    }

    /// The methods that have a label of their own. Any other method is counted as `other`, because a client may send
    /// any word.
    private static let methods: Set<HTTPRequest.Method> = [.get, .head, .post, .put, .patch, .delete, .options]

    private let factory: any MetricsFactory
    private let answers = Mutex<[Answered: (Counter, Timer)]>([:])
    private let verifications = Mutex<[Verified: Counter]>([:])
    private let deliveries = Mutex<[Delivered: Counter]>([:])

    /// Counters that `factory` makes.
    package init(_ factory: any MetricsFactory) {
        self.factory = factory
    }

    /// Counts a request that was answered, and its duration.
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

    /// Counts a signed text by its verdict.
    func verified<Value>(_ kind: SignedKind, _ verdict: Result<Value, EvidenceError>) {
        switch verdict {
        case .success: found(genuine: kind)
        case .failure(let refusal): refused(kind, because: refusal.reason.rawValue)
        }
    }

    /// Counts a signed text that is genuine.
    func found(genuine kind: SignedKind) {
        verified(kind, "genuine")
    }

    /// Counts a signed text that was refused; `reason` is one of this server's reason codes.
    func refused(_ kind: SignedKind, because reason: String) {
        verified(kind, "refused", reason)
    }

    /// Counts a signed text that could not be judged, because Apple could not be asked about its certificates.
    func couldNotVerify(_ kind: SignedKind) {
        verified(kind, "unavailable")
    }

    /// Counts each text of a restore by its verdict.
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

    /// Counts a question about consumption by what became of it. Questions are seldom, so the series is looked up.
    func decided(_ outcome: ConsumptionOutcome, in environment: StoreEnvironment) {
        let labels = [
            ("environment", environment.rawValue), ("outcome", outcome.silence?.rawValue ?? "answered"),
        ]
        Counter(label: "gatepass_consumption_requests_total", dimensions: labels, factory: factory).increment()
    }

    /// Counts a genuine delivery that was answered, or that was placed later.
    func delivered(from source: Source, _ outcome: DeliveryOutcome) {
        deliveries.withLock { deliveries in
            deliveries.counter(Delivered(source: source, outcome: outcome)) {
                let labels = [
                    ("source", source.text), ("result", outcome.result.rawValue),
                    ("reason", outcome.reason?.rawValue ?? ""),
                ]
                return Counter(label: "gatepass_deliveries_total", dimensions: labels, factory: factory)
            }
        }.increment()
    }
}

extension Dictionary where Value == Counter {
    /// The counter of a key; it is made if it is new.
    fileprivate mutating func counter(_ key: Key, _ make: () -> Counter) -> Counter {
        if let found = self[key] { return found }
        let made = make()
        self[key] = made
        return made
    }
}
