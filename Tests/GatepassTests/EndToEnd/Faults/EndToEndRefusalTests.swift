import Foundation
import Support
import Testing

extension EndToEnd {
    /// What is said when something is run wrongly, in one sentence and by its exit status.
    @Suite struct Refusals {
        private static let kek = "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8="
        private static let appleRoot = TestRun.repository + "/config/certificates/AppleRootCA-G3.cer"

        @Test func `before the first migration the doctor says one thing, and every command the same`() async throws {
            let server = try await EndToEndServer()
            let told = try await server.command(["doctor"])
            #expect(told.status == 1)
            let lines = told.text.split(separator: "\n")
            #expect(lines.filter { $0.hasPrefix("WRONG") } == ["WRONG     schema        no tables yet"], "\(told.text)")
            #expect(lines.count { $0.hasPrefix(" ") } == 1 && told.text.contains("→ run `gatepass migrate`\n"))
            #expect(lines.count { $0.hasPrefix("not done") && $0.hasSuffix("  no tables yet") } == 10, "\(told.text)")
            for words in [["user", "status", "anna"], ["staff", "list"], ["keys", "list"]] {
                let refused = try await server.command(words)
                #expect(refused.status == 1 && refused.text.split(separator: "\n").count == 1, "\(refused.text)")
                let remedy = ": 1146 (42S02); run `gatepass migrate`: a table of this release is missing\n"
                #expect(refused.text.hasPrefix("gatepass: refused at ") && refused.text.hasSuffix(remedy))
            }
        }

        @Test func `a database that is missing is named with its place and the server's words, once a command`()
            async throws
        {
            let server = try await EndToEndServer()
            let changes = ["GATEPASS_DATABASE_NAME": "there_is_none"]
            let place = server.environment["GATEPASS_DATABASE_SOCKET"] ?? ""
            let user = server.environment["GATEPASS_DATABASE_USER"] ?? ""
            let words = "there_is_none at \(place), as \(user): Unknown database 'there_is_none' (1049)"
            let remedy = "see database.name: the database must be there, and the user must have rights in it"
            let refused = try await server.command(["user", "status", "anna"], changes)
            #expect(refused.status == 1)
            #expect(refused.text == "gatepass: no connection to \(words); \(remedy)\n", "\(refused.text)")
            let told = try await server.command(["doctor"], changes)
            #expect(told.status == 1 && told.text.contains("→ \(remedy)\n"), "\(told.text)")
            #expect(told.text.contains("the database cannot be reached: \(words)\n"), "\(told.text)")
        }

        @Test func `a server says which database is away, waits for it, and says when it is back`() async throws {
            let mariaDB = try await PrivateMariaDB.start()
            defer { mariaDB.kill() }
            let server = try await EndToEndServer(database: mariaDB)
            let place = server.environment["GATEPASS_DATABASE_SOCKET"] ?? ""
            mariaDB.kill()
            try await server.launch()
            try await Self.wait(for: "waiting for the database", in: server)
            #expect(server.log.contains("no connection to the database"))
            #expect(server.log.contains(" at \(place), as ") && server.log.contains("(2002)"), "\(server.log)")
            #expect(!server.log.contains("the database is back"))
            try await blocking { try mariaDB.boot() }
            try await Self.wait(for: "the database is back", in: server)
            try await Self.wait(for: #""message":"ready""#, in: server)
            let before = server.log.split(separator: "no connection to the database").count
            mariaDB.kill()
            let start = ContinuousClock.now
            while server.log.split(separator: "no connection to the database").count == before {
                try #require(start.duration(to: .now) < .seconds(60), "\(server.log)")
                try await Task.sleep(for: .milliseconds(25))
            }
            #expect(try await server.end() == 0)
        }

        @Test func `a server that waits for its tables says so once, and serves when they are there`() async throws {
            let server = try await EndToEndServer(["GATEPASS_MIGRATIONS_ON_START": "wait"])
            try await server.launch()
            try await Self.wait(for: "waiting for the tables", in: server)
            #expect(try await server.command(["migrate"]).status == 0)
            try await Self.wait(for: #""message":"ready""#, in: server)
            #expect(server.log.split(separator: "waiting for the tables").count == 2, "\(server.log)")
            #expect(try await server.end() == 0)
        }

        @Test func `production does not start for the first time with the demo's app, and later nothing is compared`()
            async throws
        {
            let server = try await EndToEndServer([
                "GATEPASS_ENVIRONMENT": "production", "GATEPASS_TOKENS_KEY_ENCRYPTION_KEY": Self.kek,
                "GATEPASS_APPLE_TRUST_ROOTS": Self.appleRoot, "GATEPASS_MIGRATIONS_ON_START": "apply",
                "GATEPASS_DASHBOARD_ENABLED": "false",
            ])
            let file = server.directory + "/catalog.yaml"
            let own = try String(contentsOfFile: file, encoding: .utf8)
            try EndToEndServer.write(EndToEndServer.catalogue(), to: file)
            let refused = try await server.command(["serve"])
            #expect(refused.status == 1)
            let last = refused.text.split(separator: "\n").last
            let sentence =
                "gatepass: \(file): this is the demo's catalogue, which would stay on record for ever; write your "
                + "app's bundle_id, app_apple_id and products in place of those of com.airport.vpn, or name your file "
                + "with --catalog"
            #expect(last.map(String.init) == sentence, "\(refused.text)")
            #expect(try await server.schema.number("SELECT COUNT(*) FROM catalog_versions") == 0)
            try EndToEndServer.write(own, to: file)
            try await server.boot()
            #expect(try await server.end() == 0)
            try EndToEndServer.write(EndToEndServer.catalogue(), to: file)
            try await server.boot()
            #expect(try await server.end() == 0)
        }

        @Test func `a user who is not there is told with status 1 by every command that only looks`() async throws {
            let server = try await EndToEndServer.start()
            for words in [["status"], ["status", "--json"], ["timeline"], ["devices"], ["credits"], ["export"]] {
                let refused = try await server.command(["user", words[0], "nobody"] + words.dropFirst())
                #expect(refused.status == 1 && refused.text == "gatepass: there is no user nobody\n", "\(words)")
            }
            #expect(try await server.end() == 0)
        }

        @Test func `staff are listed with tabs between the fields`() async throws {
            let server = try await EndToEndServer.start()
            #expect(try await server.command(["staff", "create", #"mar\a"#, "--role", "support"]).status == 0)
            let listed = try await server.command(["staff", "list"])
            #expect(listed.text == "1\tmar\\\\a\tsupport\thas no password yet\n", "\(listed.text)")
            #expect(try await server.end() == 0)
        }

        /// Throws if the server does not write the words within a minute.
        private static func wait(for words: String, in server: EndToEndServer) async throws {
            let start = ContinuousClock.now
            while !server.log.contains(words) {
                try #require(start.duration(to: .now) < .seconds(60), "\(server.log)")
                try await Task.sleep(for: .milliseconds(25))
            }
        }
    }
}
