import AppStore
import Glibc
import NIOHTTP1
import StoreSimulator
import StrictJSON
import Support
import Testing

extension EndToEnd {
    /// Servers with keys, from the command line to the audit trail.
    @Suite struct Servers {
        private static let keys = "/api/admin/api-keys"

        /// A key made at the command line: its number and its secret. Throws when the command fails.
        private static func makeKey(
            _ scopes: String, _ server: EndToEndServer
        ) async throws -> (id: String, secret: String) {
            let made = try await server.command(["keys", "create", "--scopes", scopes, "--json", "--name", "e2e"])
            let json = JSONValue(try StrictJSON(Array(made.text.utf8)))
            let (id, secret) = (try #require(json["id"]?.string), try #require(json["key"]?.string))
            #expect(made.status == 0)
            return (id, secret)
        }

        private static func post(
            _ path: String, _ body: String?, _ secret: String, key: String, _ server: EndToEndServer
        ) async throws -> EndToEndAnswer {
            try await server.send(
                "POST", path, body.map { Array($0.utf8) },
                fields: [("Authorization", "Bearer " + secret), ("Idempotency-Key", key)])
        }

        private static func get(
            _ path: String, _ secret: String, _ server: EndToEndServer
        ) async throws -> EndToEndAnswer {
            try await server.send("GET", path, fields: [("Authorization", "Bearer " + secret)])
        }

        @Test func `a key is made, used, listed and revoked at the command line`() async throws {
            let server = try await EndToEndServer.shared
            let (id, secret) = try await Self.makeKey("read,write", server)
            #expect(try await Self.get("/api/admin/users/nobody/status", secret, server).string("state") == "none")
            #expect(try await Self.get(Self.keys, secret, server).string("code") == "forbidden")
            let list = try await server.command(["keys", "list"])
            #expect(list.text.contains("\(id)\te2e\tread,write\tvalid\tused ") && !list.text.contains(secret))
            let revoked = try await server.command(["keys", "revoke", id, "--reason", "lost"])
            #expect(revoked.status == 0 && revoked.text == "key \(id) (e2e) is revoked\n")
            try await Task.sleep(for: .milliseconds(2_100))
            let refused = try await Self.get("/api/admin/users/nobody/status", secret, server)
            let unknown = try await Self.get(
                "/api/admin/users/nobody/status", "gp_" + String(repeating: "x", count: 43), server)
            #expect(refused.status == 401 && refused.string("detail") == unknown.string("detail"))
            #expect(try await server.command(["keys", "revoke", "99999"]).status == 1)
            for scopes in ["", "root", "read,", "READ"] {
                #expect(try await server.command(["keys", "create", "--scopes", scopes]).status != 0, "\(scopes)")
            }
        }

        @Test func `an answer whose claim goes with an erased person is given, and told as no fault of the database`()
            async throws
        {
            let server = try await EndToEndServer.start()
            let secret = try await Self.makeKey("write", server).secret
            // As if a person whom the request is about were erased between the act and its answer.
            try await server.schema.rows(
                "CREATE TRIGGER erasing AFTER INSERT ON ledger_entries FOR EACH ROW DELETE FROM idempotency_keys")
            let grant = #"{"kind":"add_days","days":3,"tier":"pro","reason":"sorry","reference":"7"}"#
            var entries: [Int?] = []
            for _ in 0..<2 {
                let answer = try await Self.post("/api/admin/users/ann/grants", grant, secret, key: "one", server)
                #expect(answer.status == 201, "\(answer.text)")
                entries.append(try await server.schema.counts()["ledger_entries"])
            }
            #expect(entries[0] ?? 0 > 0 && entries[0] == entries[1], "the repeat acts again and changes nothing")
            #expect(server.log.contains("an answer is not kept: its claim was erased with a person, or taken over"))
            #expect(!server.log.contains("the database did not answer"), "\(server.log)")
            #expect(try await server.end() == 0)
        }

        @Test func `64 at once under one idempotency key make one API key, and all who are answered get it`()
            async throws
        {
            let server = try await EndToEndServer.shared
            let (_, secret) = try await Self.makeKey("admin", server)
            let body = #"{"name":"once","scopes":["read"],"reason":"a race"}"#
            let key = "race-" + EndToEnd.newID()
            let before = try await server.schema.number("SELECT COUNT(*) FROM api_keys")
            let answers = try await withThrowingTaskGroup(of: EndToEndAnswer.self) { group in
                for _ in 0..<64 {
                    group.addTask { try await Self.post(Self.keys, body, secret, key: key, server) }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(try await server.schema.number("SELECT COUNT(*) FROM api_keys") == before + 1)
            let made = answers.filter { $0.status == 201 }
            #expect(Set(made.map(\.text)).count == 1)
            #expect(made.filter { $0.headers.first(name: "Idempotency-Replayed") == nil }.count == 1)
            #expect(answers.allSatisfy { $0.status == 201 || $0.string("code") == "idempotency_in_progress" })
            let again = try await Self.post(Self.keys, body, secret, key: key, server)
            #expect(again.body == made.first?.body && again.status == 201)
            #expect(again.headers.first(name: "Idempotency-Replayed") == "true")
            let stored = try await server.schema.number(
                "SELECT COUNT(*) FROM idempotency_keys WHERE body LIKE '%gp\\_%' OR body LIKE '%once%'")
            #expect(stored == 0)
            #expect(try await Self.post(Self.keys, body + " ", secret, key: key, server).body == again.body)
            for other in [#"{"name":"twice","scopes":["read"]}"#, body.dropLast() + #","x":1}"#] {
                let reused = try await Self.post(Self.keys, other, secret, key: key, server)
                #expect(reused.status == 422 && reused.string("code") == "idempotency_key_reused")
            }
            let elsewhere = try await Self.post(Self.keys + "/1/revoke", body, secret, key: key, server)
            #expect(elsewhere.status == 422)
            let (_, other) = try await Self.makeKey("admin", server)
            let theirs = try await Self.post(Self.keys, body, other, key: key, server)
            #expect(theirs.status == 201 && theirs.body != again.body)
        }

        @Test func `what is refused is not remembered`() async throws {
            let server = try await EndToEndServer.shared
            let (id, secret) = try await Self.makeKey("admin", server)
            let key = "refused-" + EndToEnd.newID()
            #expect(try await Self.post(Self.keys + "/99999/revoke", nil, secret, key: key, server).status == 404)
            let revoked = try await Self.post(Self.keys + "/\(id)/revoke", nil, secret, key: key, server)
            #expect(revoked.status == 200 && revoked["revoked_at"]?.isNull == false)
            // It has revoked itself.
            #expect(try await Self.post(Self.keys + "/\(id)/revoke", nil, secret, key: key, server).status == 401)
        }

        @Test func `operators find a purchase and read who did what`() async throws {
            let server = try await EndToEndServer.shared
            let (id, secret) = try await Self.makeKey("admin", server)
            #expect(try await server.attach(server.sign(EndToEndServer.pass(at: now - day)), as: "other").status == 200)
            let pass = EndToEndServer.pass(at: now - day)
            #expect(try await server.attach(server.sign(pass), as: "searched").status == 200)
            let found = try await Self.get("/api/admin/search?q=" + pass.transactionId, secret, server)
            #expect(found.string("data.0.kind") == "purchase" && found.string("data.0.user_id") == "searched")
            #expect(found.string("data.1.kind") == "transaction")
            let newest = try await Self.get("/api/admin/transactions?limit=1", secret, server)
            #expect(newest.string("data.0.transaction_id") == pass.transactionId)
            let cursor = try #require(newest.string("next_cursor"))
            let next = try await Self.get("/api/admin/transactions?limit=1&cursor=\(cursor)", secret, server)
            #expect(next.string("data.0.id") != newest.string("data.0.id"))
            let audit = try await Self.get("/api/admin/audit?limit=1", secret, server)
            #expect(audit.string("data.0.action") == "api_key.create" && audit.string("data.0.details.id") == id)
            #expect(audit.string("data.0.actor") == "command_line")
            let listed = try await Self.get(Self.keys + "?limit=1", secret, server)
            #expect(listed.string("data.0.id") == id && !listed.text.contains(secret))
            #expect(!server.log.contains(secret))
        }

        @Test func `a person is shown, exported and erased, at the command line and over HTTP`() async throws {
            let server = try await EndToEndServer.shared
            let (_, secret) = try await Self.makeKey("admin", server)
            for (number, user) in ["erased-1", "erased-2"].enumerated() {
                let pass = EndToEndServer.pass(at: now - day)
                #expect(try await server.attach(server.sign(pass), as: user).status == 200)
                let shown = try await server.command(["user", "status", user, "--json"])
                #expect(shown.status == 0 && shown.text.contains(#""active":true"#))
                let facts = try await server.command(["user", "timeline", user])
                #expect(facts.text.contains("Purchase \(pass.transactionId) became the user's."))
                let export = try await server.command(["user", "export", user])
                let path = "/api/admin/users/\(user)"
                let same = try await Self.get(path + "/export", secret, server)
                #expect(export.status == 0 && export.text == same.text + "\n" && same.text.contains(pass.transactionId))
                if number == 0 {
                    let erased = try await server.command(["user", "erase", user, "--reason", "asked"])
                    #expect(erased.status == 0 && erased.text.hasPrefix("\(user) is erased"), "\(erased.text)")
                } else {
                    for _ in 1...2 {
                        let body = #"{"reason":"asked"}"#
                        let erased = try await Self.post(path + "/erase", body, secret, key: "erase-" + user, server)
                        #expect(erased.status == 204, "\(erased.text)")
                    }
                }
                #expect(try await Self.get(path + "/status", secret, server).string("state") == "none")
                #expect(try await Self.get(path + "/export", secret, server).status == 404)
                let audit = try await Self.get("/api/admin/audit?limit=1", secret, server)
                #expect(audit.string("data.0.action") == "user.erase" && audit["data.0.user_id"]?.isNull == true)
                #expect(try await server.command(["user", "erase", user, "--reason", "again"]).status == 1)
                #expect(try await server.command(["user", "export", user]).status == 1)
            }
            #expect(try await server.command(["user", "erase", "anybody"]).status != 0)
            #expect(try await server.command(["user", "status", "#1"]).status != 0)
            #expect(try await server.command(["audit", "verify"]).status == 0)
        }

        @Test func `after a restored backup a list of people is erased once more, whoever of them is there`()
            async throws
        {
            let server = try await EndToEndServer.shared
            let people = ["listed-1", "listed-2"]
            for user in people {
                #expect(
                    try await server.attach(server.sign(EndToEndServer.pass(at: now - day)), as: user).status == 200)
            }
            let file = server.directory + "/erased"
            let erase = ["user", "erase", "--from", file, "--reason", "restored a backup"]
            #expect(try await server.command(erase).status != 0, "there is no such file")
            try EndToEndServer.write("listed-1\nno body\nlisted-2\n", to: file)
            let refused = try await server.command(erase)
            #expect(refused.status != 0 && refused.text.contains("no body is no user id"), "\(refused.text)")
            for user in people { #expect(try await server.status(of: user).string("state") == "active") }
            try EndToEndServer.write("listed-1\r\nlisted-0\r\n\r\nlisted-2", to: file)
            let erased = try await server.command(erase)
            let lines = erased.text.split(whereSeparator: \.isNewline)
            #expect(erased.status == 0 && lines.count == 3, "\(erased.text)")
            let starts = [
                "listed-1 is erased; what is left stands under #", "listed-0 is unknown", "listed-2 is erased; ",
            ]
            #expect(zip(lines, starts).allSatisfy { $0.hasPrefix($1) }, "\(erased.text)")
            for user in people { #expect(try await server.status(of: user).string("state") == "none") }
            let again = try await server.command(erase)
            #expect(
                again.status == 0 && again.text == "listed-1 is unknown\nlisted-0 is unknown\nlisted-2 is unknown\n")
            for words in [["listed-1", "--from", file], []] {
                #expect(try await server.command(["user", "erase", "--reason", "r"] + words).status != 0, "\(words)")
            }
        }

        @Test func `an outage is made up for once, however often the run is killed and repeated`() async throws {
            let server = try await EndToEndServer.start()
            for user in ["had", "had-two"] {
                let pass = EndToEndServer.pass(at: now - day)
                #expect(try await server.attach(server.sign(pass), as: user).status == 200)
            }
            let second = EndToEndServer.pass(at: now - day)
            #expect(try await server.attach(server.sign(second), as: "had-two").status == 200)
            let old = EndToEndServer.pass(at: now - 400 * day)
            #expect(try await server.attach(server.sign(old), as: "ended").status == 200)
            let (_, secret) = try await Self.makeKey("write", server)
            let members =
                #""from":"\#(EndToEnd.rfc3339(now - day / 2))","to":"\#(EndToEnd.rfc3339(now - day / 4))","#
                + #""add_hours":48,"reference":"outage-1","reason":"no service""#
            let path = "/api/admin/compensations"
            let dry = try await Self.post(path + "?dry_run=1", "{\(members)}", secret, key: "dry", server)
            #expect(dry.integer("given") == 2 && dry.integer("already_given") == 0, "\(dry.text)")
            let grants = "SELECT COUNT(*) FROM purchases WHERE source = 'manual'"
            #expect(try await server.schema.number(grants) == 0)

            let part = try await Self.post(path, #"{\#(members),"limit":1}"#, secret, key: "part", server)
            #expect(part.integer("given") == 1 && part.string("next_cursor") != nil, "\(part.text)")
            try await server.end(by: SIGKILL)
            try await server.boot()
            let rest = try await Self.post(path, "{\(members)}", secret, key: "rest", server)
            #expect(rest.integer("given") == 1 && rest.integer("already_given") == 1, "\(rest.text)")
            let again = try await withThrowingTaskGroup(of: EndToEndAnswer.self) { group in
                for number in 0..<8 {
                    group.addTask { try await Self.post(path, "{\(members)}", secret, key: "k\(number)", server) }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(again.allSatisfy { $0.integer("given") == 0 && $0.integer("already_given") == 2 })
            #expect(try await server.schema.number(grants) == 2)
            let told = try await Self.get("/api/admin/users/had/timeline", secret, server)
            #expect(told.string("data.0.reference") == "outage-1" || told.string("data.1.reference") == "outage-1")
            let list = "/api/admin/ended-before-attached"
            let late = try await Self.get(list, secret, server)
            #expect(
                late.string("data.0.user_id") == "ended" && late["data.0.made_good_by"]?.isNull == true, "\(late.text)")
            let ended = #"{"external_id":"\#(old.transactionId)","reason":"asked","reference":"ticket"}"#
            let good = try await Self.post("/api/admin/users/ended/make-good", ended, secret, key: "good", server)
            #expect(good.status == 201 && good.integer("days") == 30, "\(good.text)")
            #expect(try await Self.get(list, secret, server).string("data.0.made_good_by") == good.string("id"))
        }

        @Test func `the trail verifies, and an edit of it is found`() async throws {
            let server = try await EndToEndServer()
            #expect(try await server.command(["migrate"]).status == 0)
            _ = try await Self.makeKey("read", server)
            let whole = try await server.command(["audit", "verify"])
            #expect(whole.status == 0 && whole.text.hasPrefix("1 entry is whole, the words of 0 erased\n"))
            let head = whole.text.split(separator: " ").last.map { $0.filter { $0 != "\n" } } ?? ""
            #expect(try await server.command(["audit", "verify", "--head", head]).status == 0)
            #expect(try await server.command(["audit", "verify", "--head", "1:00"]).status != 0)
            try await server.schema.rows("UPDATE audit_entries SET actor = 'nobody'")
            let edited = try await server.command(["audit", "verify"])
            #expect(edited.status == 1 && edited.text.contains("entry 1 was edited"))
        }
    }
}
