import Entitlements
import Glibc
import MariaDB
import StoreSimulator
import StrictJSON
import Support
import Testing

extension EndToEnd {
    /// Two servers of different settings on one database. Each says what it would say if nothing were stored.
    @Suite struct StandingPairs {
        private static let settings =
            "SELECT a.settings FROM standing_answers a JOIN users u ON u.pseudonym = a.user_id"
        private static let hour: Int64 = 3_600_000

        /// A server for which the Sandbox counts, and one beside it for which it counts of testers alone.
        private static func open() async throws -> [EndToEndBackend] {
            let first = try await EndToEndBackend.open([
                "GATEPASS_SANDBOX_ACCESS": "everyone", "GATEPASS_DEVICES_SEAT_GRACE_HOURS": "24",
            ])
            try await first.attach(EndToEndBackend.sale("pass.30", at: now - day), to: "warm")
            // As the rows of before a change of the settings: either server makes them its own after its start.
            try await first.server.schema.rows("UPDATE standing_answers SET settings = 'before'")
            try await first.server.end()
            try await first.server.boot()
            try await Self.expect("everyone,24,24", of: "warm", first)
            let second = try await first.beside(["GATEPASS_PLANS_RENEWAL_LEEWAY_HOURS": "1"])
            try await Self.expect("testers,1,0", of: "warm", second)
            return [first, second]
        }

        /// Waits until the settings of a row are these. Throws when the database is away.
        private static func expect(_ settings: String, of user: String, _ backend: EndToEndBackend) async throws {
            var found: [[Value]] = []
            for _ in 0..<600 {
                found = try await backend.server.schema.rows(Self.settings + " WHERE u.user_id = ?", [.text(user)])
                if found == [[.text(settings)]] { return }
                try await Task.sleep(for: .milliseconds(50))
            }
            Issue.record("\(user) has \(found)")
        }

        /// The members of a status behind `at`.
        private static func substance(of status: EndToEndAnswer) -> Substring {
            status.text[(status.text.firstRange(of: #""active""#)?.lowerBound ?? status.text.startIndex)...]
        }

        /// The status now and around its ends, as stored or not, beside a fold of everything known.
        private static func expectFolded(_ user: String, _ backend: EndToEndBackend, _ place: String) async throws {
            let known = "&known_at=" + rfc3339(now + day)
            let before = now
            let told = try await backend.look("status", of: user)
            var folded: [Substring] = []
            for at in [before, now] {
                folded.append(Self.substance(of: try await backend.look("status?at=\(rfc3339(at))\(known)", of: user)))
            }
            // The answer is of an instant between these, and at most one change comes between them.
            #expect(told.status == 200 && folded.contains(Self.substance(of: told)), "\(place): \(told.text)")
            for end in Set(["expires_at_ms", "access_expires_at_ms"].compactMap { told.integer($0) }) {
                for at in [end - 1, end, end + 1] {
                    let asked = try await backend.look("status?at=\(rfc3339(at))", of: user)
                    let folded = try await backend.look("status?at=\(rfc3339(at))\(known)", of: user)
                    #expect(asked.text == folded.text, "\(place) at \(at)")
                }
            }
        }

        @Test func `a row is left for a minute to the server that wrote it, and both answer by their own settings`()
            async throws
        {
            let backends = try await Self.open()
            let (first, second) = (backends[0], backends[1])
            var pass = EndToEndBackend.sale("pass.30", at: now - day)
            pass.environment = .sandbox
            try await first.attach(pass, to: "anna")
            for _ in 0..<3 {
                #expect(try await first.look("status", of: "anna")["active"]?.flag == true)
                #expect(try await second.look("status", of: "anna")["active"]?.flag == false)
                // The answer about `ben` is written behind that about `anna`.
                try await second.attach(EndToEndBackend.sale("pass.30", at: now - day), to: "ben")
                try await second.server.schema.rows("DELETE FROM standing_answers WHERE user_id = 3")
                _ = try await second.look("status", of: "ben")
                try await Self.expect("testers,1,0", of: "ben", second)
                try await Self.expect("everyone,24,24", of: "anna", first)
            }
            // As after a minute.
            try await first.server.schema.rows("UPDATE standing_answers SET valid_from = valid_from - 60000")
            #expect(try await second.look("status", of: "anna")["active"]?.flag == false)
            try await Self.expect("testers,1,0", of: "anna", second)
            #expect(try await first.look("status", of: "anna")["active"]?.flag == true)
            for backend in backends { #expect(try await backend.server.end() == 0) }
        }

        @Test func `random acts through either, and restarts, leave both with the answers of a fold`() async throws {
            let backends = try await Self.open()
            var chance = SeededChance("two servers")
            let users = ["u1", "u2", "u3"]
            for step in 0..<TestRun.rounds(30, soak: 1_000) {
                let user = users[.random(in: 0..<users.count, using: &chance)]
                let backend = backends[.random(in: 0..<2, using: &chance)]
                let soon = now + .random(in: 500...4_000, using: &chance)
                let environment: StoreEnvironment = Bool.random(using: &chance) ? .sandbox : .production
                let kind = Int.random(in: 0..<9, using: &chance)
                switch kind {
                case 0, 1:
                    let product = ["pass.30", "basic.30", "credits.100"].randomElement(using: &chance) ?? ""
                    var sale = EndToEndBackend.sale(
                        product, at: Bool.random(using: &chance) ? soon - 30 * day : now - day)
                    sale.environment = environment
                    #expect(try await backend.attach(sale, to: user).status == 200)
                case 2, 3:
                    // The period, or the leeway of one of the servers, ends soon.
                    let end = soon - ([0, Self.hour, 24 * Self.hour].randomElement(using: &chance) ?? 0)
                    var plan = SimulatedTransaction.subscription(
                        newID(), of: "annual.3", group: newID(), bundleId: EndToEndServer.bundleID, at: end - 30 * day,
                        until: end)
                    plan.environment = environment
                    #expect(try await backend.attach(plan, to: user).status == 200)
                case 4: try await backend.grant(#""kind":"add_days","tier":"basic","days":1"#, to: user)
                case 5:
                    let method = Bool.random(using: &chance) ? "PUT" : "DELETE"
                    try await backend.act("sandbox-tester", "{}", for: user, method: method)
                case 6:
                    let device = Int.random(in: 0..<5, using: &chance)
                    try await backend.act("devices", #"{"device_id":"d\#(device)"}"#, for: user)
                case 7: try await Task.sleep(for: .milliseconds(.random(in: 0...3_000, using: &chance)))
                default:
                    try await backend.server.end(by: Bool.random(using: &chance) ? SIGKILL : SIGTERM)
                    try await backend.server.boot()
                }
                for backend in backends.shuffled(using: &chance) {
                    try await Self.expectFolded(user, backend, "step \(step) of kind \(kind)")
                }
            }
            for backend in backends {
                let check = try await backend.server.command(["audit", "verify"])
                #expect(check.status == 0, "\(check.text)")
                #expect(try await backend.server.end() == 0)
            }
        }
    }
}
