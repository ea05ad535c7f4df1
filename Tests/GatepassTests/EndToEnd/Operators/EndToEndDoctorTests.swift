import Foundation
import StoreSimulator
import StrictJSON
import Support
import Testing

extension EndToEnd {
    /// `gatepass doctor` beside a server: what is wrong changes its own line and the exit status, and no other line.
    @Suite struct Doctor {
        /// What it found: the results by the names of the checks, and what was printed.
        struct Report {
            let status: Int
            let results: [String: String]
            let text: String

            /// Throws when what was printed on both streams is not a report and nothing else.
            init(_ status: Int, _ text: String) throws {
                (self.status, self.text) = (status, text)
                let checks = JSONValue(try StrictJSON(Array(text.utf8)))["checks"]?.elements ?? []
                results = Dictionary(
                    checks.map { ($0["check"]?.string ?? "", $0["result"]?.string ?? "") }, uniquingKeysWith: { $1 })
            }

            /// The checks that are not ok.
            var notOK: [String: String] { results.filter { $0.value != "ok" } }
        }

        /// A server on a database of its own, and what it is started with.
        struct Patient {
            let mariaDB: PrivateMariaDB
            let server: EndToEndServer

            /// Throws when either does not start.
            init() async throws {
                let mariaDB = try await PrivateMariaDB.start()
                self.mariaDB = mariaDB
                server = try await EndToEndServer.start(database: mariaDB)
                let sale = EndToEndBackend.sale("com.airport.vpn.pass.30d", at: EndToEnd.now)
                #expect(try await server.attach(try server.sign(sale), as: "anna").status == 200)
            }

            /// Throws when there is no report.
            func examine(_ changes: [String: String] = [:]) async throws -> Report {
                let said = try await server.command(["doctor", "--json"], changes)
                return try Report(Int(said.status), said.text)
            }

            /// Examines it after `edit`, and again after `undo`. Throws when either fails.
            func examine(after edit: String, undo: String) async throws -> Report {
                try await server.schema.rows(edit)
                let report = try await examine()
                try await server.schema.rows(undo)
                let healed = try await examine()
                #expect(healed.status == 0 && healed.notOK == [:], "\(undo): \(healed.text)")
                return report
            }

            func close() async throws {
                #expect(try await server.end() == 0)
                mariaDB.kill()
            }
        }

        @Test func `a development installation is healthy, and looking at it changes nothing`() async throws {
            let installation = try await DevelopmentInstallation.open()
            defer { installation.close() }
            _ = try await installation.simulate(["purchase", "--user", "anna"])
            _ = try await installation.simulate(["subscribe", "--user", "ben"])
            _ = try await installation.run(["user", "status", "anna"])
            // The server plans its first reading of Apple's notifications within seconds of its start.
            let start = ContinuousClock.now
            while try await installation.schema.number("SELECT COUNT(*) FROM notification_reads") == 0 {
                try #require(start.duration(to: .now) < .seconds(60), "\(installation.server.log)")
                try await Task.sleep(for: .milliseconds(100))
            }
            let before = try await installation.schema.dump()
            let migrations = try await installation.schema.dump("schema_migrations")
            let said = try await installation.run(["doctor"])
            #expect(said.status == 0, "\(said.text)")
            let lines = said.text.split(separator: "\n").map(String.init)
            #expect(lines.last == "All 18 checks are ok." && lines.count == 19)
            #expect(lines.dropLast().allSatisfy { $0.hasPrefix("ok ") }, "\(said.text)")
            let told = try await installation.run(["doctor", "--json"])
            let report = try Report(told.status, told.text)
            #expect(report.status == 0 && report.notOK == [:] && report.results.count == 18)
            #expect(report.text.contains(#""ok" : true"#))
            let after = try await installation.schema.dump()
            let changed = after.keys.filter { after[$0] != before[$0] }
            #expect(changed == [], "\(changed.map { [before[$0], after[$0]] })")
            #expect(try await installation.schema.dump("schema_migrations") == migrations)
        }

