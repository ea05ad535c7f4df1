import EntitlementAPI
import Entitlements
import LedgerStore
import MariaDB

/// Writes the metrics page, from counters and from figures that are read when the page is requested.
///
/// While the database cannot be reached, the page lacks its figures and `gatepass_database_up` is 0.
struct MetricsReading: Sendable {
    let metrics: ServerMetrics
    let pool: Pool
    let store: StoreDoor
    let health: ServerHealth
    let clock: WallClock
    private let figures: SharedQuestion<StoreFigures>
    private let standings: SharedQuestion<OverdueStandings>
    private let cluster: SharedQuestion<(instances: [(node: String, count: Int)], node: ClusterNode?)>
    private let startedAt = Surroundings.uptime()

    init(metrics: ServerMetrics, pool: Pool, store: StoreDoor, health: ServerHealth, clock: WallClock) {
        self.metrics = metrics
        self.pool = pool
        self.store = store
        self.health = health
        self.clock = clock
        figures = SharedQuestion {
            try? await StoreFigures.read(from: pool, at: WallClock.real.now())  // the page says that they are missing
        }
        cluster = SharedQuestion {
            do throws(ServiceFailure) {
                let node = try await ClusterNode.read(in: pool)
                let running = try await Instances(pool: pool).running()
                return (running, node)
            } catch {
                return nil  // the page lacks these figures, as while the database is away
            }
        }
        standings = SharedQuestion { try? await store().standings.overdue(limit: StoreFigures.limit) }
    }

    /// The whole page.
    func page() async -> [UInt8] {
        let figures = store.isOpen ? await figures.answer() : nil
        var page = ExpositionText()
        for family in MetricFamily.counted { metrics.factory.write(family, to: &page) }
        write(.databaseUp, [([], figures == nil ? 0 : 1)], to: &page)
        write(.serving, [([], health.isServing ? 1 : 0)], to: &page)
        writePool(to: &page)
        writeBooks(to: &page)
        if figures != nil, let cluster = await cluster.answer() { write(cluster.instances, cluster.node, to: &page) }
        if let figures { write(figures, to: &page) }
        if figures != nil, let overdue = await standings.answer() { write(overdue, to: &page) }
        return Array(page.text.utf8)
    }

    private func writePool(to page: inout ExpositionText) {
        let load = pool.load
        write(
            .poolConnections,
            [([("state", "open")], load.open), ([("state", "idle")], load.idle), ([("state", "in_use")], load.inUse)]
                .map { ($0.0, Double($0.1)) }, to: &page)
        write(.poolWaiting, [([], Double(load.waiting))], to: &page)
    }

    private func write(
        _ instances: [(node: String, count: Int)], _ node: ClusterNode?, to page: inout ExpositionText
    ) {
        write(.instances, instances.map { ([("node", $0.node)], Double($0.count)) }, to: &page)
        guard let node else { return }
        write(.clusterSize, [([("node", node.name)], Double(node.size))], to: &page)
        write(
            .clusterConflicts,
            [("commit", node.failedCertifications), ("before", node.abortedTransactions)].map {
                ([("node", node.name), ("met", $0)], Double($1))
            }, to: &page)
    }

    /// Writes the metrics of the integrity check: the faults that the last check found, and the seconds since it ended.
    /// Before the first check has ended, the seconds since the start are written, and no faults.
    private func writeBooks(to page: inout ExpositionText) {
        guard let found = health.books.found else {
            let uptime = Double((Surroundings.uptime() - startedAt).components.seconds)
            return write(.booksAge, [([], uptime)], to: &page)
        }
        write(.booksFaults, [([], Double(found.faults))], to: &page)
        write(.booksAge, [([], seconds(since: found.at, at: clock.now()))], to: &page)
    }

    private func write(_ overdue: OverdueStandings, to page: inout ExpositionText) {
        write(
            .overdueStandings,
            [("ended", overdue.ended), ("outdated", overdue.outdated)].map { ([("why", $0)], Double($1)) }, to: &page)
        write(
            .oldestStanding, [([], overdue.since.map { seconds(since: $0, at: clock.now()) } ?? 0)], to: &page)
    }

    private func write(_ figures: StoreFigures, to page: inout ExpositionText) {
        let jobs = figures.jobs
        write(
            .jobs,
            jobs.flatMap { job in
                [("due", job.due), ("later", job.later), ("dead", job.dead)].map { state, count in
                    ([("kind", job.kind.rawValue), ("state", state)], Double(count))
                }
            }, to: &page)
        write(
            .oldestJob,
            jobs.map { job in
                let age = job.oldestDueAt.map { seconds(since: $0, at: figures.readAt) } ?? 0
                return ([("kind", job.kind.rawValue)], age)
            }, to: &page)
        write(
            .inbox,
            figures.unsettled.map { delivery in
                let outcome = delivery.outcome
                let labels = [
                    ("source", delivery.source.text), ("state", outcome.result.rawValue),
                    ("reason", outcome.reason?.rawValue ?? ""),
                ]
                return (labels, Double(delivery.count))
            }, to: &page)
        write(
            .lastDelivery,
            figures.lastDeliveries.map { last in
                (
                    [("source", last.source.text), ("environment", last.environment.rawValue)],
                    seconds(since: last.receivedAt, at: clock.now())
                )
            }, to: &page)
    }

    private func write(
        _ family: MetricFamily, _ samples: [(labels: [(String, String)], value: Double)],
        to page: inout ExpositionText
    ) {
        guard !samples.isEmpty else { return }
        page.begin(family)
        for sample in samples { page.sample(family.name, ExpositionText.labels(sample.labels), sample.value) }
    }

    private func seconds(since instant: Instant, at now: Instant) -> Double {
        Double(max(0, now.milliseconds - instant.milliseconds)) / 1_000
    }
}
