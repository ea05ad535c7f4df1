import Glibc
import MariaDB
import StoreSimulator
import Support
import Testing

extension EndToEnd {
    /// Standings that a server makes anew by itself, though nobody asks.
    @Suite struct Standings {
        /// Waits until the list of users has `text`. Throws when no whole answer came.
        private static func expect(_ text: String, in backend: EndToEndBackend) async throws {
            var listed = ""
            for _ in 0..<300 {
                listed = try await backend.ask("users?order=end").text
                if listed.contains(text) { return }
                try await Task.sleep(for: .milliseconds(100))
            }
            Issue.record("\(text) is missing in \(listed)")
        }

        @Test func `who has no access any more is listed so, and a start makes what is missing`() async throws {
            let backend = try await EndToEndBackend.open()
            let server = backend.server
            let end = now + 4_000
            try await backend.attach(EndToEndBackend.sale("pass.30", at: end - 30 * day), to: "anna")
            #expect(try await backend.ask("users").text.contains(#""user_id":"anna","state":"active""#))
            try await Self.expect(#""user_id":"anna","state":"expired""#, in: backend)
            #expect(try await backend.ask("users").text.contains(#""overdue":0"#))
            for table in ["standings", "standing_answers"] { try await server.schema.rows("DELETE FROM \(table)") }
            try await backend.attach(EndToEndBackend.sale("pass.30", at: now - day), to: "ben")
            try await server.schema.rows("UPDATE standings SET state = 'free'")
            try await server.schema.rows("UPDATE standing_answers SET settings = 'those of before'")
            try await server.end(by: SIGKILL)
            try await server.boot()
            try await Self.expect(#""user_id":"anna","state":"expired""#, in: backend)
            try await Self.expect(#""user_id":"ben","state":"active""#, in: backend)
            #expect(try await server.end() == 0)
        }

        @Test func `who paid by card is listed under that source`() async throws {
            let backend = try await EndToEndBackend.open(["GATEPASS_STRIPE_SIGNING_SECRETS": EndToEndServer.cardSecret])
            try await backend.attach(EndToEndBackend.sale("pass.30", at: now - day), to: "apple")
            #expect(try await backend.ask("users?source=stripe").count("data") == 0)
            let paid = Cards.pass(Cards.account(), "card", at: Cards.ago(1))
            #expect(try await backend.server.place(paid) == "applied")
            let listed = try await backend.ask("users?source=stripe")
            #expect(listed.count("data") == 1 && listed.string("data.0.user_id") == "card", "\(listed.text)")
            #expect(listed.string("data.0.state") == "active" && listed.string("data.0.product_id") == "pass.30")
            let status = try await backend.look("status", of: "card")
            #expect(status.integer("expires_at_ms") == listed.integer("data.0.expires_at_ms"))
            let apple = try await backend.ask("users?source=apple_iap")
            #expect(apple.count("data") == 1 && apple.string("data.0.user_id") == "apple", "\(apple.text)")
            #expect(try await backend.server.end() == 0)
        }

        /// The value of a sample on the metrics page; nil when it is not there.
        private static func value(_ sample: String, _ token: String, _ server: EndToEndServer) async throws -> Double? {
            let page = try await server.send("GET", "/metrics", fields: [("Authorization", "Bearer " + token)])
            return page.text.split(separator: "\n").first { $0.hasPrefix(sample + " ") }
                .flatMap { Double($0.dropFirst(sample.count + 1)) }
        }

        private static let ended = #"gatepass_standings_overdue{why="ended"}"#
        private static let outdated = #"gatepass_standings_overdue{why="outdated"}"#

        @Test func `the metrics and the list count overdue standings, each kind up to 10,000`() async throws {
            let token = "metrics-token-0123456789"
            let backend = try await EndToEndBackend.open(["GATEPASS_HTTP_METRICS_TOKEN": token])
            let server = backend.server
            try await backend.attach(EndToEndBackend.sale("pass.30", at: now - day), to: "anna")
            for sample in [Self.ended, Self.outdated, "gatepass_standings_overdue_seconds"] {
                #expect(try await Self.value(sample, token, server) == 0, "\(sample)")
            }
            // Nobody has these pseudonyms, so the upkeep finds nobody to make them anew for.
            let start = ContinuousClock.now
            let first = now - 90_000
            func add(_ users: ClosedRange<Int>, basis: String, until: Int64) async throws {
                try await server.schema.rows(
                    """
                    INSERT INTO standing_answers
                        (user_id, ledger_length, basis, settings, valid_from, valid_until, entity_tag)
                    SELECT seq, 1, (SELECT basis FROM standing_answers WHERE user_id = 1) + \(basis), '', 0, ?, ''
                    FROM seq_\(users.lowerBound)_to_\(users.upperBound)
                    """, [.int64(until)])
            }
            try await add(100_001...109_999, basis: "0", until: first)
            try await add(200_001...200_007, basis: "-1", until: now + day)
            #expect(try await Self.value(Self.ended, token, server) == 9_999)
            #expect(try await Self.value(Self.outdated, token, server) == 7)
            #expect(try await backend.ask("users").integer("overdue") == 10_006)
            let late = try #require(try await Self.value("gatepass_standings_overdue_seconds", token, server))
            #expect((90...90 + start.duration(to: .now) / .seconds(1)).contains(late), "\(late) s")
            try await add(110_000...110_005, basis: "0", until: first + 1)
            #expect(try await Self.value(Self.ended, token, server) == 10_000)
            #expect(try await Self.value(Self.outdated, token, server) == 7)
            #expect(try await backend.ask("users").integer("overdue") == 10_007, "6 more of them are not counted")
            #expect(try await server.end() == 0)
        }

        @Test func `the log says why standings are not made anew, and whose ledger cannot be read, by pseudonym`()
            async throws
        {
            let backend = try await EndToEndBackend.open()
            let server = backend.server
            for user in ["anna", "ben"] {
                try await backend.attach(EndToEndBackend.sale("pass.30", at: now - 30 * day + 5_000), to: user)
            }
            try await server.schema.rows("UPDATE ledger_entries SET content = '[]' WHERE user_id = 2 AND seq = 1")
            try await server.schema.rows(
                """
                CREATE TRIGGER stop BEFORE UPDATE ON standings FOR EACH ROW
                SIGNAL SQLSTATE '45000' SET MYSQL_ERRNO = 1644
                """)
            let why = "standings are not made anew"
            var line: Substring?
            for _ in 0..<300 {
                line = server.log.split(separator: "\n").first { $0.contains(why) }
                if line != nil { break }
                try await Task.sleep(for: .milliseconds(100))
            }
            let told = try #require(line)
            #expect(told.contains("write standing") && told.contains("1644"), "\(told)")
            #expect(try await backend.look("status", of: "anna").string("state") == "expired", "a status is folded")
            #expect(try await backend.ask("users").integer("overdue") == 2)
            try await server.schema.rows("DROP TRIGGER stop")
            try await Self.expect(#""user_id":"anna","state":"expired""#, in: backend)
            // The line is written after the commit.
            var lost: [Substring] = []
            for _ in 0..<3_000 where lost.isEmpty {
                lost = server.log.split(separator: "\n").filter { $0.contains("the ledger cannot be read") }
                try await Task.sleep(for: .milliseconds(20))
            }
            #expect(lost.count == 1 && lost[0].contains(##""user":"#2""##) && !lost[0].contains("ben"), "\(lost)")
            #expect(try await backend.ask("users").count("data") == 1)
            #expect(try await server.end() == 0)
        }

        @Test func `killed while it makes standings anew, a server answers by the newest catalogue`() async throws {
            let backend = try await EndToEndBackend.open()
            let server = backend.server
            let (rounds, users, bought) = (TestRun.rounds(5, soak: 50), (0..<40).map { "u\($0)" }, now - day)
            for user in users {
                for round in 0..<rounds {
                    try await backend.attach(EndToEndBackend.sale("pass.\(round).week", at: bought), to: user)
                }
            }
            var chance = SeededChance("killed while making standings")
            let tier = "  - {id: vast, rank: 3000000000, devices: 5}\n"
            var catalogue = EndToEndBackend.catalogue.replacing("  - {id: ebb, lane", with: tier + "  - {id: ebb, lane")
            for round in 0..<rounds {
                catalogue += "\n  - {id: pass.\(round).week, kind: pass, tier: vast, duration: 7d}"
                try EndToEndServer.write(catalogue, to: server.directory + "/catalog.yaml")
                #expect(try await server.command(["catalog", "apply"]).status == 0)
                try await Task.sleep(for: .milliseconds(.random(in: 0...400, using: &chance)))
                try await server.end(by: SIGKILL)
                try await server.boot()
                for user in users.shuffled(using: &chance).prefix(5) {
                    let status = try await backend.look("status", of: user)
                    #expect(status.integer("expires_at_ms") == bought + Int64(round + 1) * 7 * day, "\(status.text)")
                }
            }
            #expect(try await server.command(["catalog", "apply", "--wait"]).status == 0)
            #expect(try await backend.ask("users").text.contains(#""overdue":0"#))
            let check = try await server.command(["audit", "verify"])
            #expect(check.status == 0, "\(check.text)")
            #expect(try await server.end() == 0)
        }
    }
}