        @Test func `a product that the catalogue lacks is named and counted, and matters once somebody paid for it`()
            async throws
        {
            let installation = try await DevelopmentInstallation.open()
            defer { installation.close() }
            for (environment, result, status) in [("Sandbox", "warning", 2), ("Production", "wrong", 1)] {
                for user in ["anna", "ben"] {
                    let words = ["--user", user, "--product", "pass.7", "--environment", environment]
                    #expect(try await installation.simulate(["purchase"] + words).status == 0)
                }
                let said = try await installation.run(["doctor", "--json"])
                let report = try Report(said.status, said.text)
                #expect(report.notOK == ["products": result] && report.status == status, "\(said.text)")
                #expect(said.text.contains("pass.7 of com.airport.vpn (apple_iap, 2 purchases in \(environment))"))
            }
            let card = ["stripe", "checkout", "--user", "carl", "--product", "annual.3", "--environment", "Production"]
            #expect(try await installation.simulate(card).status == 0)
            let file = installation.directory + "/catalog.yaml"
            let known = try String(contentsOfFile: file, encoding: .utf8)
            try EndToEndServer.write(known + "\n  - {id: pass.7, kind: pass, tier: pro, duration: 7d}\n", to: file)
            #expect(try await installation.run(["catalog", "apply"]).status == 0)
            let healed = try await installation.run(["doctor"])
            #expect(healed.status == 0, "\(healed.text)")
        }

        @Test func `each fault in the database is told in its own line, and in the exit status`() async throws {
            let patient = try await Patient()
            let delivery = """
                INSERT INTO inbox_deliveries (source, app, environment, external_id, content_hash, type, signed_at,
                    received_at, state, reason) VALUES ('apple_iap', 'a', 'Production', 'x', 'x', 'T', 0, 0,
                """
            let forget = "DELETE FROM inbox_deliveries"
            let newest = try await patient.server.schema.number("SELECT MAX(number) FROM schema_migrations")
            let step = "schema_migrations SET is_done"
            let strange = "INSERT INTO schema_migrations (number, name, checksum, is_done) VALUES"
            for (edit, undo, check, result, words) in [
                (
                    "INSERT INTO jobs (kind, subject, due_at, created_at, died_at) VALUES ('delivery', 999, 0, 0, 1)",
                    "DELETE FROM jobs", "jobs", "wrong", "1 of kind delivery"
                ),
                (delivery + "'parked', 'no_user')", forget, "deliveries", "warning", "1 no_user of apple_iap"),
                (delivery + "'quarantined', 'failed')", forget, "deliveries", "wrong", "1 given up"),
                (
                    "UPDATE \(step) = 0 WHERE number = \(newest)", "UPDATE \(step) = 1", "schema", "wrong",
                    "not applied: \(newest)"
                ),
                (
                    "\(strange) (\(newest + 1), 'x', 'x', 1)", "DELETE FROM schema_migrations WHERE name = 'x'",
                    "schema", "warning", "does not know: \(newest + 1)"
                ),
                (
                    "\(strange) (100, 'x', 'x', 1)", "DELETE FROM schema_migrations WHERE name = 'x'", "schema",
                    "wrong", "does not know: 100"
                ),
                (
                    "UPDATE schema_migrations SET checksum = REVERSE(checksum) WHERE number = 3",
                    "UPDATE schema_migrations SET checksum = REVERSE(checksum) WHERE number = 3", "schema", "wrong",
                    "edited after they were applied here: 3"
                ),
                (
                    "SET GLOBAL innodb_flush_log_at_trx_commit = 2", "SET GLOBAL innodb_flush_log_at_trx_commit = 1",
                    "durability", "wrong", "innodb_flush_log_at_trx_commit is not 1"
                ),
                (
                    "SET GLOBAL read_only = 1", "SET GLOBAL read_only = 0", "database", "wrong", "takes no writes"
                ),
                (
                    "UPDATE installation_keys SET sealed_key = REVERSE(sealed_key)",
                    "UPDATE installation_keys SET sealed_key = REVERSE(sealed_key)", "sealed_keys", "wrong",
                    "the pseudonym key in the database cannot be opened"
                ),
            ] {
                let report = try await patient.examine(after: edit, undo: undo)
                #expect(report.notOK == [check: result], "\(edit): \(report.text)")
                #expect(report.status == (result == "warning" ? 2 : 1) && report.text.contains(words), "\(report.text)")
            }
            try await patient.close()
        }

