import AppStore
import Entitlements
import NIOHTTP1
import StoreSimulator
import StrictJSON
import Support
import Testing

extension EndToEnd {
    /// What operators find at the command line: names, jobs and what was done, as the API has it.
    @Suite struct Finding {
        private static func said(_ words: [String], at backend: EndToEndBackend) async throws -> String {
            let answer = try await backend.server.command(words)
            #expect(answer.status == 0, "\(words): \(answer.text)")
            return answer.text
        }

        @Test func `a search says what a text is and whose, as the API does, and of an e-mail that none is kept`()
            async throws
        {
            let backend = try await EndToEndBackend.shared
            let user = "finder_" + newID()
            let sale = EndToEndBackend.sale("pass.30", at: now - day)
            try await backend.attach(sale, to: user)
            let told = try backend.server.notification(.oneTimeCharge, about: sale)
            _ = try await backend.server.place(told)
            #expect(try await Self.said(["search", String(user.dropLast(3))], at: backend) == "user\t\(user)\n")
            let place = "apple_iap Production"
            let lines = try await Self.said(["search", sale.transactionId], at: backend).split(separator: "\n")
            #expect(
                lines.prefix(2) == [
                    "purchase\t\(place)\t\(sale.transactionId)\tof \(user)",
                    "transaction\t\(place)\t\(sale.transactionId)\tof purchase \(sale.transactionId)\tof \(user)",
                ], "\(lines)")
            #expect(lines.last?.hasPrefix("delivery\t\(place)\t") == true && lines.count == 3, "\(lines)")
            for text in [user, sale.transactionId, told.notificationUUID.uppercased()] {
                let printed = try await Self.said(["search", text, "--json"], at: backend)
                let asked = try await backend.ask("search?limit=100&q=" + text)
                #expect(printed == asked.text + "\n" && asked.count("data") != 0)
            }
            #expect(try await Self.said(["search", "nothing_here"], at: backend) == "nothing has this name\n")
            #expect(
                try await Self.said(["search", "zoe@example.com"], at: backend)
                    == "nothing has this name\n"
                    + "Gatepass stores no e-mail addresses: search for the user id, or for a number\n")
            for text in ["", String(repeating: "a", count: 256)] {
                let refused = try await backend.server.command(["search", text])
                #expect(refused.status == 64 && refused.text.contains("a text has 1 to 255"), "\(refused.text)")
            }
        }

        @Test func `a dead job is listed, previewed, revived and done by the server, and told in the trail`()
            async throws
        {
            let backend = try await EndToEndBackend.open()
            let sale = EndToEndBackend.sale("pass.30", at: now - day)
            let told = try backend.server.notification(.oneTimeCharge, about: sale)
            #expect(try await backend.server.place(told) == "parked no_user")
            let schema = backend.server.schema
            try await schema.rows(
                """
                INSERT INTO jobs (kind, subject, due_at, attempts, created_at, died_at)
                SELECT 'delivery', id, 0, 8, received_at, received_at FROM inbox_deliveries
                """)
            let job = try await schema.number("SELECT id FROM jobs")
            let listed = try await Self.said(["jobs", "list"], at: backend)
            #expect(listed.hasPrefix("\(job)\tdead\tdelivery 1\tapple_iap ONE_TIME_CHARGE "), "\(listed)")
            #expect(listed.contains("\t8 tries\tsince ") && listed.contains("\tgiven up "), "\(listed)")
            #expect(try await Self.said(["jobs", "list", "--state", "waiting"], at: backend) == "")
            let asked = try await backend.ask("jobs")
            let json = try await Self.said(["jobs", "list", "--json"], at: backend)
            #expect(asked.text.contains(json.dropLast()), "\(json)")
            let revive = ["jobs", "revive", "\(job)", "--reason", "mended"]
            #expect(
                try await Self.said(revive + ["--dry-run"], at: backend)
                    == "The job \(job) would be tried again at once, with its tries counted from 0.\n")
            #expect(try await schema.number("SELECT COUNT(*) FROM jobs WHERE died_at IS NOT NULL") == 1)
            #expect(try await Self.said(revive, at: backend) == "job \(job) is waiting, after 0 tries\n")
            try await schema.waitForJobs()
            #expect(try await schema.number("SELECT COUNT(*) FROM jobs") == 0)
            let trail = try await Self.said(["audit", "list", "--action", "job.revive"], at: backend)
            #expect(trail.split(separator: "\t").dropFirst(2).prefix(2) == ["command_line", "job.revive"], "\(trail)")
            #expect(trail.hasSuffix("\tmended\n"), "\(trail)")
            for (words, complaint, exit) in [
                (["jobs", "revive", "99"], "there is no job 99", 1), (["jobs", "revive", "x"], "'x'", 64),
                (["jobs", "revive", "99", "--dry-run"], "there is no job 99", 1),
                (["jobs", "list", "--state", "all"], "'all'", 64),
                (["jobs", "list", "--limit", "0"], "a limit is from 1 to 1000", 64),
            ] as [([String], String, Int32)] {
                let answer = try await backend.server.command(words)
                #expect(answer.status == exit && answer.text.contains(complaint), "\(words): \(answer.text)")
            }
            #expect(try await backend.server.end() == 0)
        }

        @Test func `the trail is listed by person, actor, act and time, as over the API`() async throws {
            let backend = try await EndToEndBackend.shared
            let (user, friend) = ("audited" + newID(), "friend" + newID())
            try await backend.grant(#""kind":"add_days","tier":"pro","days":3"#, to: user)
            try await backend.act("transfer", #"{"all":true,"to_user_id":"\#(friend)","reason":"moved"}"#, for: user)
            let lines = try await Self.said(["audit", "list", "--user", user], at: backend).split(separator: "\n")
                .map { $0.split(separator: "\t").map(String.init) }
            #expect(lines.map { $0[3] } == ["user.transfer", "grant.give"], "\(lines)")
            #expect(lines[0][4] == "to \(user)" && lines[0].last == "moved", "\(lines)")
            let json = try await Self.said(["audit", "list", "--user", friend, "--json"], at: backend)
            let asked = try await backend.ask("audit?user_id=" + friend)
            #expect(asked.text == #"{"data":[\#(json.dropLast())],"next_cursor":null}"#, "\(json)")
            #expect(try await Self.said(["audit", "list", "--user", user, "--action", "x"], at: backend) == "")
            let given = ["audit", "list", "--user", user, "--action", "grant.give", "--limit", "1"]
            #expect(try await Self.said(given, at: backend).split(separator: "\n").count == 1)
            #expect(
                try await Self.said(given + ["--until", "2020-01-01T00:00:00Z"], at: backend) == "")
            for (words, complaint) in [
                (["--user", "a b"], "a b is no user id"), (["--since", "today"], "--since today is no instant"),
                (
                    ["--since", "2026-01-02T00:00:00Z", "--until", "2026-01-01T00:00:00Z"],
                    "--until is later than --since"
                ),
                (["--limit", "1001"], "a limit is from 1 to 1000"),
            ] {
                let answer = try await backend.server.command(["audit", "list"] + words)
                #expect(answer.status == 64 && answer.text.contains(complaint), "\(words): \(answer.text)")
            }
        }

        @Test func `a late pass is made good once, and lists of credits and devices are the API's documents`()
            async throws
        {
            let backend = try await EndToEndBackend.shared
            let user = "late" + newID()
            let sale = EndToEndBackend.sale("pass.30", at: now - 90 * day)
            try await backend.attach(sale, to: user)
            let words = ["user", "make-good", user, "--purchase", sale.transactionId, "--reason", "r"]
            let good = words + ["--reference", "t"]
            let preview = try await Self.said(good + ["--dry-run"], at: backend)
            let sentence = "the pass \(sale.transactionId) is given again, as the grant "
            #expect(preview.hasPrefix("Nothing was done. It would be: " + sentence), "\(preview)")
            #expect(preview.contains("  after: \(user) has tier pro, until "), "\(preview)")
            #expect(try await backend.look("status", of: user)["active"]?.flag == false)
            #expect(try await Self.said(good, at: backend).hasPrefix(sentence))
            #expect(try await backend.look("status", of: user).string("tier") == "pro")
            let again = try await Self.said(good + ["--json"], at: backend)
            #expect(again.hasPrefix(#"{"id":""#) && again.contains(#""days":30"#), "\(again)")
            #expect(try await backend.look("status", of: user).count("entitlements") == 2)
            for (words, complaint, exit) in [
                (words, "--reference", 64), (words + ["--reference", ""], "a reference has 1 to 255", 64),
                (
                    ["user", "make-good", user, "--reason", "r", "--reference", "t"], "name the pass with --purchase",
                    64
                ),
                (
                    ["user", "make-good", user, "--purchase", "none", "--reason", "r", "--reference", "t"],
                    "unknown_purchase: ", 1
                ),
            ] as [([String], String, Int32)] {
                let answer = try await backend.server.command(words)
                #expect(answer.status == exit && answer.text.contains(complaint), "\(words): \(answer.text)")
            }

            try await backend.attach(EndToEndBackend.sale("credits.100", at: now - day), to: user)
            for device in ["d1", "d2"] { try await backend.act("devices", #"{"device_id":"\#(device)"}"#, for: user) }
            for list in ["credits", "devices"] {
                let printed = try await Self.said(["user", list, user, "--json"], at: backend)
                #expect(try await backend.look(list, of: user).text + "\n" == printed, "\(printed)")
            }
        }

        @Test func `a rotation of keys is previewed and makes no key`() async throws {
            let backend = try await EndToEndBackend.open()
            let rotate = ["tokens", "rotate"]
            let kid = try await Self.said(rotate + ["--json"], at: backend).split(separator: "\"")[3]
            let keys = try await backend.server.schema.dump("signing_keys")
            let preview = try await Self.said(rotate + ["--dry-run"], at: backend)
            #expect(preview.contains("A new key would sign from now on; \(kid), which signs now"), "\(preview)")
            let json = try await Self.said(rotate + ["--dry-run", "--json"], at: backend)
            #expect(json.hasPrefix(#"{"preview":{"would":"A new key"#), "\(json)")
            #expect(try await backend.server.schema.dump("signing_keys") == keys)
            #expect(try await backend.ask("audit?action=token_key.rotate").count("data") == 1)
            #expect(try await backend.server.end() == 0)
        }
    }
}
