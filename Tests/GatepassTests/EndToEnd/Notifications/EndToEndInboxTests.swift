import AppStore
import StrictJSON
import Dispatch
import Entitlements
import Foundation
import MariaDB
import NIOHTTP1
import StoreSimulator
import Support
import Testing

extension EndToEnd {
    /// What becomes of deliveries that cannot be placed at once, and what operators see and do about them.
    @Suite struct Inboxes {
        /// Waits until `statement` counts `number`. Throws `EndToEndServer.Failure` when it never does.
        private static func wait(for number: Int, _ statement: String, at server: EndToEndServer) async throws {
            let start = ContinuousClock.now
            while try await server.schema.number(statement) != number {
                guard start.duration(to: .now) < .seconds(60) else { throw EndToEndServer.Failure(log: server.log) }
                try await Task.sleep(for: .milliseconds(50))
            }
        }

        /// Holds the row of a user from another connection while `body` runs. Throws what `body` throws.
        private static func holding<T: Sendable>(
            _ user: String, at server: EndToEndServer, _ body: () async throws -> T
        ) async throws -> T {
            var patient = server.schema.settings
            patient.readTimeoutSeconds = 60
            patient.idleTransactionTimeoutSeconds = 60
            let connection = try await Connection.open(patient)
            let (isHeld, isOver) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
            async let held: Void = connection.transaction { (session) throws(DatabaseError) in
                let lock = SQLStatement("hold", "SELECT pseudonym FROM users WHERE user_id = ? FOR UPDATE")
                let rows = try session.query(lock, [.text(user)])
                #expect(rows.count == 1)
                isHeld.signal()
                isOver.wait()
            }
            try await blocking { isHeld.wait() }
            let answer: Result<T, any Error>
            do {
                answer = .success(try await body())
            } catch {
                answer = .failure(error)
            }
            isOver.signal()
            try await held
            await connection.close()
            return try answer.get()
        }

        @Test func `a delivery that takes longer than two seconds is answered parked, and placed when it can be`()
            async throws
        {
            let server = try await EndToEndServer.shared
            let user = "slow-" + newID()
            var pass = EndToEndServer.pass(at: now - day)
            pass.appAccountToken = try await server.accountToken(of: user)
            let charge = try server.notification(.oneTimeCharge, about: pass)
            let answer = try await Self.holding(user, at: server) { try await server.deliver(charge) }
            #expect(answer.status == 200 && answer.string("result") == "parked", "\(answer.text)")
            let settled = "SELECT COUNT(*) FROM inbox_deliveries WHERE state = 'applied' AND external_id = "
            try await Self.wait(for: 1, settled + "'\(charge.notificationUUID)'", at: server)
            #expect(try await server.status(of: user)["active"]?.flag == true)
            #expect(try await server.place(charge) == "duplicate")
        }

