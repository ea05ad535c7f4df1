import AppStore
import Entitlements
import NIOHTTP1
import StoreSimulator
import StrictJSON
import Support
import Testing

extension EndToEnd {
    /// What operators do and read at the command line, as the API tells it.
    @Suite struct CommandLine {
        private static func said(_ words: [String], at backend: EndToEndBackend) async throws -> String {
            let answer = try await backend.server.command(words)
            #expect(answer.status == 0, "\(words): \(answer.text)")
            return answer.text
        }

        private static func refusal(_ words: [String], at backend: EndToEndBackend) async throws -> String {
            let answer = try await backend.server.command(words)
            #expect(answer.status != 0, "\(words): \(answer.text)")
            return answer.text
        }

        @Test func `a rotation and a new catalogue are told to the trail, with why, and what changes nothing is not`()
            async throws
        {
            let backend = try await EndToEndBackend.open()
            let kid = try await Self.said(["tokens", "rotate", "--reason", "a leak"], at: backend)
                .split(separator: " ").first
            _ = try await Self.said(["catalog", "apply", "--reason", "nothing new"], at: backend)
            let more = EndToEndBackend.catalogue + "\n  - {id: pass.7, kind: pass, tier: pro, duration: 7d}"
            try EndToEndServer.write(more, to: backend.server.directory + "/catalog.yaml")
            for _ in 1...2 { _ = try await Self.said(["catalog", "apply"], at: backend) }
            let told = try await backend.ask("audit")
            #expect(told.count("data") == 3, "\(told.text)")
            #expect(told.string("data.0.action") == "catalog.apply" && told["data.0.reason"]?.isNull == true)
            #expect(told.string("data.0.details.version") == "2")
            #expect(told.string("data.1.action") == "token_key.rotate" && told.string("data.1.reason") == "a leak")
            #expect(told.string("data.1.details.kid") == kid.map(String.init))
            for number in 0...1 { #expect(told.string("data.\(number).actor") == "command_line") }
            let verified = try await Self.said(["audit", "verify"], at: backend)
            #expect(verified.contains("3 entries are whole") && verified.contains("1 API keys are as"), "\(verified)")
            for words in [["tokens", "rotate"], ["catalog", "apply"], ["keys", "create", "--scopes", "read"]] {
                for reason in ["", String(repeating: "r", count: 501)] {
                    let text = try await Self.refusal(words + ["--reason", reason], at: backend)
                    #expect(text.contains("a reason has 1 to 500 characters"), "\(text)")
                }
            }
            #expect(try await backend.server.end() == 0)
        }

        @Test func `whatever SQL changes is told by audit verify, with its place, and of one user alone`() async throws
        {
            let backend = try await EndToEndBackend.open()
            try await backend.grant(#""kind":"add_days","tier":"pro","days":3"#, to: "anna")
            try await backend.attach(EndToEndBackend.sale("pass.30", at: now - day), to: "ben")
            let whole = try await Self.said(["audit", "verify"], at: backend)
            #expect(whole.contains("\n4 entries are whole in the ledgers of 2 users\n"), "\(whole)")
            let schema = backend.server.schema
            for edit in [
                "UPDATE ledger_entries SET content = REPLACE(content, '259200000', '25920000000')",
                "UPDATE apple_iap_transactions SET product_id = 'basic.30'",
                "UPDATE purchases SET app = 'com.other' WHERE source = 'apple_iap'",
                "UPDATE standings SET tier = 'basic' WHERE user_id = 1",
                "INSERT INTO api_keys (name, scopes, secret_hash, created_at) SELECT 'x', 'admin', REPEAT('x', 32), 0",
            ] { try await schema.rows(edit) }
            let found = try await Self.refusal(["audit", "verify"], at: backend)
            for line in [
                "gatepass: api key 2: no entry of the trail made it", ": entry 1 was edited or moved",
                ": the purchase of entry 1, row 2 of purchases, was edited or deleted",
                "gatepass: row 1 of apple_iap_transactions does not agree with itself",
            ] { #expect(found.contains(line), "\(found)") }
            #expect(found.contains("gatepass: anna (#") && found.contains("gatepass: ben (#"))
            let hers = try await Self.refusal(["audit", "verify", "--user", "anna"], at: backend)
            #expect(hers.contains("anna (#") && !hers.contains("ben (#"), "\(hers)")
            try await schema.rows("DELETE FROM api_keys WHERE id = 2")
            #expect(
                try await Self.refusal(["audit", "verify", "--user", "Anna"], at: backend).contains("no user Anna"))
            #expect(try await Self.refusal(["audit", "verify", "--user", "a b"], at: backend).contains("no user id"))
            #expect(try await backend.server.end() == 0)
        }

        @Test func `the status of a user says what it is made of and under which catalogue, as the API does`()
            async throws
        {
            let backend = try await EndToEndBackend.shared
            try await backend.act("sandbox-tester", "{}", for: "statususer", method: "PUT")
            let printed = try await Self.said(["user", "status", "statususer", "--json"], at: backend)
            let asked = try await backend.look("status?explain=1", of: "statususer")
            #expect(asked.string("acts.0.kind") == "sandbox_tester")
            #expect(printed.contains(#""acts":[{"kind":"sandbox_tester""#), "\(printed)")
            let version = try #require(asked.integer("explained_under.catalog_version"))
            #expect(printed.contains(#""catalog_version":\#(version)"#), "\(printed)")
        }

        @Test func `a timeline has a line for each fact with both times, whatever its words are`() async throws {
            let backend = try await EndToEndBackend.shared
            let user = "timeline" + newID()
            let days = #""kind":"add_days","tier":"pro","days":1"#
            let reason = #"one\ntwo\t\u202Ethree\u2028\u0007\\"#
            let granted = try await backend.act(
                "grants", #"{\#(days),"reason":"\#(reason)","reference":"t"}"#, for: user)
            #expect(granted.status == 201)
            try await backend.attach(EndToEndBackend.sale("pass.30", at: now - day), to: user)
            let told = try await backend.look("timeline", of: user)
            let lines = try await Self.said(["user", "timeline", user], at: backend).split(separator: "\n").map(
                String.init)
            let count = try #require(told.count("data"))
            #expect(lines.count == count)
            for (number, line) in lines.reversed().enumerated() {
                let fields = line.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
                let times = ["effective_at", "recorded_at"].map { told.string("data.\(number).\($0)") }
                #expect(
                    fields.prefix(3).map { Optional($0) } == times + [told.string("data.\(number).text")], "\(line)")
            }
            #expect(lines[0].hasSuffix(#"one\ntwo\t\u{202E}three\u{2028}\u{7}\\"# + "\tt"), "\(lines[0])")
        }

        @Test func `a grant is given at the command line as over the API`() async throws {
            let backend = try await EndToEndBackend.shared
            let user = "granted" + newID()
            let why = ["--reason", "a day lost", "--reference", "ticket 9"]
            for (gift, kind) in [
                (["--pass", "pro", "--days", "3"], "add_days"),
                (["--pass", "basic", "--until", "2199-01-01T00:00:00Z"], "until"),
                (["--credits", "5", "--unit", "credit", "--expires-at", "2199-01-01T00:00:00Z"], "credits"),
            ] {
                let printed = try await Self.said(["grant", user, "--json"] + gift + why, at: backend)
                let answer = EndToEndAnswer(status: 0, headers: [:], body: Array(printed.utf8))
                let id = try #require(answer.string("id"), "\(printed)")
                #expect(answer.string("kind") == kind && answer.integer("granted_at_ms") != nil)
                let told = try await backend.ask("audit?limit=1")
                #expect(told.string("data.0.action") == "grant.give" && told.string("data.0.actor") == "command_line")
                #expect(told.string("data.0.user_id") == user && told.string("data.0.reason") == "a day lost")
                #expect(told.string("data.0.details.grant_id") == id)
                #expect(told.string("data.0.details.reference") == "ticket 9")
                let fact = try await backend.look("timeline?limit=2", of: user)
                #expect(fact.string("data.1.external_id") == id && fact.string("data.1.actor") == "command_line")
            }
            let status = try await backend.look("status", of: user)
            #expect(status.string("tier") == "pro" && status.integer("credits.0.spendable") == 5)
        }

        @Test func `a grant that the API refuses is refused at the command line, by the option's name`() async throws {
            let backend = try await EndToEndBackend.shared
            let why = ["--reason", "r", "--reference", "t"]
            for (words, complaint) in [
                (["--pass", "gold", "--days", "1"] + why, "unknown_tier"),
                (["--pass", "pro", "--days", "99999999"] + why, "--days"),
                (["--pass", "pro", "--days", "0"] + why, "--days"), (["--pass", "pro"] + why, "--days"),
                (["--pass", "pro", "--until", "soon"] + why, "--until"),
                (["--pass", "pro", "--until", "2020-01-01T00:00:00Z"] + why, "--until"),
                (["--add-on", "pass.30"] + why, "not_an_add_on"), (["--credits", "5"] + why, "--unit"),
                (["--credits", "5", "--unit", "gold"] + why, "unknown_unit"),
                (["--pass", "pro", "--days", "1", "--add-on", "x"] + why, "one of --pass, --add-on and --credits"),
                (why, "one of --pass, --add-on and --credits"),
                (["--add-on", "x", "--days", "1"] + why, "--days"),
                (["--pass", "pro", "--days", "1", "--until", "2199-01-01T00:00:00Z"] + why, "--days"),
                (["--pass", "pro", "--days", "1", "--reason", "", "--reference", "t"], "--reason"),
                (["--pass", "pro", "--days", "1", "--reason", "r"], "--reference"),
            ] {
                let text = try await Self.refusal(["grant", "nobody"] + words, at: backend)
                #expect(text.contains(complaint), "\(words): \(text)")
            }
            #expect(try await backend.look("timeline", of: "nobody").count("data") == 0)
        }

        @Test func `two passes of one transaction are told as two`() async throws {
            let backend = try await EndToEndBackend.shared
            let user = "two" + newID()
            var sale = EndToEndBackend.sale("pass.30", at: now - day)
            sale.quantity = 2
            try await backend.attach(sale, to: user)
            let status = try await backend.look("status", of: user)
            #expect(status.integer("entitlements.0.quantity") == 2)
            #expect(try await Self.said(["user", "status", user], at: backend).contains("  2 × pass.30 (apple_iap "))
            let timeline = try await backend.look("timeline", of: user)
            #expect(timeline.text.contains(" of 2 × pass.30 was shown"), "\(timeline.text)")
        }

        @Test func `acts are previewed and done at the command line as over the API, and told in sentences`()
            async throws
        {
            let backend = try await EndToEndBackend.shared
            let (user, friend) = ("giver" + newID(), "friend" + newID())
            let sale = EndToEndBackend.sale("pass.30", at: now - day)
            try await backend.attach(sale, to: user)
            let end = EndToEnd.rfc3339(now + 29 * day).prefix(10)
            let status = try await Self.said(["user", "status", user], at: backend)
            #expect(status.hasPrefix("\(user) has tier pro, until \(end)"), "\(status)")
            #expect(status.contains("  pass.30 (apple_iap \(sale.transactionId)): running from "), "\(status)")
            let transfer = [
                "user", "transfer", user, "--purchase", sale.transactionId, "--to", friend, "--reason", "a new login",
            ]
            let preview = try await Self.said(transfer + ["--dry-run"], at: backend)
            let lines = preview.split(separator: "\n").map(String.init)
            #expect(
                lines.first == "Nothing was done. It would be: to \(friend) go over: \(sale.transactionId)",
                "\(preview)")
            #expect(
                lines[1].hasPrefix("  now:   \(friend) was never seen"))
            #expect(
                lines.contains { $0.hasPrefix("  after: \(user) has ") } && lines[2].contains("\(friend) has tier pro"))
            #expect(try await backend.look("status", of: friend)["known"]?.flag == false)
            let moved = try await Self.said(transfer, at: backend)
            #expect(moved == "to \(friend) go over: \(sale.transactionId)\n")
            #expect(try await backend.look("status", of: friend).string("tier") == "pro")
            let told = try await backend.ask("audit?limit=1")
            #expect(told.string("data.0.action") == "user.transfer" && told.string("data.0.reason") == "a new login")
            #expect(told.string("data.0.actor") == "command_line" && told.string("data.0.user_id") == user)

