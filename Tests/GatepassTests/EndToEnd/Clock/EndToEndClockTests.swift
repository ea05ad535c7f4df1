import StrictJSON
import Foundation
import Glibc
import NIOHTTP1
import Support
import Testing

extension EndToEnd {
    /// The clock of a development server (`api.md`, "Development").
    @Suite struct DevelopmentClocks {
        private static func clock(of installation: DevelopmentInstallation) async throws -> EndToEndAnswer {
            try await installation.send(.GET, "/dev/clock", as: "alice")
        }

        private static func advance(
            _ span: String, on installation: DevelopmentInstallation
        ) async throws -> EndToEndAnswer {
            try await installation.send(.POST, "/dev/clock", Data(#"{"advance":"\#(span)"}"#.utf8), as: "alice")
        }

        @Test func `a pass ends when the clock has gone forward, and a restart does not turn it back`() async throws {
            let installation = try await DevelopmentInstallation.open()
            defer { installation.close() }
            #expect(try await installation.simulate(["purchase", "--product", "pass.30"]).status == 0)
            #expect(try await Self.clock(of: installation).integer("ahead_ms") == 0)
            let advanced = try await installation.run(["clock", "advance", "29d23h"])
            #expect(advanced.status == 0 && advanced.text.hasPrefix("It is "), "\(advanced.text)")
            let last = "There is no way back but a new data folder, with `gatepass dev --data-dir`.\n"
            #expect(advanced.text.hasSuffix(last), "\(advanced.text)")
            let path = EndToEndServer.statusPath
            #expect(try await installation.send(.GET, path, as: "alice")["active"]?.flag == true)
            let ended = try await Self.advance("2h", on: installation)
            #expect(ended.integer("ahead_ms") == 30 * day + day / 24, "\(ended.text)")
            #expect(try await installation.send(.GET, path, as: "alice")["active"]?.flag == false)
            let again = try await installation.restarted()
            defer { again.close() }
            #expect(await again.server.says("The clock is 30d1h"), "\(again.server.log)")
            let ready = try await again.server.get("/readyz").body
            #expect(ready.contains(#"{"name":"clock","ok":true,"detail":"30d1h"#), "\(ready)")
            let after = try await Self.clock(of: again)
            #expect(after.integer("now_ms") ?? 0 >= ended.integer("now_ms") ?? .max)
            #expect(try await again.send(.GET, path, as: "alice")["active"]?.flag == false)
        }

        @Test func `the clock goes forward only, by what is a length of time, up to ten years`() async throws {
            let installation = try await DevelopmentInstallation.open()
            defer { installation.close() }
            for span in ["", "0d", "-1d", "1", "d", "1d1d", "1h2d", "1.5h", "4000d", "9999999999d", "١d"] {
                let refused = try await Self.advance(span, on: installation)
                #expect(
                    refused.status == 400 && refused.string("code") == "invalid_request", "\(span): \(refused.text)")
                #expect(refused.string("errors.0.pointer") == "#/advance")
            }
            for body in ["{}", #"{"advance":1}"#, "[]"] {
                let refused = try await installation.send(.POST, "/dev/clock", Data(body.utf8), as: "alice")
                #expect(refused.status == 400, "\(body): \(refused.text)")
            }
            #expect(try await Self.clock(of: installation).integer("ahead_ms") == 0)
            #expect(try await Self.advance("3650d", on: installation).status == 200)
            #expect(try await Self.advance("11d", on: installation).status == 400)
            let command = try await installation.run(["clock", "advance", "soon"])
            #expect(command.status == 64 && command.text.contains("soon is no length of time"), "\(command.text)")
        }

        @Test func `a server without an installation has no clock of its own`() async throws {
            let server = try await EndToEndServer.shared
            for method in ["GET", "POST"] {
                let answer = try await server.send(method, "/dev/clock", method == "GET" ? nil : Array("{}".utf8))
                #expect(answer.status == 404 && answer.string("code") == "not_found", "\(answer.text)")
            }
        }

        @Test func `plans renew and end by themselves as the clock goes forward, each when it is due`() async throws {
            let installation = try await DevelopmentInstallation.open()
            defer { installation.close() }
            for (user, words) in [("bob", ["--days", "30"]), ("eve", ["--days", "7"]), ("ann", ["--days", "45"])] {
                let bought = try await installation.simulate(
                    ["subscribe", "--user", user, "--product", "monthly.1"] + words)
                #expect(bought.status == 0, "\(bought.text)")
            }
            #expect(try await installation.simulate(["cancel", "--user", "ann"]).status == 0)
            let advanced = try await Self.advance("61d", on: installation)
            let happened = (0..<(advanced.count("happened") ?? 0)).map { index in
                let event = advanced.string("happened.\(index).event") ?? ""
                #expect(advanced.string("happened.\(index).result") == "applied", "\(advanced.text)")
                return event.split(separator: " ").prefix(2).joined(separator: " ")
            }
            #expect(happened.filter { $0 == "bob: renewed" }.count == 2)
            #expect(happened.filter { $0 == "eve: renewed" }.count == 8)
            #expect(happened.filter { $0.hasPrefix("ann") } == ["ann: ended"])
            let instants = (0..<(advanced.count("happened") ?? 0)).compactMap {
                advanced.integer("happened.\($0).at_ms")
            }
            #expect(instants == instants.sorted() && instants.count == happened.count)
            let path = "/api/billing/subscriptions/check/"
            #expect(try await installation.send(.GET, path + "bob", as: "bob").string("status") == "ACTIVE")
            #expect(try await installation.send(.GET, path + "ann", as: "ann").string("status") == "EXPIRED")
        }

        @Test func `where too much is due for one request, the clock stops on the way and says how far it is still`()
            async throws
        {
            let installation = try await DevelopmentInstallation.open()
            defer { installation.close() }
            let daily = ["subscribe", "--product", "monthly.1", "--days", "1"]
            #expect(try await installation.simulate(daily).status == 0)
            let advanced = try await Self.advance("3650d", on: installation)
            let (ahead, remaining) = (advanced.integer("ahead_ms") ?? 0, advanced.integer("remaining_ms") ?? 0)
            #expect(advanced.status == 200 && remaining > 0 && ahead > 0, "\(advanced.text.suffix(300))")
            #expect(abs(ahead + remaining - 3_650 * day) < 120_000, "\(ahead) \(remaining)")
            // Nothing goes on behind the answer, and what was done is done.
            #expect(try await Self.clock(of: installation).integer("ahead_ms") == ahead)
            let path = "/api/billing/subscriptions/check/alice"
            #expect(try await installation.send(.GET, path, as: "alice").string("status") == "ACTIVE")
        }

        @Test func `the command has the clock go as far as it was told, in as many requests as that takes`()
            async throws
        {
            let installation = try await DevelopmentInstallation.open()
            defer { installation.close() }
            let daily = ["subscribe", "--product", "monthly.1", "--days", "1"]
            #expect(try await installation.simulate(daily).status == 0)
            // Twelve renewals of two seconds each are more than one request does.
            try await installation.schema.rows(
                "CREATE TRIGGER slow BEFORE INSERT ON inbox_deliveries FOR EACH ROW DO SLEEP(2)")
            let start = try await Self.clock(of: installation).integer("now_ms") ?? 0
            let advanced = try await installation.run(["clock", "advance", "12d1h", "--json"])
            #expect(advanced.status == 0, "\(advanced.text)")
            let answers = advanced.text.split(separator: "\n").map { line in
                EndToEndAnswer(status: 200, headers: [:], body: Array(line.utf8))
            }
            let left = answers.map { $0.integer("remaining_ms") ?? -1 }
            #expect(left.count > 1 && left.last == 0 && left.dropLast().allSatisfy { $0 > 0 }, "\(advanced.text)")
            // Each goes to where the one before was to go, or less than a second further.
            let ends = answers.map { ($0.integer("now_ms") ?? 0) + ($0.integer("remaining_ms") ?? 0) }
            let end = start + 12 * day + day / 24
            #expect(ends == ends.sorted() && ends.allSatisfy { (end..<end + 60_000).contains($0) }, "\(end): \(ends)")
            let happened = answers.map { $0.count("happened") ?? 0 }.reduce(0, +)
            #expect(happened == 12, "\(advanced.text)")
            let checked = try await installation.send(.GET, "/api/billing/subscriptions/check/alice", as: "alice")
            #expect(checked.string("status") == "ACTIVE", "\(checked.text)")
        }

        @Test func `a turn that failed is done again, and so is what follows it`() async throws {
            let installation = try await DevelopmentInstallation.open()
            defer { installation.close() }
            let monthly = ["subscribe", "--product", "monthly.1", "--days", "30"]
            #expect(try await installation.simulate(monthly).status == 0)
            // The store does not find the server to tell.
            let (running, hidden) = (installation.directory + "/running", installation.directory + "/hidden")
            try FileManager.default.moveItem(atPath: running, toPath: hidden)
            let advanced = try await Self.advance("100d", on: installation)
            // The turn, and what it told.
            #expect(advanced.count("happened") == 2, "\(advanced.text)")
            for place in 0..<2 {
                #expect(advanced.string("happened.\(place).result")?.hasPrefix("failed: no server") == true)
            }
            try FileManager.default.moveItem(atPath: hidden, toPath: running)
            _ = try await Self.advance("1h", on: installation)
            let checked = try await installation.send(.GET, "/api/billing/subscriptions/check/alice", as: "alice")
            #expect(checked.string("status") == "ACTIVE", "\(checked.text)")
        }

        @Test func `what the server did not take in an outage of its database comes again an hour later, in order`()
            async throws
        {
            let installation = try await DevelopmentInstallation.open()
            defer { installation.close() }
            let production = ["--environment", "Production", "--days", "365", "--product", "monthly.1"]
            #expect(try await installation.simulate(["subscribe"] + production).status == 0)
            let database = try installation.databaseProcess()
            kill(database, SIGSTOP)
            for words in [["cancel"], ["cancel", "--undo"], ["price-increase"], ["cancel"]] {
                let told = try await installation.simulate(words)
                #expect(told.status == 0 && told.text.contains("tried again at"), "\(told.text)")
            }
            kill(database, SIGCONT)
            try await installation.requireReady()
            let early = try await Self.advance("30m", on: installation)
            #expect(early.count("happened") == 0, "\(early.text)")
            let advanced = try await Self.advance("31m", on: installation)
            let results = (0..<4).compactMap { advanced.string("happened.\($0).result") }
            #expect(results == Array(repeating: "applied", count: 4), "\(advanced.text)")
            let status = try await installation.send(.GET, EndToEndServer.statusPath, as: "alice")
            #expect(status["entitlements.0.will_renew"]?.flag == false, "\(status.text)")
            #expect(status.string("entitlements.0.price_consent") == "pending")
            #expect(try await Self.advance("80d", on: installation).count("happened") == 0)
        }
    }
}
