import AppStore
import EntitlementAPI
import Entitlements
import LedgerStore
import MariaDB
import Metrics

/// The server's counters, each looked up once: those of the API and those of the database and jobs.
struct ServerMetrics: Sendable {
    /// The factory that stores all counters.
    let factory: PrometheusFactory
    /// The counters of the API.
    let api: APIMetrics
    private let batchRequests: Recorder
    private let retries: [Retry: Counter]
    private let unknownCommits: Counter
    private let jobs: [JobKind: [Bool: Counter]]

    /// The reason why a transaction is run again.
    private enum Retry: String, CaseIterable {
        /// A deadlock, a lock time-out or a failed certification.
        case conflict
        /// The connection is lost, or the server is a node without its cluster.
        case connectionLost = "connection_lost"
        case commitUnknown = "commit_unknown"

        init(_ error: DatabaseError) {
            let isLost = error.isConnectionLost || error.isNodeWithoutCluster
            self = error.isCommitUnknown ? .commitUnknown : isLost ? .connectionLost : .conflict
        }
    }

    init() {
        let factory = PrometheusFactory(MetricFamily.counted)
        self.factory = factory
        api = APIMetrics(factory)
        batchRequests = Recorder(label: "gatepass_batch_requests", factory: factory)
        retries = Dictionary(
            uniqueKeysWithValues: Retry.allCases.map { reason in
                let labels = [("reason", reason.rawValue)]
                return (
                    reason, Counter(label: "gatepass_transaction_retries_total", dimensions: labels, factory: factory)
                )
            })
        unknownCommits = Counter(label: "gatepass_commits_unknown_total", factory: factory)
        jobs = Dictionary(
            uniqueKeysWithValues: JobKind.allCases.map { kind in
                let counters = [true, false].map { isDone in
                    let labels = [("kind", kind.rawValue), ("outcome", isDone ? "done" : "failed")]
                    return (
                        isDone, Counter(label: "gatepass_jobs_ended_total", dimensions: labels, factory: factory)
                    )
                }
                return (kind, Dictionary(uniqueKeysWithValues: counters))
            })
    }

    /// Counts a committed transaction that served this number of requests.
    func committed(requests: Int) { batchRequests.record(requests) }

    /// Counts a failed transaction.
    func failed(_ error: DatabaseError, isRunAgain: Bool) {
        if error.isCommitUnknown { unknownCommits.increment() }
        if isRunAgain { retries[Retry(error)]?.increment() }
    }

    /// Counts a question to Apple by its answer.
    func asked(
        _ question: AppStoreQuestion, in environment: StoreEnvironment, _ failure: AppStoreServerFailure?
    ) {
        let outcome =
            switch failure {
            case nil: "answered"
            case .unreachable, .unreadable: "failed"
            case .keyNotAccepted: "key_not_accepted"
            case .paused: "paused"
            case .refused: "refused"
            }
        let labels = [
            ("question", question.name), ("environment", environment.rawValue), ("outcome", outcome),
        ]
        Counter(label: "gatepass_apple_questions_total", dimensions: labels, factory: factory).increment()
    }

    /// Counts an attempt at a job that ended.
    func ended(_ kind: JobKind, isDone: Bool) { jobs[kind]?[isDone]?.increment() }
}
