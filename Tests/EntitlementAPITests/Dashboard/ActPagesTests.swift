import AsyncHTTPClient
import Entitlements
import LedgerStore
import NIOHTTP1
import StrictJSON
import Support
import Testing

@testable import EntitlementAPI

/// Each act through its pages does what its route does.
@Suite(.serialized) struct ActPagesTests {
    private static let words = ["reason": "the app was down", "reference": "ticket-1"]

    /// The entries of the trail about acts of staff other than their sign-in.
    private static func acts(at server: TestServer) async throws -> [String] {
        try await server.audited.compactMap { entry in
            guard let action = entry["action"]?.string, !action.hasPrefix("staff."),
                entry["actor"]?.string?.hasPrefix("staff:") == true
            else { return nil }
            return action
        }
    }

    private static func purchase(
        _ id: String, source: String = "apple_iap", app: String = Fixture.app.text,
        environment: StoreEnvironment = .production
    ) -> String { "\(source) \(app) \(environment.rawValue) \(id)" }

    @Test func `days are given: the preview says what would be, and the confirmation does it`() async throws {
        try await Browser.visiting { server, client in
            try await server.sell("pass.30d", as: "p1", .pass)
            let browser = try await Browser.signedIn(.support, at: server, client)
            let walk = ActWalk(browser, "give-days")
            let before = try await server.open.schema.dump()
            let answer = try await walk.preview(["tier": "pro", "days": "3"].merging(Self.words) { $1 })
            let page = try ParsedPage(answer.body)
            #expect(answer.status == 200)
            for words in [
                "After this: pro until 17\u{A0}February\u{A0}2026.", "Nothing is written yet", "Before", "After",
                "+3 days",
                "new", "Give 3 days of pro", "same",
            ] { #expect(page.text.contains(words), "\(words)") }
            #expect(page.all("rect").contains { $0.attributes["class"] == "halo" })
            #expect(try await server.open.schema.dump() == before)
            let done = try await walk.confirm(try walk.confirmation(in: answer))
            #expect(done.status == 303)
            let place = done.headers["location"].first ?? ""
            let person = try ParsedPage(try await browser.get(place).body)
            #expect(person.text.contains("Done. Gave 3 days of pro."))
            #expect(try await !browser.get(place + "x").body.contains("Done. Gave"))
            let grants = try await server.ledger().entries.compactMap { entry -> Grant? in
                guard case .granted(let grant) = entry.fact else { return nil }
                return grant
            }
            #expect(grants.map(\.gift) == [.pass(tier: TierID("pro"), length: 3 * Instant.millisecondsPerDay)])
            let entry = try #require(try await server.audited.last { $0["action"]?.string == "grant.give" })
            #expect(entry["actor"]?.string?.hasPrefix("staff:") == true)
            #expect(entry["reason"]?.string == "the app was down")
            #expect(entry["details"]?["reference"]?.string == "ticket-1" && entry["details"]?["days"]?.string == "3")
        }
    }

    @Test func `one form sent 64 times at once gives one grant and one entry of the trail`() async throws {
        try await Browser.visiting { server, client in
            let browser = try await Browser.signedIn(.support, at: server, client)
            let walk = ActWalk(browser, "give-days")
            let answer = try await walk.preview(["tier": "pro", "days": "3"].merging(Self.words) { $1 })
            let form = try walk.confirmation(in: answer)
            let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
                for _ in 0..<64 { group.addTask { try await walk.confirm(form).status } }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(statuses == Array(repeating: 303, count: 64))
            #expect(try await server.ledger().entries.count == 2)
            #expect(try await Self.acts(at: server) == ["grant.give"])
            #expect(try await walk.confirm(form).status == 303)
            let other = try await walk.preview(["tier": "pro", "days": "4"].merging(Self.words) { $1 })
            #expect(try await walk.confirm(try walk.confirmation(in: other)).status == 303)
            #expect(try await Self.acts(at: server) == ["grant.give", "grant.give"])
        }
    }

    @Test func `what changed since the preview is previewed again, and nothing is done`() async throws {
        try await Browser.visiting { server, client in
            let browser = try await Browser.signedIn(.support, at: server, client)
            let walk = ActWalk(browser, "give-days")
            let answer = try await walk.preview(["tier": "pro", "days": "3"].merging(Self.words) { $1 })
            let form = try walk.confirmation(in: answer)
            try await server.sell("pass.30d", as: "p1", .pass)
            let before = try await server.open.schema.dump()
            let again = try await walk.confirm(form)
            #expect(again.status == 409)
            #expect(try ParsedPage(again.body).text.contains("The status has changed since the preview."))
            #expect(try await server.open.schema.dump() == before)
            let fresh = try walk.confirmation(in: again)
            #expect(fresh.fields["form_id"] == form.fields["form_id"])
            #expect(fresh.fields["ledgers"] != form.fields["ledgers"])
            for (name, value) in [("ledgers", "0.0"), ("ledgers", ""), ("ledgers", "-1"), ("form_id", "")] {
                var bent = form
                bent.fields[name] = value
                #expect(try await walk.confirm(bent).status == 409, "\(name) \(value)")
            }
            #expect(try await walk.confirm(fresh).status == 303)
            #expect(try await Self.acts(at: server) == ["grant.give"])
        }
    }

    @Test func `other gifts are given too`() async throws {
        try await Browser.visiting { server, client in
            let browser = try await Browser.signedIn(.support, at: server, client)
            try await ActWalk(browser, "give-until").act(
                ["tier": "pro", "until": "2026-03-01"].merging(Self.words) { $1 })
            let addOn = try await ActWalk(browser, "give-add-on").preview(
                ["product": "\(Fixture.app.text) addon"].merging(Self.words) { $1 })
            #expect(try ParsedPage(addOn.body).text.contains("premium, xyz"))
            #expect(addOn.body.contains("id=\"hatch\""))
            try await ActWalk(browser, "give-add-on").act(
                ["product": "\(Fixture.app.text) addon"].merging(Self.words) { $1 })
            try await ActWalk(browser, "give-credits").act(
                ["unit": "credit", "amount": "50", "expires_at": ""].merging(Self.words) { $1 })
            let status = try await server.send(
                "GET", "/api/admin/users/u1/status", token: Fixture.apiKey(.read)
            ).json
            #expect(status["tier"]?.string == "pro" && status["expires_at"]?.string == "2026-03-01T00:00:00Z")
            try await ActWalk(browser, "take-credits").act(
                ["unit": "Production credit", "amount": "20"].merging(Self.words) { $1 })
            let credits = try await server.send("GET", "/api/admin/users/u1/credits", token: Fixture.apiKey(.read))
            #expect(try credits.json["data"]?.elements?.first?["spendable"]?.integer == "30")
            #expect(
                try await Self.acts(at: server) == ["grant.give", "grant.give", "grant.give", "credits.spend"])
        }
    }

