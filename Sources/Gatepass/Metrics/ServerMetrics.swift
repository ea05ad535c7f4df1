import EntitlementAPI
import LedgerStore
import MariaDB
import Metrics

/// The counters of a server beside those of its API, each found once.
struct ServerMetrics: Sendable {
    /// Where everything is kept.
    let factory: PrometheusFactory
    /// The counters of the API.
    let api: APIMetrics
    private let batchRequests: Recorder
    private let retries: [Retry: Counter]
    private let unknownCommits: Counter
    private let jobs: [JobKind: [Bool: Counter]]

    /// Why a transaction is run again.
    private enum Retry: String, CaseIterable {
        /// A deadlock, a lock that was waited for too long, a failed certification.
        case conflict
        case connectionLost = "connection_lost"
        case commitUnknown = "commit_unknown"

        init(_ error: DatabaseError) {
            self = error.isCommitUnknown ? .commitUnknown : error.isConnectionLost ? .connectionLost : .conflict
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

    /// A transaction with what so many requests asked for was committed.
    func committed(requests: Int) { batchRequests.record(requests) }

    /// A run of a transaction failed.
    func failed(_ error: DatabaseError, isRunAgain: Bool) {
        if error.isCommitUnknown { unknownCommits.increment() }
        if isRunAgain { retries[Retry(error)]?.increment() }
    }

    /// A try of a job ended.
    func ended(_ kind: JobKind, isDone: Bool) { jobs[kind]?[isDone]?.increment() }
}
