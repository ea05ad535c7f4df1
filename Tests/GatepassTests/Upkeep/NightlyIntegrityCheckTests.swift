import EntitlementAPI
import Entitlements
import LedgerStore
import Logging
import MariaDB
import Support
import Synchronization
import Testing

@testable import Gatepass

/// Once a night a server verifies the books and says what it found.
@Suite struct NightlyIntegrityCheckTests {
    private static let hour = Instant.millisecondsPerHour

    /// Hours since a midnight, how far into its hour the check begins, and the hours until then.
    private static let waits: [(Double, Double, Double)] = [
        (0, 0, 3), (2.5, 0, 0.5), (2.5, 0.5, 1), (3, 0, 24), (3.25, 0.25, 24), (4, 0, 23), (23.5, 0.5, 4),
        (3.9, 0, 23.1),
    ]

    @Test(arguments: waits)
    func `it begins in the hour after three, once a night`(now: Double, share: Double, wait: Double) {
        let midnight = Instant(milliseconds: 1_767_225_600_000)
        let waited = NightlyIntegrityCheck.wait(at: midnight + Int64(now * Double(Self.hour)), share: share)
        #expect(abs(waited / .milliseconds(Self.hour) - wait) < 0.001)
    }

    @Test func `a bar says how far a check is`() {
        let progress = LedgerCheck.Progress(people: 7, entries: 90, percent: 50)
        let half = "[" + String(repeating: "#", count: 15) + String(repeating: ".", count: 15) + "] "
        #expect(ProgressBar.bar(progress.percent, progress.line) == half + "50%, 90 entries of 7 ledgers verified")
    }
}

extension EndToEnd {
    /// What a server's own check of the books finds and tells.
    @Suite struct NightlyIntegrityChecks {
        @Test func `whole books are one line, each fault is one without a user's id, and readyz tells of either`()
            async throws
        {
            let backend = try await EndToEndBackend.open()
            try await backend.grant(#""kind":"add_days","tier":"pro","days":3"#, to: "anna")
            let ready = try await backend.server.send("GET", "/readyz")
            #expect(ready.text.contains(#"{"name":"books","ok":true,"detail":"not verified since the start"}"#))
            let lines = TestLog()
            let checks = Checks()
            try await Pool.running(backend.server.schema.settings) { pool in
                let logger = Logger(label: "test") { _ in lines }
                let check = NightlyIntegrityCheck(pool: pool, derived: { nil }, clock: .real, logger: logger) {
                    checks.note($0)
                }
                #expect(await check.check())
                let told = lines.take().map { $0.split(separator: " seconds=").first }
                #expect(told == ["info the books are whole api_keys=1 audit_entries=2 entries=2 ledgers=1"])
                try await backend.server.schema.rows(
                    "UPDATE ledger_entries SET content = REPLACE(content, '259200000', '1') WHERE kind = 'granted'")
                try await backend.server.schema.rows("UPDATE api_keys SET scopes = 'admin'")
                #expect(await check.check())
            }
            #expect(
                lines.take() == [
                    "error the books are not whole fault=api key 1: "
                        + "its scopes are not read,write,admin, with which it was made",
                    "error the books are not whole fault=#1: entry 1 was edited or moved",
                ])
            let details = checks.taken.map(\.detail)
            #expect(checks.taken.allSatisfy { $0.isInOrder } && details.count == 2)
            #expect(details[0].hasPrefix("whole at 20") && details[1].hasPrefix("2 faults, see the log at 20"))
            #expect(try await backend.server.end() == 0)
        }
    }
}

/// Keeps what readiness would tell.
private final class Checks: Sendable {
    private let kept = Mutex<[Readiness.Check]>([])

    var taken: [Readiness.Check] { kept.withLock { $0 } }

    func note(_ health: IntegrityHealth) {
        kept.withLock { $0.append(health.check) }
    }
}