    @Test func `a late pass is made good`() async throws {
        try await Browser.visiting { server, client in
            try await server.sellBefore(days: 60, as: "late")
            let browser = try await Browser.signedIn(.support, at: server, client)
            let person = try await browser.get("/dashboard/users/u1")
            #expect(person.body.contains("acts/make-good?purchase="))
            try await ActWalk(browser, "make-good").act(
                ["purchase": Self.purchase("late")].merging(Self.words) { $1 })
            #expect(try await Self.acts(at: server) == ["grant.give"])
        }
    }

    @Test func `a purchase and a grant are taken back`() async throws {
        try await Browser.visiting { server, client in
            try await server.sell("pass.30d", as: "p1", .pass)
            try await server.grant(.addDays(5, of: TierID("pro")), as: "g1")
            let browser = try await Browser.signedIn(.support, at: server, client)
            let person = try await browser.get("/dashboard/users/u1")
            #expect(person.body.contains("acts/revoke?purchase=") && person.body.contains("acts/transfer?purchase="))
            let walk = ActWalk(browser, "revoke")
            let reason = ["reason": "a mistake"]
            try await walk.act(["purchase": Self.purchase("p1")].merging(reason) { $1 })
            let key = Grant.key(ExternalID("g1"))
            try await walk.act(
                ["purchase": Self.purchase("g1", source: "manual", app: key.app.text, environment: key.environment)]
                    .merging(reason) { $1 })
            #expect(try await Self.acts(at: server) == ["purchase.revoke", "grant.revoke"])
            let again = try await walk.preview(["purchase": Self.purchase("p1")].merging(reason) { $1 })
            #expect(again.status == 200)
            #expect(try ParsedPage(again.body).text.contains("Nothing would change"))
            #expect(ActWalk.form(walk.path + "/confirm", in: try ParsedPage(again.body)) == nil)
        }
    }

