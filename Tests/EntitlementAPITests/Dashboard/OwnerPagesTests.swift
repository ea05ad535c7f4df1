import Dashboard
import Entitlements
import LedgerStore
import MariaDB
import NIOHTTP1
import StrictJSON
import Support
import Testing

@testable import EntitlementAPI

/// Staff, API keys, compensations and the audit trail.
@Suite(.serialized) struct OwnerPagesTests {
    /// The first 64 scalars of a text, which is as long as short names may be.
    private static func short(_ text: String) -> String {
        String(String.UnicodeScalarView(text.unicodeScalars.prefix(64)))
    }

    private static func id(of name: String, _ server: TestServer) async throws -> UInt64 {
        let people = try await server.open.store.staff.list()
        return try #require(people.first { $0.name == name }).id
    }

    @Test func `an owner makes, lowers, signs out, resets and disables people, and not themselves`() async throws {
        try await Browser.visiting { server, client in
            let owner = try await Browser.signedIn(.owner, named: "mara", at: server, client)
            let sam = try await Browser.signedIn(.owner, named: "sam", at: server, client)
            let id = try await Self.id(of: "sam", server)
            let staff = "/dashboard/staff"
            let page = try await owner.page(staff)
            #expect(page.rowNames.contains { $0.hasPrefix("sam") } && page.text.contains("you"))
            #expect(page.hasForm(staff + "/\(id)/disable"))

            #expect(try await owner.press(staff + "/\(id)/role", on: staff, ["role": "viewer"]).status == 303)
            #expect(try await sam.get(staff).status == 403, "at once")
            #expect(try await sam.get("/dashboard").status == 200)
            #expect(try await owner.press(staff + "/\(id)/role", on: staff, ["role": "king"]).status == 400)

            #expect(try await owner.press(staff + "/\(id)/sign-out", on: staff).status == 303)
            #expect(try await sam.get("/dashboard").status == 303)

            let reset = try await owner.press(staff + "/\(id)/reset", on: staff)
            let address = try ParsedPage(reset.body).all("code").first { $0.text.contains("/link/") }?.text ?? ""
            #expect(reset.status == 200 && address.hasPrefix(Browser.origin + "/dashboard/link/"))
            #expect(try await !owner.get(staff).body.contains("/dashboard/link/"), "shown once")
            let path = String(address.dropFirst(Browser.origin.count))
            let fields = ["password": Browser.password, "again": Browser.password]
            #expect(try await sam.post(path, fields).status == 303)
            #expect(try await sam.signIn("sam").status == 303)

            let gone = try await owner.press(staff + "/\(id)/disable", on: staff)
            #expect(gone.headers["location"] == [staff + "?done=disabled"])
            #expect(try await sam.get("/dashboard").status == 303)
            let disabled = try await owner.page(staff + "?done=disabled")
            #expect(disabled.text.contains("may not sign in"))
            #expect(disabled.all("p").contains { $0.attributes["class"] == "banner done" })
            #expect(disabled.all("button").contains { $0.text == "Enable again, with a new link" })

            let own = try await Self.id(of: "mara", server)
            for act in ["disable", "reset", "sign-out", "role"] {
                let answer = try await owner.press(staff + "/\(own)/\(act)", on: staff, ["role": "viewer"])
                #expect(answer.status == 403, "\(act)")
            }
            #expect(try await owner.press(staff + "/999999/disable", on: staff).status == 404)
            let acts = try await server.audited.filter { $0["actor"]?.string == "staff:\(own)" }
                .compactMap { $0["action"]?.string }
            for act in ["staff.change_role", "staff.sign_out_everywhere", "staff.reset", "staff.disable"] {
                #expect(acts.filter { $0 == act }.count == 1, "\(act)")
            }
        }
    }

    @Test func `an owner adds people by a link that is shown once`() async throws {
        try await Browser.visiting { server, client in
            let owner = try await Browser.signedIn(.owner, named: "mara", at: server, client)
            let staff = "/dashboard/staff"
            let made = try await owner.press(staff, on: staff, ["name": "new", "role": "support"])
            #expect(made.status == 200 && made.body.contains("/dashboard/link/"))
            let taken = try await owner.press(staff, on: staff, ["name": "new", "role": "viewer"])
            #expect(taken.body.contains("Somebody has this name already."))
            for fields in [["name": "", "role": "viewer"], ["name": "x", "role": "king"], ["name": "x"]] {
                let answer = try await owner.press(staff, on: staff, fields)
                #expect(answer.body.contains("1 to 64 characters"), "\(fields)")
            }
            #expect(try await server.open.store.staff.list().map(\.role) == [.owner, .support])
        }
    }

