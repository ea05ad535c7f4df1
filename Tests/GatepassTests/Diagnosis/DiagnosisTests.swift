import AppStore
import Entitlements
import StoreSimulator
import Testing

@testable import Gatepass
@testable import LedgerStore

/// What `gatepass doctor` makes of what it reads, and says of it all.
@Suite struct DiagnosisTests {
    private static let now = Instant(milliseconds: 1_800_000_000_000)
    private static let day = Instant.millisecondsPerDay

    @Test func `the exit status is the worst finding's, and only warnings have one of their own`() {
        let (ok, look) = (Finding.ok("a"), Finding.warning("b", advice: "do"))
        let (wrong, undone) = (Finding.wrong("c", advice: nil), Finding.notDone("d"))
        for (findings, status, summary) in [
            ([ok, ok], 0, "All 2 checks are ok."), ([ok, look], 2, "1 of 2 checks are ok; 1 to look at."),
            ([look, wrong, ok], 1, "1 of 3 checks are ok; 1 wrong, 1 to look at."),
            ([look, undone], 1, "0 of 2 checks are ok; 1 to look at, 1 not done."),
            ([wrong], 1, "0 of 1 checks are ok; 1 wrong."),
        ] as [([Finding], Int32, String)] {
            let diagnosis = Diagnosis(findings: findings.map { ("x", $0) })
            #expect(diagnosis.exitStatus == status && diagnosis.lines.last == summary)
        }
        let lines = Diagnosis(findings: [("one", ok), ("seven", look)]).lines
        #expect(
            lines.dropLast() == [
                "ok        one    a", "warning   seven  b", String(repeating: " ", count: 17) + "→ do",
            ])
    }

    @Test(arguments: [
        ("10.11.19-MariaDB-0+deb12u1", true, Finding.Result.ok), ("11.8.2-MariaDB", true, .ok),
        ("10.11.16-MariaDB", true, .warning), ("10.6.30-MariaDB", true, .warning),
        ("10.11.19-MariaDB", false, .wrong),
    ])
    func `a database server is judged by its version and whether it takes writes`(
        version: String, takesWrites: Bool, result: Finding.Result
    ) {
        let server = DatabaseServer(version: version, now: Self.now, takesWrites: takesWrites)
        #expect(Doctor.judge(server, answeringIn: 1).result == result)
    }

    @Test func `a cluster is warned of with fewer than three nodes, a node behind, or writers on several`() {
        let judge = { (size: Int, state: String, nodes: [String]) in
            Doctor.judge(
                ClusterNode(
                    name: "n1", size: size, state: state, failedCertifications: 0, abortedTransactions: 0),
                running: nodes.map { ($0, 1) })
        }
        #expect(judge(3, "Synced", ["db1:3306 (n1)"]).result == .ok)
        #expect(judge(3, "Synced", []).result == .ok)
        #expect(judge(2, "Synced", ["db1:3306 (n1)"]).result == .warning)
        #expect(judge(3, "Donor/Desynced", ["db1:3306 (n1)"]).result == .warning)
        #expect(judge(3, "Synced", ["db1:3306 (n1)", "db2:3306 (n2)"]).result == .warning)
        #expect(Doctor.judge(nil, running: [("db1:3306", 2)]).result == .ok)
        #expect(Doctor.judge(nil, running: [("db1:3306", 1), ("db2:3306", 1)]).result == .warning)
    }

    @Test func `a database without any migration has no tables yet, and one that lacks some is told which`() {
        for (missing, unknown, text) in [
            ([1, 2, 3], [], "no tables yet"), ([3], [], "migrations are not applied: 3"),
            ([], [], "all 3 migrations are applied"), ([1, 2, 3], [4], "migrations are not applied: 1, 2, 3"),
        ] as [([Int], [Int], String)] {
            let difference = Migrator.Difference(missing: missing, unknown: unknown, edited: [])
            let finding = Doctor.judge(difference, given: 3, accepting: 3...99)
            #expect(finding.text == text && (finding == Doctor.noTables) == (text == "no tables yet"))
        }
    }

    @Test func `clocks may differ by five seconds beside the time that the answer took`() {
        for (theirs, result, words) in [
            (0, .ok, "agree"), (-5_000, .ok, "agree"), (7_000, .ok, "agree"),
            (-6_000, .wrong, "6s ahead of"), (8_000, .wrong, "6s behind"), (3_600_000, .wrong, "59m58s behind"),
        ] as [(Int64, Finding.Result, String)] {
            let finding = Doctor.judge(Self.now + theirs, between: Self.now, and: Self.now + 2_000)
            #expect(finding.result == result && finding.text.contains(words), "\(finding)")
        }
        let ahead = Doctor.judge(Self.now, between: Self.now, and: Self.now, ahead: 40 * Self.day)
        #expect(ahead.result == .ok && ahead.text.hasSuffix("the test clock is 40d ahead"))
    }

    @Test func `a key is not blamed for a clock that differs from Apple's, and the clock is told`() {
        let app = AppID("com.example.app")
        for (lead, answer, result, words, silent) in [
            (nil, .accepted(.production), .ok, "accepts the key K for 1 app", "clock"),
            (0, .accepted(.production), .ok, "; the clocks agree", "ahead"),
            (-5_000, .accepted(.production), .ok, "; the clocks agree", "behind"),
            (30_000, .accepted(.sandbox), .warning, "this machine's clock is 30s ahead of Apple's", "not accept"),
            (-200_000, .accepted(.production), .warning, "clock is 3m20s behind Apple's", "not accept"),
            (nil, .refused, .wrong, "does not accept the key K for com.example.app", "clock"),
            (30_000, .refused, .wrong, "does not accept the key K for com.example.app", "tokens"),
            (61_000, .refused, .wrong, "because this machine's clock is 1m1s ahead of Apple's", "the key"),
            (-400_000, .refused, .wrong, "because this machine's clock is 6m40s behind Apple's", "the key"),
        ] as [(Int64?, Doctor.KeyAnswer, Finding.Result, String, String)] {
            let finding = Doctor.judge([(app, answer)], of: "K", clockAhead: lead)
            #expect(finding.result == result && finding.text.contains(words), "\(finding)")
            #expect(!finding.text.contains(silent), "\(finding)")
            #expect((finding.advice ?? "").contains("NTP") == finding.text.contains("machine's clock"), "\(finding)")
        }
    }

    @Test func `a store that should send every day may be silent for three days`() {
        let last = { (days: Int64, environment: StoreEnvironment) in
            LastDelivery(source: .stripe, environment: environment, receivedAt: Self.now + -days * Self.day)
        }
        for (deliveries, isExpected, result, words) in [
            ([], true, .warning, "none yet"), ([], false, .ok, "none yet"),
            ([last(0, .production)], true, .ok, "Production 0s ago"),
            ([last(2, .production)], true, .ok, "Production 2d ago"),
            ([last(4, .production)], true, .warning, "4d ago"), ([last(4, .production)], false, .ok, "4d ago"),
            ([last(1, .sandbox)], true, .warning, "Sandbox 1d ago"),
        ] as [([LastDelivery], Bool, Finding.Result, String)] {
            let finding = Doctor.judge(deliveries, at: Self.now, isExpected: isExpected, advice: "a")
            #expect(finding.result == result && finding.text.contains(words), "\(finding)")
        }
    }

    @Test func `the Sandbox is warned of only in production, and only where App Review would see nothing`() {
        for access in EntitlementSettings.SandboxAccess.allCases {
            for (inProduction, isNamed) in [(true, true), (true, false), (false, true), (false, false)] {
                let finding = Doctor.judge(access, inProduction: inProduction, isAnybodyNamed: isNamed)
                let isBlind = access == .nobody || access == .testers && !isNamed
                #expect(finding.result == (inProduction && isBlind ? .warning : .ok), "\(access) \(finding)")
            }
        }
    }

    @Test func `jobs are wrong when one is dead, or due for more than five minutes`() {
        for (dead, dueFor, result) in [(0, nil, .ok), (0, 300_000, .ok), (0, 300_001, .wrong), (1, nil, .wrong)]
            as [(Int, Int64?, Finding.Result)]
        {
            let jobs = StoreFigures.Jobs(
                kind: .delivery, due: dueFor == nil ? 0 : 1, later: 2, dead: dead,
                oldestDueAt: dueFor.map { Self.now + -$0 })
            #expect(Doctor.judge([jobs], at: Self.now).result == result)
        }
    }

    @Test func `deliveries are to be looked at when parked, wrong when given up, and in order while being placed`() {
        let of = { (count: Int, result: DeliveryResult, reason: DeliveryReason) in
            StoreFigures.Unsettled(source: .stripe, outcome: .init(result, because: reason), count: count)
        }
        #expect(Doctor.judge(unsettled: []).result == .ok)
        #expect(Doctor.judge(unsettled: [of(7, .parked, .pending)]).result == .ok)
        let parked = Doctor.judge(unsettled: [of(2, .parked, .noUser), of(1, .parked, .noPurchase)])
        #expect(parked.result == .warning)
        #expect(parked.text == "3 parked (1 no_purchase of stripe, 2 no_user of stripe)")
        let given = Doctor.judge(unsettled: [of(2, .parked, .noUser), of(1, .quarantined, .failed)])
        #expect(given.result == .wrong)
        #expect(given.text == "1 given up (1 failed of stripe); 2 parked (2 no_user of stripe)")
    }

    @Test func `a root is warned of ninety days before it ends`() throws {
        let from = Self.now + -400 * Self.day
        let authority = try DevelopmentAuthority(
            validFrom: from.milliseconds, validUntil: Self.now.milliseconds)
        let roots = try TrustRoots(files: [Array(try authority.kept.root.utf8)])
        for (days, result) in [(-401, .wrong), (-100, .ok), (-80, .warning), (1, .wrong)]
            as [(Int64, Finding.Result)]
        {
            #expect(Doctor.judge(roots, at: Self.now + days * Self.day).result == result)
        }
    }
}
