import AsyncHTTPClient
import Entitlements
import LedgerStore
import NIOHTTP1
import StrictJSON
import Support
import Testing

@testable import EntitlementAPI

/// How people of the staff sign in, and when a sign-in ends (`threats.md` T27, T30).
@Suite(.serialized) struct SignInTests {
    @Test func `a link sets a password once, and signs nobody in by being looked at`() async throws {
        try await Browser.visiting { server, client in
            let link = "/dashboard/link/" + (try await Browser.invite("mara", .support, at: server))
            let browser = Browser(server, client)
            for _ in 0..<3 {
                let shown = try await browser.get(link)
                #expect(shown.status == 200)
            }
            #expect(try await browser.post(link, ["password": "short", "again": "short"]).status == 422)
            let differing = ["password": Browser.password, "again": Browser.password + "x"]
            #expect(try await browser.post(link, differing).status == 422)
            let fields = ["password": Browser.password, "again": Browser.password]
            let set = try await browser.post(link, fields)
            #expect(set.status == 303 && set.headers["location"] == ["/dashboard/sign-in?done=link"])
            let told = try await browser.page("/dashboard/sign-in?done=link").text
            #expect(told.contains("The password is set. Sign in with it."))
            #expect(try await browser.get(link).status == 410)
            #expect(try await browser.post(link, fields, from: "/dashboard/sign-in").status == 410)
            #expect(try await browser.get("/dashboard").status == 303)
            let stored = try await server.open.schema.rows("SELECT password FROM staff")
            let hash = "\(stored[0][0])"
            #expect(hash.contains("scrypt$4$8$1$"))
            #expect(!hash.contains(Browser.password))
        }
    }