    @Test func `an owner makes and revokes a key, whose secret is shown once`() async throws {
        try await Browser.visiting { server, client in
            let owner = try await Browser.signedIn(.owner, at: server, client)
            let keys = "/dashboard/api-keys"
            for fields in [["name": "shop"], ["name": "", "read": "1"]] {
                #expect(try await owner.press(keys, on: keys, fields).body.contains("at least one scope"))
            }
            let made = try await owner.press(keys, on: keys, ["name": "shop", "read": "1"])
            let secret = try ParsedPage(made.body).all("code").first { $0.text.hasPrefix("gp_") }?.text ?? ""
            #expect(try await server.send("GET", "/api/admin/users", token: secret).status == 200)
            #expect(try await server.send("GET", "/api/admin/api-keys", token: secret).status == 403)
            let page = try await owner.page(keys)
            #expect(!page.text.contains(secret) && page.rowNames.contains { $0.hasPrefix("shop") })
            let id = try await server.open.schema.number("SELECT MAX(id) FROM api_keys")
            let asked = try await owner.page(page.link("Revoke") ?? "")
            #expect(page.link("Revoke") == keys + "/\(id)/revoke" && page.text.contains("Read"))
            #expect(asked.hasForm(keys + "/\(id)/revoke") && asked.text.contains("shop is refused"))
            #expect(try await server.send("GET", "/api/admin/users", token: secret).status == 200, "not by looking")
            #expect(try await owner.press(keys + "/\(id)/revoke", on: keys).status == 303)
            _ = try await owner.page(keys + "/\(id)/revoke", status: 404)
            #expect(try await server.send("GET", "/api/admin/users", token: secret).status == 401)
            #expect(try await owner.press(keys + "/999999/revoke", on: keys).status == 404)
            let acts = try await server.audited.filter { $0["action"]?.string?.hasPrefix("api_key.") == true }
            #expect(acts.compactMap { $0["action"]?.string } == ["api_key.create", "api_key.revoke"])
            #expect(acts.allSatisfy { $0["actor"]?.string?.hasPrefix("staff:") == true })
        }
    }

    @Test func `a compensation is previewed, then given once`() async throws {
        try await Browser.visiting { server, client in
            for user in ["u1", "u2"] { try await server.sell("pass.30d", as: "p-" + user, .pass, to: user) }
            server.wait(hours: 2)
            let browser = try await Browser.signedIn(.support, at: server, client)
            let path = "/dashboard/compensations"
            let outage = [
                "from": "2026-01-15 12:00", "to": "2026-01-15 13:00", "hours": "48", "reference": "outage-1",
                "reason": "sorry",
            ]
            let before = try await server.open.schema.dump()
            let preview = try await browser.press(path, on: path, outage.merging(["act": "preview"]) { $1 })
            #expect(preview.body.contains("2 users would get time") && preview.body.contains("Give the time"))
            #expect(try await server.open.schema.dump() == before, "a preview writes nothing")
            let given = try await browser.press(path, on: path, outage.merging(["act": "give"]) { $1 })
            #expect(given.body.contains("Done. 2 users got time"), "\(given.body)")
            let again = try await browser.press(path, on: path, outage.merging(["act": "give"]) { $1 })
            #expect(again.body.contains("Done. 0 users got time") && again.body.contains("Had them already: 2"))
            let acts = try await server.audited.filter { $0["action"]?.string == "grant.give" }
            #expect(acts.count == 2 && acts.allSatisfy { $0["actor"]?.string?.hasPrefix("staff:") == true })
            for (name, value) in [
                ("from", "yesterday"), ("to", ""), ("hours", "0"), ("hours", "many"), ("reference", ""), ("reason", ""),
                ("to", "2026-01-14"), ("from", "2027-01-01"), ("tier", "no-such"),
            ] {
                let wrong = outage.merging([name: value, "act": "give"]) { $1 }
                let answer = try await browser.press(path, on: path, wrong)
                #expect(answer.status == 422 && answer.body.contains("role=\"alert\""), "\(name)=\(value)")
            }
        }
    }

