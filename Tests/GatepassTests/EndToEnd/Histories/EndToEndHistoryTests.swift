import EntitlementAPI
import Entitlements
import LedgerStore
import MariaDB
import Support
import Testing

@testable import Gatepass

extension EndToEnd {
    /// Many clients who do everything at once to a few users, and what must hold afterwards.
    @Suite struct Histories {
        private static let settings = EntitlementSettings(sandboxAccess: .testers, seatGraceHours: 0)

        @Test func `whatever eight clients do at once, the books agree with what they were told`() async throws {
            let backend = try await EndToEndBackend.shared
            let second = try await backend.beside()
            for round in 0..<TestRun.rounds(20, soak: 1_000) {
                let name = "history\(round)-" + newID()
                let history = try EndToEndHistory(
                    "history\(round)", instance: name, backends: round % 3 == 2 ? [backend, second] : [backend])
                try await history.run(clients: 6 + round % 3, deeds: 25)
                let comment = "GATEPASS_TEST_SEED=\(TestRun.seed), \(name)"
                try await Self.expectRows(of: history, backend, comment)
                try await Self.expectSums(of: history, [backend, second], comment)
                try await Self.expectRepeats(of: history, backend, comment)
            }
            let (faults, defects) = try await Pool.running(backend.server.schema.settings) { pool in
                (try await LedgerCheck(pool: pool).faults(), try await AuditTrailCheck.run(from: pool).defects)
            }
            #expect(faults == [])
            #expect(defects == [])
            try await second.server.end()
        }

        /// Every success has its row, and the tables hold together.
        private static func expectRows(
            of history: EndToEndHistory, _ backend: EndToEndBackend, _ comment: String
        ) async throws {
            let schema = backend.server.schema
            let found = try await schema.rows(
                """
                SELECT u.user_id, IF(l.kind IN ('bound', 'received'), 'has', l.kind),
                    COALESCE(p.external_id, JSON_VALUE(n.content, IF(l.kind = 'spent', '$[2]', '$[3]')),
                        JSON_VALUE(l.content, '$[0]')), l.kind
                FROM ledger_entries l JOIN users u ON u.pseudonym = l.user_id
                LEFT JOIN purchases p ON p.id = l.purchase_id LEFT JOIN notes n ON n.digest = l.note_digest
                WHERE u.user_id LIKE ?
                """, [.text(history.name + ".%")])
            let rows = Set(
                found.flatMap { row in
                    let texts = row.map { value in
                        if case .text(let text) = value { text } else { "" }
                    }
                    return [1, 3].map { texts[0] + "|" + texts[$0] + "|" + texts[2] }
                })
            #expect(history.rows.subtracting(rows).sorted() == [], "\(comment)")
            #expect(history.done.count > 40, "\(comment)")
            let faults = try await EndToEndRecount(schema).faults(like: history.name + ".")
            #expect(faults == [], "\(comment)")
        }

        /// The tables, a fold of them apart from the servers, and each server's answer say the same.
        private static func expectSums(
            of history: EndToEndHistory, _ backends: [EndToEndBackend], _ comment: String
        ) async throws {
            let at = now + 1_000
            let statuses = try await folded(history.users, at: at, backends[0])
            var balance = 0
            for status in statuses {
                #expect(status.devices.active <= status.devices.allowed, "\(comment)")
                balance += status.credits.reduce(0) { $0 + $1.spendable - $1.debt }
                for purse in status.credits {
                    let sum = purse.credited - purse.refunded - purse.expired - purse.spent - purse.reserved
                    #expect(purse.spendable - purse.debt == sum && min(purse.spendable, purse.debt) == 0, "\(comment)")
                }
                for backend in backends {
                    let answer = try await backend.server.status(of: status.user.text, "?at=" + rfc3339(at))
                    #expect(answer.string("tier") == status.tier?.text, "\(comment)")
                    #expect(answer.integer("expires_at_ms") == status.expiresAt?.milliseconds, "\(comment)")
                    #expect(answer.count("segments") != nil, "\(comment)")
                    #expect(
                        answer.integer("credits.0.spendable") == status.credits.first.map { Int64($0.spendable) },
                        "\(comment)")
                    #expect(
                        answer.integer("credits.0.debt") == status.credits.first.map { Int64($0.debt) }, "\(comment)")
                    let seats = [status.devices.allowed, status.devices.active, status.devices.suspended]
                    let told = ["allowed", "active", "suspended"].map { answer.integer("devices." + $0) }
                    #expect(told == seats.map { Int64($0) }, "\(comment)")
                }
            }
            let recount = EndToEndRecount(backends[0].server.schema)
            let left = try await recount.unitsLeft(like: history.name + ".")
            guard left != balance else { return }
            let story = try await recount.story(like: history.name + ".")
            Issue.record("\(comment): \(left ?? -1) units are left, the purses say \(balance)\n\(story)")
        }

        /// What the ledgers give, read from the tables by nobody who was at work on them.
        private static func folded(
            _ users: [String], at: Int64, _ backend: EndToEndBackend
        ) async throws -> [Status] {
            try await Pool.running(backend.server.schema.settings) { pool in
                let versionCache = try #require(
                    try await CatalogueVersionCache.open(pool: pool, read: CatalogueFile.stored))
                let ledger = Ledger(
                    pool: pool, catalogue: versionCache,
                    settings: LedgerSettings(entitlements: settings, labels: Labels { $0 }), format: StatusBody.format,
                    now: { .distantPast }, salt: { [] })
                let reader = ledger.reader()
                return try await withThrowingTaskGroup(of: Void.self) { group in
                    group.addTask { await reader.run() }
                    defer { reader.shutDown() }
                    var statuses: [Status] = []
                    for user in users.compactMap({ UserID($0) }) {
                        let faults = try await LedgerCheck(pool: pool).faults(of: user)
                        #expect(faults == [])
                        let timeline = Timeline(
                            folding: try await reader.ledger(of: user), given: versionCache.snapshot, settings: settings
                        )
                        statuses.append(timeline.status(at: Instant(milliseconds: at)))
                    }
                    return statuses
                }
            }
        }

        /// Whatever was done, asking for it again adds no row.
        private static func expectRepeats(
            of history: EndToEndHistory, _ backend: EndToEndBackend, _ comment: String
        ) async throws {
            let count =
                "SELECT COUNT(*) FROM ledger_entries l JOIN users u ON u.pseudonym = l.user_id WHERE u.user_id LIKE ?"
            let whose: [Value] = [.text(history.name + ".%")]
            let before = try await backend.server.schema.number(count, whose)
            var chance = SeededChance("\(history.seedName) repeats")
            for (request, answer) in history.done.shuffled(using: &chance).prefix(20) {
                let again = try await history.send(request)
                #expect(again.status < 500, "\(comment): \(request.path)")
                if request.key != nil { #expect(again.body == answer.body, "\(comment): \(request.path)") }
            }
            #expect(try await backend.server.schema.number(count, whose) == before, "\(comment)")
        }
    }
}
