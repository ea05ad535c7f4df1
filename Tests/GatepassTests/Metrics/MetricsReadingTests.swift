import AppStore
import EntitlementAPI
import Entitlements
import LedgerStore
import Logging
import MariaDB
import StoreSimulator
import Support
import Testing

@testable import Gatepass

/// What is looked up for the page, by a server whose database never came.
@Suite struct MetricsReadingTests {
    private static let now = Instant(milliseconds: 1_800_000_000_000)

    @Test func `the last check of the books is told with its age, and a server that is not open says so`() async throws
    {
        let quiet = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        let nowhere = ConnectionSettings(
            endpoints: [.socket(path: "/tmp/there-is-no-socket")], database: "d", user: "u", password: nil, tlsCA: nil)
        let pool = Pool(nowhere, surroundings: Surroundings.pool, logger: quiet)
        let clock = WallClock { Self.now }
        let settings = try LoadedSettings(from: SettingsInputs()).settings
        let catalogue = Catalogue(apps: [], tiers: [], products: [])
        let store = StoreDoor(
            provisional: CatalogueVersions(first: .init(number: 0, effectiveAt: .distantPast, catalogue: catalogue)))
        let health = ServerHealth(
            store: store, keys: SigningKeys(settings, pool: pool, clock: clock), pool: pool,
            roots: try EndToEndServer.authority.get().trustRoots, clock: clock, logger: quiet)
        let metrics = ServerMetrics()
        let reading = MetricsReading(metrics: metrics, pool: pool, store: store, health: health, clock: clock)
        let before = String(decoding: await reading.page(), as: UTF8.self)
        #expect(!before.contains("gatepass_books_faults") && before.contains("\ngatepass_books_check_age_seconds "))
        for line in ["gatepass_database_up 0", "gatepass_serving 0", "gatepass_pool_waiting 0"] {
            #expect(before.contains("\n\(line)\n"), "\(line)")
        }
        #expect(!before.contains("gatepass_jobs{"))
        health.note(IntegrityHealth(faults: 2, at: Self.now + -90_500))
        let after = String(decoding: await reading.page(), as: UTF8.self)
        #expect(after.contains("\ngatepass_books_faults 2\n"))
        #expect(after.contains("\ngatepass_books_check_age_seconds 90.5\n"))
        #expect(after.contains("# TYPE gatepass_books_faults gauge\n"))
    }

    @Test func `transactions that are run again and commits in doubt are counted by what was met`() {
        let metrics = ServerMetrics()
        metrics.failed(DatabaseError(.refused, code: 1213, statement: "s"), isRunAgain: true)
        metrics.failed(DatabaseError(.connectionLost, statement: "s"), isRunAgain: true)
        metrics.failed(DatabaseError(.commitUnknown, statement: "s"), isRunAgain: true)
        metrics.failed(DatabaseError(.commitUnknown, statement: "s"), isRunAgain: false)
        metrics.failed(DatabaseError(.unavailable, statement: "s"), isRunAgain: false)
        metrics.committed(requests: 3)
        metrics.ended(.delivery, isDone: false)
        var page = ExpositionText()
        for family in MetricFamily.counted { metrics.factory.write(family, to: &page) }
        for line in [
            #"gatepass_transaction_retries_total{reason="commit_unknown"} 1"#,
            #"gatepass_transaction_retries_total{reason="conflict"} 1"#,
            #"gatepass_transaction_retries_total{reason="connection_lost"} 1"#, "gatepass_commits_unknown_total 2",
            #"gatepass_batch_requests_bucket{le="2"} 0"#, #"gatepass_batch_requests_bucket{le="4"} 1"#,
            #"gatepass_jobs_ended_total{kind="delivery",outcome="failed"} 1"#,
            #"gatepass_jobs_ended_total{kind="delivery",outcome="done"} 0"#,
        ] { #expect(page.text.contains(line + "\n"), "\(line)") }
    }
}