    @Test func `the trail is filtered by person, actor, act and day, and names are looked up`() async throws {
        try await Browser.visiting { server, client in
            try await server.sell("pass.30d", as: "p1", .pass)
            let owner = try await Browser.signedIn(.owner, named: "mara", at: server, client)
            _ = try await server.send(
                "PUT", "/api/admin/users/u1/sandbox-tester", #"{"reason":"ours"}"#, token: Fixture.apiKey(.write),
                fields: [("Idempotency-Key", "k")])
            let page = try await owner.page("/dashboard/audit")
            #expect(page.text.contains("mara") && page.text.contains("“ours”") && page.text.contains("api_key:1"))
            for words in ["API key write", "Named a sandbox tester", "Signed in"] {
                #expect(page.text.contains(words), "\(words)")
            }
            for (query, words, other) in [
                ("user_id=u1", "sandbox_tester.name", "staff.sign_in"),
                ("action=staff.sign_in", "staff.sign_in", "ours"),
                ("actor=api_key%3A1", "ours", "staff.sign_in"), ("since=2026-01-15&until=2026-01-15", "ours", "–"),
                ("until=2026-01-14", "Nothing passes these filters.", "ours"),
            ] {
                let page = try await owner.page("/dashboard/audit?" + query)
                let rows = page.all("main")[0].text
                #expect(rows.contains(words) && (other == "–" || !rows.contains(other)), "\(query)")
            }
            let id = try await Self.id(of: "mara", server)
            try await server.open.schema.rows(
                "UPDATE audit_entries SET actor = 'staff:777777' WHERE actor = 'api_key:1 write'")
            #expect(try await owner.page("/dashboard/audit").text.contains("staff 777777") && id > 0)
        }
    }

    @Test func `the trail as CSV has no cell that a spreadsheet computes`() async throws {
        try await Browser.visiting { server, client in
            let owner = try await Browser.signedIn(.owner, at: server, client)
            let hostile = [
                "=1+1", "+cmd", "-2", "@sum(A1)", "a,b", "say \"x\"", "two\r\nlines", "\tx", "\r=1", "x; =1+1", "x;y",
                "plain", "＝1+1", "＋cmd", "－2", "＠sum(A1)", "x;＝1", " ＝2",
            ]
            for (number, reason) in hostile.enumerated() {
                let given = try await server.open.store.ledger.record(
                    Principal(user: try Fixture.user(), actor: .commandLine)
                        .give(
                            .credits(1, unit: "credit"), as: ExternalID("g\(number)"), reason: reason,
                            reference: "r"))
                #expect(throws: Never.self) { try given.answer.get() }
            }
            let csv = try await owner.get("/dashboard/audit.csv")
            #expect(csv.status == 200 && csv.headers["content-type"] == ["text/csv; charset=utf-8"])
            #expect(csv.headers["content-disposition"] == ["attachment; filename=\"audit.csv\""])
            for cell in [
                ",'=1+1,", ",'+cmd,", ",'-2,", ",'@sum(A1),", ",\"a,b\",", ",\"say \"\"x\"\"\",", ",\"two\r\nlines\",",
                ",'\tx,", ",\"'\r'=1\",", ",x; '=1+1,", ",x;y,", ",plain,",
                ",'＝1+1,", ",'＋cmd,", ",'－2,", ",'＠sum(A1),", ",x;'＝1,", ", '＝2,",
            ] { #expect(csv.body.contains(cell), "\(cell)") }
            #expect(csv.body.hasPrefix("id,at,actor,actor_name,action,user_id,other_pseudonym,reason,details,hash\r\n"))
            let few = try await owner.get("/dashboard/audit.csv?action=staff.sign_in")
            #expect(few.body.split(separator: "\r\n").count == 2)
        }
    }

    @Test func `hostile texts in every stored field are texts on the lists`() async throws {
        try await Browser.visiting { server, client in
            let texts = HostileTexts.all.filter { !$0.isEmpty }
            let owner = try await Browser.signedIn(.owner, at: server, client)
            for (number, text) in texts.enumerated() {
                _ = try await server.park(
                    "h\(number)", type: Self.short(text),
                    subtype: Self.short(text), body: text)
                if let request = APIKeyRequest(name: Self.short(text), scopes: [.read]) {
                    _ = try await server.open.store.apiKeys.create(request, by: .commandLine, reason: text)
                }
                // A store's ids of products are ASCII.
                if text.utf8.allSatisfy({ $0 < 0x80 }) { try await server.leave("o\(number)", of: text) }
            }
            for list in ["deliveries", "jobs?state=waiting", "anomalies", "api-keys", "audit", "staff"] {
                var (path, seen): (String?, String) = ("/dashboard/" + list, "")
                while let place = path {
                    let page = try await owner.page(place)
                    #expect(page.all("script").isEmpty && page.all("img").isEmpty && page.all("b").isEmpty)
                    for element in page.elements {
                        #expect(element.attributes.keys.allSatisfy { !$0.hasPrefix("on") && $0 != "style" })
                    }
                    seen += page.text
                    path = page.link("Next page")
                }
                if list == "anomalies" { #expect(seen.contains("<script>alert(1)</script>")) }
            }
            let number = try await server.open.schema.number("SELECT MIN(id) FROM inbox_deliveries")
            let body = try await owner.press("/dashboard/deliveries/\(number)/body", on: "/dashboard/deliveries")
            #expect(try ParsedPage(body.body).all("pre").first?.text == texts[0])
        }
    }
}
