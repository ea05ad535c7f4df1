import AppStore
import StrictJSON
import Glibc
import MariaDB
import StoreSimulator
import Support
import Testing

extension EndToEnd {
    /// Two servers on one database share the inbox.
    @Suite struct Instances {
        private static func settled(
            _ uuid: String, on server: EndToEndServer, within limit: Duration = .seconds(90)
        ) async throws -> [String] {
            let start = ContinuousClock.now
            while start.duration(to: .now) < limit {
                let outcomes = try await server.outcomes(of: uuid)
                if outcomes.allSatisfy({ !$0.hasPrefix("parked") }) { return outcomes }
                try await Task.sleep(for: .milliseconds(200))
            }
            return try await server.outcomes(of: uuid)
        }

        @Test func `a delivery that 32 bring to two servers at once is applied once`() async throws {
            let first = try await EndToEndServer.start()
            let second = try await EndToEndServer.start(beside: first)
            let user = "shared-" + newID()
            var pass = EndToEndServer.pass(at: now - day)
            pass.appAccountToken = try await first.accountToken(of: user)
            let charge = try first.authority.sign(first.notification(.oneTimeCharge, about: pass)).text
            let results = try await withThrowingTaskGroup(of: String?.self) { group in
                for place in 0..<32 {
                    let server = place.isMultiple(of: 2) ? first : second
                    group.addTask { try await server.deliver(payload: charge).string("result") }
                }
                return try await group.reduce(into: [String?]()) { $0.append($1) }
            }
            // Where placing takes longer than a store waits, it goes on in the background.
            #expect(results.count { $0 == "applied" } <= 1, "\(results)")
            while try await first.schema.number("SELECT COUNT(*) FROM inbox_deliveries WHERE reason = 'pending'") > 0 {
                try await Task.sleep(for: .milliseconds(20))
            }
            #expect(results.allSatisfy { ["applied", "duplicate", "parked"].contains($0) }, "\(results)")
            #expect(try await first.schema.number("SELECT COUNT(*) FROM ledger_entries") == 2)
            #expect(try await first.schema.number("SELECT COUNT(*) FROM inbox_deliveries") == 1)
            #expect(try await second.status(of: user)["active"]?.flag == true)
            for server in [first, second] { #expect(try await server.end() == 0) }
        }

        @Test func `a server that is stopped while it has a lease and locks is survived by the other`()
            async throws
        {
            let first = try await EndToEndServer.start()
            let second = try await EndToEndServer.start(beside: first)
            let user = "stopped-" + newID()
            var pass = EndToEndServer.pass(at: now - 2 * day)
            pass.appAccountToken = try await first.accountToken(of: user)
            let bought = try first.notification(.oneTimeCharge, about: pass)
            #expect(try await first.place(bought) == "applied")
            let refund = try first.notification(.refund, about: pass.refunded(at: now - day))
            // The second server takes the delivery's job, and stands still in the middle of its transaction.
            let trigger = "CREATE OR REPLACE TRIGGER stop BEFORE INSERT ON ledger_entries FOR EACH ROW "
            try await first.schema.rows(trigger + "SIGNAL SQLSTATE '45000'")
            #expect(try await second.deliver(refund).string("result") == "parked")
            first.send(SIGSTOP)
            try await first.schema.rows(trigger + "DO SLEEP(3)")
            try await first.schema.rows("UPDATE jobs SET due_at = 0, attempts = 0")
            let asleep = "SELECT COUNT(*) FROM information_schema.processlist WHERE db = DATABASE() AND state = ?"
            let start = ContinuousClock.now
            while try await first.schema.number(asleep, ["User sleep"]) == 0 {
                guard start.duration(to: .now) < .seconds(30) else { throw EndToEndServer.Failure(log: second.log) }
                try await Task.sleep(for: .milliseconds(50))
            }
            second.send(SIGSTOP)
            #expect(try await first.schema.number("SELECT COUNT(*) FROM jobs WHERE attempts = 1 AND due_at > 0") == 1)
            await #expect(throws: DatabaseError.self, "the user is locked") {
                try await first.schema.rows(
                    "SELECT user_id FROM users WHERE user_id = ? FOR UPDATE NOWAIT", [.text(user)])
            }
            first.send(SIGCONT)
            // As when the lease has ended.
            try await first.schema.rows("UPDATE jobs SET due_at = 0")
            #expect(try await Self.settled(refund.notificationUUID, on: first) == ["applied"])
            #expect(try await first.status(of: user)["active"]?.flag == false)
            second.send(SIGCONT)
            #expect(try await second.status(of: user)["active"]?.flag == false)
            #expect(try await second.place(refund) == "duplicate")
            #expect(try await first.schema.number("SELECT COUNT(*) FROM ledger_entries") == 3)
            #expect(try await first.schema.number("SELECT COUNT(*) FROM jobs") == 0)
            for server in [first, second] { #expect(try await server.end() == 0) }
        }
    }
}
