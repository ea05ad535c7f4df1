/// All metrics of a server, in their order on the page (`docs/operations.md`).
extension MetricFamily {
    static let all = counted + read

    /// Metrics that the process counts through swift-metrics.
    static let counted = [
        MetricFamily(
            "gatepass_http_requests_total", .counter, "Requests that were answered, by route, method and status."),
        MetricFamily(
            "gatepass_http_request_duration_seconds",
            .histogram([0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30]),
            "Time from a request's header to its answer, by route and method."),
        MetricFamily(
            "gatepass_verifications_total", .counter,
            "Signed texts that were verified, by what they are, the outcome and the reason of a refusal."),
        MetricFamily(
            "gatepass_deliveries_total", .counter,
            "Authentic deliveries of stores, by what they were answered, and later became, and why."),
        MetricFamily(
            "gatepass_jobs_ended_total", .counter, "Tries of jobs, by kind and whether they were done or failed."),
        MetricFamily(
            "gatepass_apple_questions_total", .counter,
            "Questions to the App Store Server API, by kind, environment and outcome."),
        MetricFamily(
            "gatepass_consumption_requests_total", .counter,
            "Questions of the App Store about consumption, by what it was told: answered, or why nothing."),
        MetricFamily(
            "gatepass_batch_requests", .histogram([1, 2, 4, 8, 16]), "Requests that shared one committed transaction."),
        MetricFamily(
            "gatepass_transaction_retries_total", .counter,
            "Transactions that were run again, by what the run before met."),
        MetricFamily(
            "gatepass_commits_unknown_total", .counter,
            "Commits that the database did not answer, so that they were looked up or run again."),
    ]

    static let databaseUp = MetricFamily(
        "gatepass_database_up", .gauge, "Whether the database answered for this page: 1, or 0 and figures are missing.")
    static let serving = MetricFamily("gatepass_serving", .gauge, "Whether the server is open and does not shut down.")
    static let poolConnections = MetricFamily(
        "gatepass_pool_connections", .gauge, "Connections to the database: open ones, and those idle and in use.")
    static let poolWaiting = MetricFamily(
        "gatepass_pool_waiting", .gauge, "Callers that wait for a connection to the database.")
    static let instances = MetricFamily(
        "gatepass_instances", .gauge, "Instances that run on this database, by the server that they write to.")
    static let clusterSize = MetricFamily(
        "gatepass_cluster_size", .gauge, "Nodes of the Galera cluster, as the node sees it that this instance uses.")
    static let clusterConflicts = MetricFamily(
        "gatepass_cluster_conflicts_total", .counter,
        "Transactions of the used node that lost against another node's: at COMMIT, or aborted before.")
    static let booksFaults = MetricFamily(
        "gatepass_books_faults", .gauge, "Faults that the last nightly check of the books found.")
    static let booksAge = MetricFamily(
        "gatepass_books_check_age_seconds", .gauge, "Time since the last nightly check of the books ended.")
    static let jobs = MetricFamily(
        "gatepass_jobs", .gauge, "Jobs by kind: due, leased or to be tried later, dead; 10000 at most.")
    static let oldestJob = MetricFamily(
        "gatepass_jobs_oldest_due_age_seconds", .gauge, "For how long the oldest job that is due has been due.")
    static let inbox = MetricFamily(
        "gatepass_inbox_deliveries", .gauge, "Deliveries that wait or were given up, by source; 10000 at most.")
    static let lastDelivery = MetricFamily(
        "gatepass_last_delivery_age_seconds", .gauge, "Time since a store's last new authentic delivery, by source.")

    static let overdueStandings = MetricFamily(
        "gatepass_standings_overdue", .gauge, "Users whose standing waits to be made anew; 10000 at most of each.")
    static let oldestStanding = MetricFamily(
        "gatepass_standings_overdue_seconds", .gauge, "For how long the first ended standing has been overdue.")

    /// Metrics that are read when the page is requested.
    static let read = [
        databaseUp, serving, poolConnections, poolWaiting, instances, clusterSize, clusterConflicts, booksFaults,
        booksAge, jobs, oldestJob, inbox, lastDelivery, overdueStandings, oldestStanding,
    ]
}