        @Test func `a clock beside Apple's is told, and tokens are dated so that one that is a minute ahead does`()
            async throws
        {
            let patient = try await Patient()
            for (ahead, status, result, words) in [
                (0, 404, "ok", "the clocks agree"), (30, 404, "warning", "ahead of Apple's"),
                (120, 401, "wrong", "because this machine's clock is"),
                (-600, 401, "wrong", "because this machine's clock is"),
                (0, 401, "wrong", "does not accept the key TEST"),
            ] {
                let apple = try EndToEndApple { _ in
                    .init(
                        status, #"{"errorCode":4040010}"#,
                        fields: ["Date": Self.written(Date(timeIntervalSinceNow: -Double(ahead)))])
                }
                defer { apple.close() }
                let report = try await patient.examine(apple.settings)
                #expect(report.results["apple_key"] == result && report.text.contains(words), "\(report.text)")
                let token = try #require(try apple.requests.first.flatMap { try Self.claims(of: $0) })
                let age = Date().timeIntervalSince(Date(timeIntervalSince1970: token.iat))
                #expect(age >= 60 && token.exp - token.iat <= 3_600 && token.exp > token.iat + 60)
            }
            try await patient.close()
        }

        private struct Claims: Decodable {
            let iat: Double
            let exp: Double
        }

        /// The claims of the token in a request, if there is one.
        private static func claims(of request: StoreReceiver.Request) throws -> Claims? {
            let field = request.header.split(separator: "\r\n").first { $0.lowercased().hasPrefix("authorization:") }
            guard let part = field?.split(separator: ".").dropFirst().first.map({ String($0) }) else { return nil }
            let padding = String(repeating: "=", count: (4 - part.count % 4) % 4)
            let padded = part.replacing("-", with: "+").replacing("_", with: "/") + padding
            return try Data(base64Encoded: padded).map { try JSONDecoder().decode(Claims.self, from: $0) }
        }

        private static func written(_ date: Date) -> String {
            let format = DateFormatter()
            format.locale = Locale(identifier: "en_US_POSIX")
            format.timeZone = TimeZone(identifier: "GMT")
            format.dateFormat = "EEE, dd MMM yyyy HH:mm:ss 'GMT'"
            return format.string(from: date)
        }

        @Test
        func `each fault in the settings is told in its own line, and the database's absence by all that need it`()
            async throws
        {
            let patient = try await Patient()
            let login = try JWKSLogin()
            login.publish(["a", "b"])
            let healthy = try await patient.examine(login.settings)
            #expect(healthy.status == 0 && healthy.text.contains("2 keys from http:"), "\(healthy.text)")
            let otherRoot = patient.server.directory + "/other.pem"
            try EndToEndServer.write(try HostileVectors.authority().kept.root, to: otherRoot)
            let nowhere = "http://127.0.0.1:\(PrivateMariaDB.freePort())/keys"
            let otherKey = "MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY="
            for (changes, check, words) in [
                (["GATEPASS_TOKENS_KEY_ENCRYPTION_KEY": otherKey], "sealed_keys", "cannot be opened"),
                (
                    login.settings.merging(["GATEPASS_AUTH_JWKS_URL": nowhere]) { $1 }, "login",
                    "cannot be fetched from"
                ),
                (["GATEPASS_APPLE_TRUST_ROOTS": otherRoot], "signed_texts", "ends at none of the roots"),
            ] {
                let report = try await patient.examine(changes)
                #expect(report.status == 1 && report.notOK == [check: "wrong"], "\(report.text)")
                #expect(report.text.contains(words), "\(report.text)")
            }
            login.publish([])
            let empty = try await patient.examine(login.settings)
            #expect(empty.notOK == ["login": "wrong"], "\(empty.text)")
            login.publish(["a"], at: .half)
            let stalled = try await patient.examine(login.settings)
            #expect(stalled.notOK == ["login": "wrong"], "\(stalled.text)")
            login.stop()

            #expect(try await patient.server.end() == 0)
            for isFrozen in [true, false] {
                if isFrozen { patient.mariaDB.freeze() } else { patient.mariaDB.kill() }
                let away = try await patient.examine()
                #expect(away.status == 1 && away.results["database"] == "wrong", "\(away.text)")
                let others = ["settings", "trust_roots", "login"]
                #expect(Set(away.results.filter { $0.value == "ok" }.keys) == Set(others), "\(away.text)")
                #expect(away.results.count { $0.value == "not_done" } == 14, "\(away.text)")
                if isFrozen { patient.mariaDB.thaw() }
            }
        }
    }
}