    @Test func `the cookie is another one after the sign-in, and of this host alone`() async throws {
        try await Browser.visiting { server, client in
            let link = try await Browser.invite("mara", .viewer, at: server)
            let browser = Browser(server, client)
            let fields = ["password": Browser.password, "again": Browser.password]
            _ = try await browser.post("/dashboard/link/" + link, fields)
            let before = browser.cookieText
            let entered = try await browser.signIn("mara")
            let cookie = entered.headers["set-cookie"].first ?? ""
            #expect(
                cookie.hasPrefix("gatepass_dev=") && cookie.contains("; HttpOnly") && cookie.contains("; SameSite=Lax"))
            #expect(cookie.contains("; Path=/") && !cookie.contains("Domain") && !cookie.contains("Max-Age"))
            #expect(browser.cookieText != before)
            #expect(try await browser.get("/dashboard").status == 200)
            let kept = try await server.open.schema.rows("SELECT token_hash FROM staff_sessions")
            #expect(kept.count == 1 && !"\(kept)".contains(browser.cookieText.dropFirst("gatepass_dev=".count)))
        }
    }

    @Test func `a wrong password, an unknown name and a disabled account have one answer`() async throws {
        try await Browser.visiting { server, client in
            _ = try await Browser.signedIn(named: "mara", at: server, client)
            _ = try await Browser.signedIn(named: "gone", at: server, client)
            _ = try await server.open.store.staff.disable("gone", by: .commandLine, reason: nil)
            var answers: [TestServer.Answer] = []
            for (name, password) in [
                ("mara", "not the password at all"), ("nobody", Browser.password), ("gone", Browser.password),
            ] {
                let answer = try await Browser(server, client).signIn(name, password)
                #expect(answer.status == 403 && answer.headers["set-cookie"].isEmpty, "\(name)")
                answers.append(answer)
            }
            let bodies = zip(answers, ["mara", "nobody", "gone"]).map { answer, name in
                let token = Browser.formToken(in: answer.body) ?? "-"
                return answer.body.replacing(token, with: "").replacing("value=\"\(name)\"", with: "")
            }
            #expect(Set(bodies).count == 1)
        }
    }

    @Test func `tries slow down by account and network, and nobody is locked out elsewhere`() async throws {
        try await Browser.visiting { server, client in
            _ = try await Browser.signedIn(named: "mara", at: server, client)
            let attacker = Browser(server, client, network: "203.0.113.9")
            for _ in 0..<SignInPace.freeHere {
                #expect(try await attacker.signIn("mara", "wrong wrong wrong").status == 403)
            }
            for _ in 0..<20 {
                let slowed = try await attacker.signIn("mara", Browser.password)
                #expect(slowed.status == 429 && slowed.headers["retry-after"] == ["1"])
            }
            for name in ["nobody", "mara"] {
                let other = Browser(server, client, network: "203.0.113.10")
                for _ in 0..<SignInPace.freeHere { _ = try await other.signIn(name, "wrong wrong wrong") }
                #expect(try await other.signIn(name, "wrong wrong wrong").status == 429, "\(name)")
            }
            #expect(try await Browser(server, client).signIn("mara").status == 303)
            server.clock.now = server.clock.now + 1_001
            #expect(try await attacker.signIn("mara", "wrong wrong wrong").status == 403)
            server.clock.now = server.clock.now + 1_001
            #expect(try await attacker.signIn("mara").status == 429)
            server.clock.now = server.clock.now + 1_001
            #expect(try await attacker.signIn("mara").status == 303)
            let slowed = try await server.audited.filter { $0["action"]?.string == "staff.slow" }
            #expect(slowed.count == 1)
            let tries = try await server.open.schema.rows("SELECT account, network FROM staff_tries")
            #expect(!"\(tries)".contains("203.0.113") && !"\(tries)".contains("mara"))
        }
    }

    @Test func `a session ends by sign-out, sign-out everywhere, disabling, idleness and age`() async throws {
        try await Browser.visiting { server, client in
            /// Throws when no whole answer came.
            func isIn(_ browser: Browser) async throws -> Bool { try await browser.get("/dashboard").status == 200 }
            let first = try await Browser.signedIn(named: "mara", at: server, client)
            let second = Browser(server, client)
            #expect(try await second.signIn("mara").status == 303)
            let stolen = Browser(server, client)
            #expect(try await stolen.signIn("mara").status == 303)
            let out = try await first.post("/dashboard/sign-out", [:], from: "/dashboard")
            #expect(out.status == 303 && (out.headers["set-cookie"].first ?? "").contains("Max-Age=0"))
            #expect(try await !isIn(first))
            #expect(try await isIn(second))
            _ = try await second.post("/dashboard/sign-out-everywhere", [:], from: "/dashboard")
            #expect(try await !isIn(second))
            #expect(try await !isIn(stolen))

            #expect(try await first.signIn("mara").status == 303)
            _ = try await server.open.store.staff.disable("mara", by: .commandLine, reason: "left")
            #expect(try await !isIn(first))

            let idle = try await Browser.signedIn(named: "idle", at: server, client)
            server.clock.now = server.clock.now + 59 * 60_000
            #expect(try await isIn(idle))
            server.clock.now = server.clock.now + 59 * 60_000
            #expect(try await isIn(idle))
            server.clock.now = server.clock.now + 60 * 60_000
            #expect(try await !isIn(idle))

            let old = try await Browser.signedIn(named: "old", at: server, client)
            for _ in 0..<24 {
                #expect(try await isIn(old))
                server.wait(minutes: 30)
            }
            #expect(try await !isIn(old))
            #expect(try await server.open.store.staff.sweep() >= 2)
        }
    }

    @Test func `a reset takes the password and the sessions, and a lowered role holds at once`() async throws {
        try await Browser.visiting { server, client in
            let browser = try await Browser.signedIn(.owner, named: "mara", at: server, client)
            try await server.grant(.credits(5, unit: "credit"), as: "g1")
            #expect(try await browser.get("/dashboard/users/u1").body.contains("Acts on this person"))
            try await server.open.schema.rows("UPDATE staff SET role = 'support'")
            #expect(try await !browser.get("/dashboard/users/u1").body.contains("Acts on this person"))
            let token = (0..<32).map { _ in UInt8.random(in: .min ... .max) }
            _ = try await server.open.store.staff.reset("mara", link: token, by: .commandLine, reason: nil)
            #expect(try await browser.get("/dashboard").status == 303)
            #expect(try await browser.signIn("mara").status == 403)
            let actions = try await server.audited.compactMap { $0["action"]?.string }
            #expect(
                actions.contains("staff.create") && actions.contains("staff.reset") && actions.contains("staff.sign_in")
            )
            #expect(actions.contains("staff.set_password"))
            let actors = try await server.audited.compactMap { $0["actor"]?.string }
            #expect(actors.contains { $0.hasPrefix("staff:") } && !actors.contains { $0.contains("mara") })
        }
    }

    @Test func `nothing is taken without the form's token, from another origin, or by GET`() async throws {
        try await Browser.visiting { server, client in
            let browser = try await Browser.signedIn(named: "mara", at: server, client)
            let other = try await Browser.signedIn(named: "eve", at: server, client)
            let foreign = Browser.formToken(in: try await other.get("/dashboard").body)
            for path in ["/dashboard/sign-out", "/dashboard/sign-out-everywhere", "/dashboard/sign-in"] {
                for (origin, token) in [
                    (Browser.origin, ""), (Browser.origin, "x"), (Browser.origin, foreign ?? "-"),
                    ("https://evil.example", nil), ("null", nil), (nil, nil), ("http://localhost:8080.evil", nil),
                ] as [(String?, String?)] {
                    let answer = try await browser.post(
                        path, ["name": "mara", "password": Browser.password], from: "/dashboard", origin: origin,
                        token: token)
                    #expect(answer.status == 403, "\(path) \(origin ?? "-") \(token ?? "right")")
                    #expect(answer.headers["content-type"] == ["text/html; charset=utf-8"])
                }
            }
            let page = try await browser.get("/dashboard")
            let token = Browser.formToken(in: page.body) ?? ""
            for type in ["text/plain", "multipart/form-data", "application/json"] {
                let answer = try await browser.send(
                    "POST", "/dashboard/sign-out", "form_token=" + token,
                    [("Content-Type", type), ("Origin", Browser.origin)])
                #expect(answer.status == 415)
            }
            for path in ["/dashboard/sign-out", "/dashboard/sign-out-everywhere"] {
                #expect(try await browser.get(path).status == 405)
            }
            #expect(try await browser.get("/dashboard").status == 200)
        }
    }

    @Test func `a session of staff opens no route of servers, and no API key a page`() async throws {
        try await Browser.visiting { server, client in
            let browser = try await Browser.signedIn(named: "mara", at: server, client)
            #expect(try await browser.get("/api/admin/users").status == 401)
            for path in ["/dashboard", "/dashboard/users/u1", "/dashboard/search?q=u1", "/dashboard/nowhere"] {
                let answer = try await server.send(
                    "GET", path, token: Fixture.apiKey(.admin), through: client)
                #expect(answer.status == 303)
                #expect(answer.headers["location"].first?.hasPrefix("/dashboard/sign-in") == true)
            }
        }
    }
}

extension TestServer {
    /// Lets time pass.
    fileprivate func wait(minutes: Int64) { clock.now = clock.now + minutes * 60_000 }
}