            let merge = ["user", "merge", user, "--from", friend, "--reason", "r", "--json"]
            #expect(try await Self.said(merge, at: backend).hasPrefix(#"{"to_user_id":"\#(user)","transferred":[{"#))
            let credits = ["user", "credits", user, "--unit", "credit", "--reason", "r", "--reference", "t"]
            for (words, answer) in [
                (credits + ["--give", "7"], "7 of credit are given\n"),
                (credits + ["--take", "3"], "3 of credit are taken; 4 are left\n"),
                (["user", "credits", user], "credit: 4 spendable\n"),
                (["user", "tester", user, "--reason", "r"], "\(user) is a sandbox tester\n"),
                (["user", "tester", user, "--reason", "r", "--off"], "\(user) is no sandbox tester\n"),
            ] { #expect(try await Self.said(words, at: backend) == answer) }
            try await backend.act("devices", #"{"device_id":"d1","name":"phone"}"#, for: user)
            let devices = ["user", "devices", user]
            #expect(try await Self.said(devices, at: backend).hasPrefix("d1\tphone\tactive\tregistered "))
            let suspended = try await Self.said(devices + ["--suspend", "d1", "--json"], at: backend)
            #expect(
                suspended.contains(#""device_id":"d1","name":"phone""#) && suspended.contains(#""state":"suspended""#))
            #expect(
                try await Self.said(devices + ["--remove", "d1"], at: backend) == "the device d1 is off the record\n")
            let revoked = try await Self.said(
                ["user", "revoke", user, "--purchase", sale.transactionId, "--reason", "r"], at: backend)
            #expect(revoked.hasPrefix("the purchase \(sale.transactionId) is taken back since "), "\(revoked)")

            for (words, complaint, exit) in [
                (["user", "revoke", user, "--purchase", "none", "--reason", "r"], "unknown_purchase: ", 1),
                (["user", "revoke", user, "--grant", "none", "--reason", "r"], "unknown_grant: ", 1),
                (credits + ["--take", "5"], "insufficient_credits: ", 1),
                (devices + ["--remove", "d9"], "unknown_device: ", 1),
                (["user", "bind", user, "--purchase", "none", "--reason", "r"], "unknown_purchase: ", 1),
                (["user", "merge", user, "--from", user, "--reason", "r"], "same_user: ", 1),
                (["user", "transfer", user, "--to", friend, "--reason", "r"], "name --purchase or --all", 64),
                (
                    ["user", "transfer", user, "--to", friend, "--reason", "r", "--all", "--source", "stripe"],
                    "beside --purchase alone", 64
                ),
                (credits, "needs --give or --take", 64),
                (credits + ["--take", "1", "--reference", ""], "a reference has 1 to 255", 64),
                (["grant", user, "--pass", "pro", "--days", "0", "--reason", "r", "--reference", "t"], "--days", 64),
                (["user", "revoke", user, "--purchase", "1"], "--reason", 64),
                (["user", "credits", user, "--give", "1"], "needs --unit, --reason and --reference", 64),
            ] {
                let answer = try await backend.server.command(words)
                #expect(answer.status == exit && answer.text.contains(complaint), "\(words): \(answer.text)")
            }
        }
    }
}