        @Test func `the texts of old deliveries go by themselves, and what became of them stays`() async throws {
            let server = try await EndToEndServer.start(["GATEPASS_RETENTION_INBOX_DAYS": "30"])
            var told: [SimulatedNotification] = []
            for name in ["old", "new"] {
                var pass = EndToEndServer.pass(at: now - day)
                pass.appAccountToken = try await server.accountToken(of: name)
                told.append(try server.notification(.oneTimeCharge, about: pass))
            }
            for charge in told { #expect(try await server.place(charge) == "applied") }
            #expect(try await server.schema.number("SELECT COUNT(*) FROM inbox_texts") == 2)
            try await server.schema.rows(
                "UPDATE inbox_deliveries SET received_at = received_at - 31 * 86400000 WHERE external_id = ?",
                [.text(told[0].notificationUUID)])
            #expect(try await server.end() == 0)
            try await server.boot()
            try await Self.wait(for: 1, "SELECT COUNT(*) FROM inbox_texts", at: server)
            let kept = """
                SELECT COUNT(*) FROM inbox_texts t JOIN inbox_deliveries d ON d.id = t.delivery_id
                WHERE d.external_id = ?
                """
            #expect(try await server.schema.number(kept, [.text(told[1].notificationUUID)]) == 1)
            for charge in told { #expect(try await server.place(charge) == "duplicate") }
            #expect(try await server.end() == 0)
        }

        @Test func `while Apple cannot be asked about its certificates, a job waits and loses no try`() async throws {
            let server = try await EndToEndServer.start()
            var pass = EndToEndServer.pass(at: now - day)
            pass.appAccountToken = try await server.accountToken(of: "asked")
            let charge = try server.notification(.oneTimeCharge, about: pass)
            try await server.schema.rows(
                "CREATE TRIGGER stop BEFORE INSERT ON ledger_entries FOR EACH ROW SIGNAL SQLSTATE '45000'")
            #expect(try await server.deliver(charge).string("result") == "parked")
            #expect(try await server.end() == 0)
            try await server.schema.rows("DROP TRIGGER stop")
            try await server.schema.rows("UPDATE jobs SET due_at = 9000000000000")
            // The simulated certificates name a responder that there is not.
            var same = ["GATEPASS_APPLE_OCSP": "true"]
            for name in ["NAME", "SOCKET", "USER"] {
                same["GATEPASS_DATABASE_" + name] = server.environment["GATEPASS_DATABASE_" + name]
            }
            let asking = try await EndToEndServer.start(same)
            for tries in 1...2 {
                try await server.schema.rows("UPDATE jobs SET due_at = 0, attempts = 7")
                let start = ContinuousClock.now
                while asking.log.components(separatedBy: "a job failed").count <= tries {
                    guard start.duration(to: .now) < .seconds(60) else { throw EndToEndServer.Failure(log: asking.log) }
                    try await Task.sleep(for: .milliseconds(50))
                }
                try await Self.wait(for: 7, "SELECT attempts FROM jobs WHERE died_at IS NULL", at: server)
            }
            #expect(try await server.outcomes(of: charge.notificationUUID) == ["parked pending"])
            #expect(try await asking.deliver(charge).status == 503)
            #expect(try await asking.end() == 0)
            // A try that the end of the server cut off counts.
            try await server.schema.rows("UPDATE jobs SET due_at = 0, attempts = 7")
            try await server.boot()
            let applied = "SELECT COUNT(*) FROM inbox_deliveries WHERE state = 'applied'"
            try await Self.wait(for: 1, applied, at: server)
            #expect(try await server.end() == 0)
        }

        @Test func `a fault that passes costs a job no try, and what the database refuses does`() async throws {
            let server = try await EndToEndServer.start()
            let refuse = { (signal: String) in
                _ = try await server.schema.rows(
                    "CREATE OR REPLACE TRIGGER stop BEFORE INSERT ON ledger_entries FOR EACH ROW SIGNAL " + signal)
            }
            var pass = EndToEndServer.pass(at: now - day)
            pass.appAccountToken = try await server.accountToken(of: "patient")
            let charge = try server.notification(.oneTimeCharge, about: pass)
            try await refuse("SQLSTATE '45000'")
            #expect(try await server.deliver(charge).string("result") == "parked")
            // A deadlock, a lock that another holds for too long, a full disk.
            for (tries, code) in [(1, 1213), (2, 1205), (3, 1021)] {
                try await server.schema.rows("UPDATE jobs SET due_at = 9000000000000")
                try await refuse("SQLSTATE 'HY000' SET MYSQL_ERRNO = \(code)")
                try await server.schema.rows("UPDATE jobs SET due_at = 0, attempts = 7")
                let start = ContinuousClock.now
                while server.log.components(separatedBy: "a job failed").count <= tries {
                    guard start.duration(to: .now) < .seconds(60) else { throw EndToEndServer.Failure(log: server.log) }
                    try await Task.sleep(for: .milliseconds(50))
                }
                try await Self.wait(for: 7, "SELECT attempts FROM jobs WHERE died_at IS NULL", at: server)
            }
            #expect(try await server.outcomes(of: charge.notificationUUID) == ["parked pending"])
            try await refuse("SQLSTATE '45000'")
            try await server.schema.rows("UPDATE jobs SET due_at = 0")
            try await Self.wait(for: 8, "SELECT attempts FROM jobs WHERE died_at IS NOT NULL", at: server)
            #expect(try await server.outcomes(of: charge.notificationUUID) == ["quarantined failed"])
            // It comes again: a job tries it eight times more.
            #expect(try await server.deliver(charge).string("result") == "parked")
            try await server.schema.rows("DROP TRIGGER stop")
            try await server.schema.rows("UPDATE jobs SET due_at = 0")
            let applied = "SELECT COUNT(*) FROM inbox_deliveries WHERE state = 'applied'"
            try await Self.wait(for: 1, applied, at: server)
            #expect(try await server.end() == 0)
        }

        @Test func `a job that waits for a locked user holds up no job that is due later`() async throws {
            let server = try await EndToEndServer.start()
            try await server.schema.rows(
                "CREATE TRIGGER stop BEFORE INSERT ON ledger_entries FOR EACH ROW SIGNAL SQLSTATE '45000'")
            var told: [SimulatedNotification] = []
            for name in ["locked", "free"] {
                var pass = EndToEndServer.pass(at: now - day)
                pass.appAccountToken = try await server.accountToken(of: name)
                told.append(try server.notification(.oneTimeCharge, about: pass))
                #expect(try await server.deliver(told[told.count - 1]).string("result") == "parked")
            }
            try await server.schema.rows("UPDATE jobs SET due_at = 9000000000000")
            try await server.schema.rows("DROP TRIGGER stop")
            let isDue = "UPDATE jobs j JOIN inbox_deliveries d ON d.id = j.subject SET j.due_at = 0, j.attempts = 0 "
            let taken = "SELECT COUNT(*) FROM jobs WHERE attempts = 1"
            let failures = { server.log.components(separatedBy: "a job failed").count }
            let before = failures()
            try await Self.holding("locked", at: server) {
                try await server.schema.rows(isDue + "WHERE d.external_id = ?", [.text(told[0].notificationUUID)])
                try await Self.wait(for: 1, taken, at: server)
                try await server.schema.rows(isDue + "WHERE d.external_id = ?", [.text(told[1].notificationUUID)])
                let applied = "SELECT COUNT(*) FROM inbox_deliveries WHERE state = 'applied'"
                try await Self.wait(for: 1, applied, at: server)
                #expect(failures() == before, "the first is still being done")
            }
            #expect(try await server.outcomes(of: told[1].notificationUUID) == ["applied"])
            #expect(try await server.end() == 0)
        }

        @Test func `a token gives a purchase to whom it names, and nothing that an erased person owes`() async throws {
            let backend = try await EndToEndBackend.shared
            let account = "owing" + newID()
            let (gone, back) = (account + "-gone", account + "-back")
            var (lot, pass) = (
                EndToEndBackend.sale("credits.100", at: now - day), EndToEndBackend.sale("pass.30", at: now - day)
            )
            (lot.appTransactionId, pass.appTransactionId) = (account, account)
            try await backend.attach(lot, to: gone)
            try await backend.spend(70, for: gone)
            try await backend.attach(lot.refunded(at: now), to: gone)
            #expect(try await backend.act("erase", for: gone).status == 204)
            pass.appAccountToken = try await backend.server.accountToken(of: back)
            let charge = try backend.server.notification(.oneTimeCharge, about: pass)
            #expect(try await backend.server.place(charge) == "applied")
            #expect(try await backend.look("status", of: back).string("tier") == "pro")
            #expect(try await backend.attach(pass, to: back).string("outcome") == "already_attached")
            #expect(try await backend.look("credits", of: back).count("data") == 0)
        }

        @Test func `deliveries are listed and replayed at the command line as over the API`() async throws {
            let backend = try await EndToEndBackend.open()
            let server = backend.server
            let waiting = try server.notification(.oneTimeCharge, about: EndToEndBackend.sale("pass.30", at: now - day))
            #expect(try await server.place(waiting) == "parked no_user")
            var rescinded = SimulatedNotification(
                .rescindConsent, uuid: newID(), about: .data(transaction: nil, renewalInfo: nil, status: nil),
                bundleId: EndToEndServer.bundleID, at: now)
            rescinded.appAppleId = 1_234_567_890
            rescinded.environment = .production
            #expect(try await server.place(rescinded) == "ignored consent_rescinded")
            let asked = try await backend.ask("webhooks?reason=consent_rescinded")
            #expect(asked.count("data") == 1 && asked.string("data.0.type") == "RESCIND_CONSENT", "\(asked.text)")
            #expect(try await backend.ask("webhooks?reason=consent_rescinded&state=parked").count("data") == 0)
            let refused = try await backend.ask("webhooks?reason=none")
            #expect(refused.status == 400 && refused.string("errors.0.pointer") == "?reason")

            let all = try await server.command(["webhooks", "list"])
            let lines = all.text.split(separator: "\n")
            #expect(all.status == 0 && lines.count == 2, "\(all.text)")
            #expect(lines[0].contains("\tignored (consent_rescinded)\tapple_iap\tProduction\tRESCIND_CONSENT\t"))
            #expect(lines[1].contains("\tparked (no_user)\t") && lines[1].contains("\tof nobody\t"), "\(lines[1])")
            let parked = try await server.command(["webhooks", "list", "--state", "parked", "--json"])
            let one = EndToEndAnswer(status: 0, headers: [:], body: Array(parked.text.utf8))
            #expect(one.string("notification_id") == waiting.notificationUUID, "\(parked.text)")
            let id = try #require(one.string("id"))
            let because = try await server.command(["webhooks", "list", "--reason", "consent_rescinded"])
            #expect(because.text.split(separator: "\n") == [lines[0]])
            let last = try await server.command(["webhooks", "list", "--limit", "1"])
            #expect(last.text.split(separator: "\n") == [lines[0]])
            for words in [["--state", "lost"], ["--reason", "none"], ["--limit", "0"], ["--limit", "1001"]] {
                #expect(try await server.command(["webhooks", "list"] + words).status != 0, "\(words)")
            }

            let replayed = try await server.command(["webhooks", "replay", id, "--reason", "asked", "--json"])
            let body = EndToEndAnswer(status: 0, headers: [:], body: Array(replayed.text.utf8))
            #expect(replayed.status == 0 && body.string("id") == id && body.string("reason") == "pending")
            let trail = try await backend.ask("audit?limit=1")
            #expect(trail.string("data.0.action") == "delivery.replay" && trail.string("data.0.reason") == "asked")
            #expect(trail.string("data.0.actor") == "command_line")
            try await Self.wait(
                for: 1, "SELECT COUNT(*) FROM inbox_deliveries WHERE id = \(id) AND reason = 'no_user'", at: server)
            let said = try await server.command(["webhooks", "replay", id])
            #expect(said.status == 0 && said.text == "delivery \(id) is parked (pending)\n", "\(said.text)")
            let none = try await server.command(["webhooks", "replay", "999999"])
            #expect(none.status == 1 && none.text.contains("gatepass: there is no delivery 999999"), "\(none.text)")
            #expect(try await server.end() == 0)
        }
    }
}
