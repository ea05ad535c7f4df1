import AsyncHTTPClient
import Entitlements
import LedgerStore
import MariaDB
import NIOHTTP1
import StrictJSON
import Support
import Testing

@testable import EntitlementAPI

/// The account page: the language, zone and colours of a person, their password and their sessions.
@Suite(.serialized) struct AccountTests {
    private static let path = "/dashboard/account"

    @Test func `language, zone and colours hold at once, for this person alone`() async throws {
        try await Browser.visiting { server, client in
            let browser = try await Browser.signedIn(.viewer, named: "mara", at: server, client)
            let other = try await Browser.signedIn(.viewer, named: "eve", at: server, client)
            let fields = ["language": "zh", "zone": "UTC", "theme": "dark"]
            let saved = try await browser.post(Self.path, fields)
            #expect(saved.status == 303 && saved.headers["location"] == ["/dashboard/account?done=look"])
            let page = try await browser.get("/dashboard/account?done=look").body
            #expect(page.contains("lang=\"zh-Hans\" data-theme=\"dark\"") && page.contains("您的账户"))
            #expect(try await browser.get("/dashboard/nowhere").body.contains("没有这个页面"))
            #expect(try await other.get("/dashboard").body.contains("<html lang=\"en\">"))
            for (name, value, status) in [
                ("zone", "Nowhere/At_All", 422), ("zone", "<b>", 422), ("zone", String(repeating: "U", count: 65), 422),
                ("language", "xx", 400), ("theme", "pink", 400),
            ] {
                let refused = try await browser.post(Self.path, fields.merging([name: value]) { $1 })
                #expect(refused.status == status, "\(value)")
                #expect(!refused.body.contains("<b>"))
            }
            #expect(try await browser.get(Self.path).body.contains("lang=\"zh-Hans\" data-theme=\"dark\""))
        }
    }

    @Test func `a password changes for whoever knows the present one, and ends the other sessions`() async throws {
        try await Browser.visiting { server, client in
            let browser = try await Browser.signedIn(.viewer, named: "mara", at: server, client)
            let elsewhere = Browser(server, client)
            #expect(try await elsewhere.signIn("mara").status == 303)
            let new = "another password that is long"
            let right = ["present": Browser.password, "password": new, "again": new]
            for (name, value) in [
                ("present", "wrong wrong wrong"), ("present", ""), ("password", "short"), ("again", new + "x"),
            ] {
                let refused = try await browser.post(
                    Self.path + "/password", right.merging([name: value]) { $1 }, from: Self.path)
                #expect(refused.status == 422 && refused.body.contains("role=\"alert\""), "\(name)")
            }
            #expect(try await elsewhere.get("/dashboard").status == 200)
            let changed = try await browser.post(Self.path + "/password", right, from: Self.path)
            #expect(changed.status == 303 && changed.headers["location"] == ["/dashboard/account?done=password"])
            #expect(try await browser.get("/dashboard").status == 200)
            #expect(try await elsewhere.get("/dashboard").status == 303)
            #expect(try await elsewhere.signIn("mara").status == 403)
            #expect(try await elsewhere.signIn("mara", new).status == 303)
            let entries = try await server.audited.filter { $0["action"]?.string == "staff.set_password" }
            #expect(entries.count == 2 && entries.allSatisfy { $0["actor"]?.string?.hasPrefix("staff:") == true })
        }
    }

    @Test func `guesses of the present password slow down like tries to sign in`() async throws {
        try await Browser.visiting { server, client in
            let browser = try await Browser.signedIn(named: "mara", at: server, client)
            let new = "another password that is long"
            var statuses: [Int] = []
            for _ in 0...SignInPace.freeHere {
                let fields = ["present": "wrong wrong wrong", "password": new, "again": new]
                statuses.append(try await browser.post(Self.path + "/password", fields, from: Self.path).status)
            }
            #expect(statuses == Array(repeating: 422, count: SignInPace.freeHere) + [429])
        }
    }

    @Test func `changes of the password have the rate of tries to sign in, which no setting turns off`() async throws {
        try await Browser.visiting(rateLimits: RateLimits(readPerMinute: 0)) { server, client in
            let browser = try await Browser.signedIn(named: "mara", at: server, client)
            let path = Self.path + "/password"
            let fields = ["present": Browser.password, "password": "short", "again": "short"]
            for number in 0..<30 {
                let refused = try await browser.post(path, fields, from: Self.path)
                #expect(refused.status == 422, "\(number)")
            }
            let limited = try await browser.post(path, fields, from: Self.path)
            #expect(limited.status == 429)
            #expect(try await browser.get(Self.path).status == 200)
        }
    }

    @Test func `people see their own sessions and end one, or all others`() async throws {
        try await Browser.visiting { server, client in
            let browser = try await Browser.signedIn(named: "mara", at: server, client)
            let others = [Browser(server, client), Browser(server, client), Browser(server, client)]
            for other in others { #expect(try await other.signIn("mara").status == 303) }
            let eve = try await Browser.signedIn(named: "eve", at: server, client)
            let rows = try await server.open.schema.rows("SELECT id FROM staff_sessions ORDER BY id")
            let ids = rows.map { row in if case .uint64(let id) = row[0] { String(id) } else { "-" } }
            try #require(ids.count == 5)
            let form = Self.path + "/sessions"
            #expect(try await browser.post(form, ["session": ids[4]], from: Self.path).status == 303)
            #expect(try await eve.get("/dashboard").status == 200)
            #expect(try await browser.post(form, ["session": ids[1]], from: Self.path).status == 303)
            #expect(try await others[0].get("/dashboard").status == 303)
            #expect(try await others[1].get("/dashboard").status == 200)
            #expect(try await browser.post(form, ["session": "others"], from: Self.path).status == 303)
            for other in others { #expect(try await other.get("/dashboard").status == 303) }
            #expect(try await browser.get("/dashboard").status == 200)
            #expect(try await browser.post(form, ["session": "all"], from: Self.path).status == 400)
        }
    }

    @Test func `a page for anybody is in the browser's language`() async throws {
        try await Browser.visiting { server, client in
            let browser = Browser(server, client)
            for (asked, tag) in [
                ("zh-CN,zh;q=0.9,en;q=0.8", "zh-Hans"), ("zh-TW", "zh-Hans"), ("it,en;q=0.5", "en"), ("*", "en"),
                ("en;q=0.2,zh;q=0.1", "en"),
            ] {
                let page = try await browser.send("GET", "/dashboard/sign-in", nil, [("Accept-Language", asked)])
                #expect(page.body.contains("<html lang=\"\(tag)\">"), "\(asked)")
            }
        }
    }
}