    @Test func `purchases move to another user, and a guest is merged`() async throws {
        try await Browser.visiting { server, client in
            try await server.sell("pass.30d", as: "p1", .pass)
            try await server.sell("addon", as: "a1", .addOn)
            try await server.sell("pass.30d", as: "q1", .pass, to: "guest")
            let browser = try await Browser.signedIn(.support, at: server, client)
            let walk = ActWalk(browser, "transfer")
            let fields = ["purchase": Self.purchase("p1"), "user": "u2", "reason": "new account"]
            let preview = try await walk.preview(fields)
            let page = try ParsedPage(preview.body)
            #expect(page.all("figure").count == 2 && page.text.contains("u2"))
            let form = try walk.confirmation(in: preview)
            let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
                for _ in 0..<16 { group.addTask { try await walk.confirm(form).status } }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(statuses == Array(repeating: 303, count: 16))
            try await walk.act(["purchase": "all", "user": "u3", "reason": "the rest"])
            try await ActWalk(browser, "merge").act(["user": "guest", "reason": "signed in"])
            #expect(
                try await Self.acts(at: server) == ["user.transfer", "user.transfer", "user.merge"])
            for (user, id) in [("u2", "p1"), ("u3", "a1"), ("u1", "q1")] {
                let bought = try await server.send(
                    "GET", "/api/admin/users/\(user)/purchases", token: Fixture.apiKey(.read))
                #expect(bought.body.contains("\"\(id)\""), "\(user) \(id)")
            }
        }
    }

    @Test func `an Apple account is signed out, and of a login's user nothing is to do`() async throws {
        try await Browser.visiting { server, client in
            let browser = try await Browser.signedIn(.support, at: server, client)
            try await ActWalk(browser, "sign-out", on: "apple-1").act(["reason": "lost"])
            #expect(try await Self.acts(at: server) == ["user.sign_out"])
            let walk = ActWalk(browser, "sign-out")
            let idle = try ParsedPage(try await walk.preview(["reason": "lost"]).body)
            #expect(ActWalk.form(walk.path + "/confirm", in: idle) == nil)
        }
    }

    @Test func `testers are named and taken off, and a device is removed`() async throws {
        try await Browser.visiting { server, client in
            try await server.sell("pass.30d", as: "p1", .pass)
            let registered = try await server.send(
                "POST", "/api/devices", #"{"device_id":"phone-1","name":"Anna's phone"}"#)
            #expect(registered.status == 200 || registered.status == 201)
            let browser = try await Browser.signedIn(.support, at: server, client)
            let person = try await browser.get("/dashboard/users/u1")
            #expect(person.body.contains("acts/remove-device?device=phone-1"))
            try await ActWalk(browser, "name-tester").act(["reason": "tests"])
            try await ActWalk(browser, "unname-tester").act(["reason": "done"])
            let walk = ActWalk(browser, "remove-device")
            let form = try walk.confirmation(in: try await walk.preview(["device": "phone-1", "reason": "sold"]))
            #expect(try await walk.confirm(form).status == 303)
            #expect(try await walk.confirm(form).status == 303)
            #expect(
                try await Self.acts(at: server)
                    == ["sandbox_tester.name", "sandbox_tester.unname", "device.remove"])
            #expect(try await walk.preview(["device": "phone-9", "reason": "sold"]).status == 422)
        }
    }

    @Test func `a purchase of nobody is bound to a user`() async throws {
        try await Browser.visiting { server, client in
            let key = PurchaseKey(
                source: .appleIAP, app: Fixture.app, environment: .production, externalID: ExternalID("orphan"))
            try await server.open.sell(
                VerifiedPurchase(
                    key: key, transactionID: TransactionID("orphan"), productID: ProductID("pass.30d"), type: .pass,
                    purchasedAt: Fixture.now, signedAt: Fixture.now))
            let browser = try await Browser.signedIn(.support, at: server, client)
            let place = try await browser.get("/dashboard/search?q=orphan").headers["location"].first ?? ""
            let shown = try ParsedPage(try await browser.get(place).body)
            var form = try #require(ActWalk.form("/dashboard/purchase/bind", in: shown))
            form.fields["reason"] = "the receipt"
            for wrong in ["", "not a user"] {
                form.fields["user"] = wrong
                let refused = try await browser.submit(
                    form.action, form.fields, token: form.fields["form_token"] ?? "")
                let page = try ParsedPage(refused.body)
                #expect(refused.status == 422 && page.text.contains("That is no user id."))
                #expect(page.all("input").contains { $0.attributes["aria-invalid"] == "true" })
                #expect(page.all("textarea").map(\.text) == ["\nthe receipt"])
            }
            form.fields["user"] = "u7"
            let preview = try await browser.submit(form.action, form.fields, token: form.fields["form_token"] ?? "")
            let walk = ActWalk(browser, "bind", on: "u7")
            #expect(try await walk.confirm(try walk.confirmation(in: preview)).status == 303)
            #expect(try await Self.acts(at: server) == ["purchase.bind"])
            #expect(try await browser.get(place).headers["location"] == ["/dashboard/users/u7"])
        }
    }

    @Test func `an owner erases a person by typing the id, and the form sent twice erases once`() async throws {
        try await Browser.visiting { server, client in
            try await server.sell("pass.30d", as: "p1", .pass)
            let browser = try await Browser.signedIn(.owner, at: server, client)
            let walk = ActWalk(browser, "erase")
            let wrong = try await walk.preview(["typed": "u2", "reason": "asked for"])
            #expect(wrong.status == 422)
            let before = try await server.open.schema.dump()
            let preview = try await walk.preview(["typed": "u1", "reason": "asked for"])
            #expect(try ParsedPage(preview.body).text.contains("User id"))
            #expect(try await server.open.schema.dump() == before)
            let form = try walk.confirmation(in: preview)
            #expect(try await walk.confirm(form).status == 303)
            #expect(try await walk.confirm(form).status == 303)
            #expect(try await Self.acts(at: server) == ["user.erase"])
            #expect(try await server.ledger().entries.isEmpty)
            #expect(try await walk.preview(["typed": "u1", "reason": "again"]).status == 422)
        }
    }
}
