import AppStore
import MariaDB
import StoreSimulator
import StrictJSON
import Support
import Testing

extension EndToEnd {
    /// The database dies while notifications are stored and placed (`threats.md` F1, F2, I4).
    @Suite struct InboxFaults {
        private static func ownDatabase() async throws -> PrivateMariaDB {
            var options = PrivateMariaDB.Options()
            options.skipsGrants = true
            return try await PrivateMariaDB.start(options)
        }

        /// Has all jobs done at once, and waits until no delivery is pending. Throws `EndToEndServer.Failure` when one
        /// stays so.
        private static func settle(_ server: EndToEndServer) async throws {
            try await server.schema.rows("UPDATE jobs SET due_at = 0")
            let start = ContinuousClock.now
            let pending = "SELECT COUNT(*) FROM inbox_deliveries WHERE state = 'parked' AND reason = 'pending'"
            while try await server.schema.number(pending) > 0 {
                guard start.duration(to: .now) < .seconds(60) else { throw EndToEndServer.Failure(log: server.log) }
                try await Task.sleep(for: .milliseconds(100))
            }
        }

        @Test func `a delivery that was taken and not yet placed when the database died is placed after it, once`()
            async throws
        {
            let mariaDB = try await Self.ownDatabase()
            let server = try await EndToEndServer.start(database: mariaDB)
            var pass = EndToEndServer.pass(at: now - 20 * day)
            pass.appAccountToken = try await server.accountToken(of: "anna")
            #expect(try await server.place(server.notification(.oneTimeCharge, about: pass)) == "applied")
            let entries = "SELECT COUNT(*) FROM ledger_entries"
            #expect(try await server.schema.number(entries) == 2)
            let refund = try server.notification(.refund, about: pass.refunded(at: now - day))

            // The effect waits for a table that another connection holds, while the delivery is on disk already.
            let blocker = try await Connection.open(server.schema.settings)
            try await blocker.with { (session) throws(DatabaseError) in
                try session.run(SQLStatement("block", "LOCK TABLES ledger_entries WRITE"))
            }
            let answer = try await server.deliver(refund)
            #expect(answer.status == 200 && answer.string("result") == "parked", "\(answer.text)")
            try await blocking { mariaDB.kill() }
            await blocker.close()
            // What is not acknowledged is not lost either: Apple sends it again.
            let reversal = try server.notification(.refundReversed, about: pass.reversed(at: now - 3_600_000))
            #expect(try await server.deliver(reversal).status == 503)
            try await blocking { try mariaDB.boot() }

            #expect(try await server.schema.number("SELECT COUNT(*) FROM inbox_deliveries") == 2)
            try await Self.settle(server)
            #expect(try await server.outcomes(of: refund.notificationUUID) == ["applied"])
            #expect(try await server.outcomes(of: reversal.notificationUUID) == [])
            #expect(try await server.status(of: "anna").string("entitlements.0.state") == "revoked")
            #expect(try await server.place(refund) == "duplicate")
            #expect(try await server.schema.number(entries) == 3)
            #expect(try await server.schema.number("SELECT COUNT(*) FROM jobs") == 0)
            #expect(try await server.place(reversal) == "applied")
            #expect(try await server.status(of: "anna")["active"]?.flag == true)
            #expect(try await server.schema.number(entries) == 4)
            try await EndToEnd.expectOnceEach(server.schema)
            #expect(try await server.end() == 0)
            mariaDB.kill()
        }

        /// A purchase and its refund, for a user of their own.
        private struct Sale: Sendable {
            let user: String
            let told: [SimulatedNotification]
        }

        private static func sale(_ user: String, at server: EndToEndServer) async throws -> Sale {
            var pass = EndToEndServer.pass(at: now - 2 * day)
            pass.appAccountToken = try await server.accountToken(of: user)
            let refund = try server.notification(.refund, about: pass.refunded(at: now - day))
            return Sale(user: user, told: [refund, try server.notification(.oneTimeCharge, about: pass)])
        }

        @Test func `however the database dies among deliveries, each counts once when Apple has sent the rest again`()
            async throws
        {
            let mariaDB = try await Self.ownDatabase()
            let server = try await EndToEndServer.start(database: mariaDB)
            var chance = SeededChance("kill -9 of the database among deliveries")
            let (taken, refused) = (EndToEndCounter(), EndToEndCounter())
            var all: [Sale] = []
            for round in 0..<TestRun.rounds(3, soak: 200) {
                var sales: [Sale] = []
                for number in 0..<40 { sales.append(try await Self.sale("u\(round)-\(number)", at: server)) }
                let (before, lost) = (taken.count, refused.count)
                let wanted = Int.random(in: 1...40, using: &chance)
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for sale in sales {
                        group.addTask {
                            for told in sale.told {
                                // Apple sends again what was not answered with 200.
                                while try await server.deliver(told).status != 200 {
                                    refused.add()
                                    try await Task.sleep(for: .milliseconds(50))
                                }
                                taken.add()
                            }
                        }
                    }
                    let start = ContinuousClock.now
                    while taken.count - before < wanted {
                        guard start.duration(to: .now) < .seconds(60) else {
                            throw EndToEndServer.Failure(log: server.log)
                        }
                        try await Task.sleep(for: .milliseconds(2))
                    }
                    try await blocking { mariaDB.kill() }
                    // It is away for as long as it takes to be missed.
                    while refused.count == lost, taken.count - before < 2 * sales.count {
                        try await Task.sleep(for: .milliseconds(2))
                    }
                    try await blocking { try mariaDB.boot() }
                    try await group.waitForAll()
                }
                all += sales
            }
            try await Self.settle(server)
            #expect(refused.count > 0, "else the database never died among deliveries")
            #expect(taken.count == all.count * 2)
            for sale in all {
                for told in sale.told {
                    #expect(try await server.outcomes(of: told.notificationUUID) == ["applied"], "\(sale.user)")
                }
                let status = try await server.status(of: sale.user)
                #expect(status.count("entitlements") == 1 && status["active"]?.flag == false, "\(sale.user)")
                #expect(status.string("entitlements.0.state") == "revoked", "\(sale.user): \(status.text)")
            }
            // Of each two states and who has it.
            #expect(try await server.schema.number("SELECT COUNT(*) FROM ledger_entries") == all.count * 3)
            #expect(try await server.schema.number("SELECT COUNT(*) FROM jobs") == 0)
            try await EndToEnd.expectOnceEach(server.schema)
            #expect(try await server.end() == 0)
            mariaDB.kill()
        }
    }
}
