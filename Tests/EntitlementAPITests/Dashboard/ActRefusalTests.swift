import AppStore
import AsyncHTTPClient
import Entitlements
import LedgerStore
import NIOHTTP1
import StoreSimulator
import StrictJSON
import Support
import Testing

@testable import EntitlementAPI

/// The acts that the pages refuse: by role, by the form's token, by what was typed.
@Suite(.serialized) struct ActRefusalTests {
    /// The acts of support, and those of owners.
    private static let acts = [
        "give-days", "give-until", "give-add-on", "give-credits", "make-good", "take-credits", "revoke", "transfer",
        "merge", "bind", "name-tester", "unname-tester", "remove-device", "sign-out",
    ]
    private static let ownersActs = ["erase"]

    @Test func `every page of an act asks for the right of its route, by GET and by POST`() async throws {
        try await Browser.visiting { server, client in
            try await server.sell("pass.30d", as: "p1", .pass)
            let pages = (acts: Self.acts, owners: Self.ownersActs)
            for role in StaffRole.allCases {
                let browser = try await Browser.signedIn(role, named: role.rawValue, at: server, client)
                let token = Browser.formToken(in: try await browser.get("/dashboard").body) ?? ""
                let before = try await server.open.schema.dump()
                for act in pages.acts + pages.owners {
                    let isAllowed = role == .owner || role == .support && pages.acts.contains(act)
                    let path = "/dashboard/users/u1/acts/" + act
                    #expect(try await browser.get(path).status == (isAllowed ? 200 : 403), "\(role) \(act)")
                    for post in [path, path + "/confirm"] {
                        let status = try await browser.submit(post, [:], token: token).status
                        #expect(status == (isAllowed ? 422 : 403), "\(role) \(post) \(status)")
                    }
                }
                #expect(
                    try await browser.get("/dashboard/users/u1/acts").status == (role == .viewer ? 403 : 200))
                #expect(
                    try await browser.submit("/dashboard/purchase/bind", [:], token: token).status
                        == (role == .viewer ? 403 : 404))
                let person = try await browser.get("/dashboard/users/u1")
                #expect(person.body.contains("/acts") == (role != .viewer))
                let list = try await browser.get("/dashboard/users/u1/acts")
                #expect(list.body.contains("acts/erase") == (role == .owner))
                #expect(try await server.open.schema.dump() == before)
            }
        }
    }

    @Test func `a purchase of an erased person has no form, and is bound to nobody`() async throws {
        try await Browser.visiting { server, client in
            try await server.sell("pass.30d", as: "p1", .pass)
            let admin = try await server.send(
                "POST", "/api/admin/users/u1/erase", #"{"reason":"asked"}"#, token: Fixture.apiKey(.admin),
                fields: [("Idempotency-Key", "k")])
            #expect(admin.status == 204)
            let browser = try await Browser.signedIn(.owner, at: server, client)
            let start = try ParsedPage(try await browser.get("/dashboard").body)
            #expect(!start.text.contains("Bind to…") && start.text.contains("erased"))
            let place = try await browser.get("/dashboard/search?q=p1").headers["location"].first ?? ""
            let page = try ParsedPage(try await browser.get(place).body)
            #expect(page.text.contains("Its owner was erased; only the same Apple account can claim it."))
            #expect(ActWalk.form("/dashboard/purchase/bind", in: page) == nil)
            #expect(!page.text.contains("or bind it here"))

            let token = page.all("input").first { $0.attributes["name"] == "form_token" }?.attributes["value"] ?? ""
            let fields = [
                "source": "apple_iap", "app": Fixture.app.text, "environment": "Production", "id": "p1", "user": "u7",
                "reason": "typed in", "form_id": "4711471147114711",
            ]
            let before = try await server.open.schema.dump("purchases")
            let act = "/dashboard/users/u7/acts/bind"
            for path in ["/dashboard/purchase/bind", act, act + "/confirm"] {
                let refused = try await browser.submit(path, fields, token: token)
                #expect(refused.status == 422, "\(path): \(refused.status)")
            }
            #expect(try await server.open.schema.dump("purchases") == before)
            #expect(try await server.audited.allSatisfy { $0["action"]?.string != AuditAction.bindPurchase.text })

            let settings = ["language": "zh", "zone": "UTC", "theme": "dark"]
            #expect(try await browser.post("/dashboard/account", settings).status == 303)
            let chinese = try ParsedPage(try await browser.get(place).body)
            #expect(chinese.text.contains("其所有者已被抹除；只有同一 Apple 账户可以取回。"))
        }
    }

    @Test func `without the form's token, or from another origin, nothing is done`() async throws {
        try await Browser.visiting { server, client in
            try await server.sell("pass.30d", as: "p1", .pass)
            let browser = try await Browser.signedIn(.owner, at: server, client)
            let walk = ActWalk(browser, "give-days")
            let preview = try await walk.preview(
                ["tier": "pro", "days": "3", "reason": "x", "reference": "y"])
            let form = try walk.confirmation(in: preview)
            let token = form.fields["form_token"] ?? ""
            let before = try await server.open.schema.dump()
            for path in (Self.acts + Self.ownersActs).flatMap({ act in
                ["/dashboard/users/u1/acts/" + act, "/dashboard/users/u1/acts/" + act + "/confirm"]
            }) + ["/dashboard/purchase/bind", "/dashboard/orders"] {
                for (known, origin) in [
                    ("", Browser.origin), ("x", Browser.origin), (token, "https://evil.example"), (token, nil),
                ] as [(String, String?)] {
                    var fields = form.fields
                    fields["form_token"] = nil
                    let answer = try await browser.submit(path, fields, token: known, origin: origin)
                    #expect(answer.status == 403, "\(path) \(origin ?? "-")")
                }
            }
            #expect(try await browser.get(walk.path + "/confirm").status == 405)
            #expect(try await server.open.schema.dump() == before)
        }
    }

    @Test func `a refused act says why beside its field, and keeps what was typed`() async throws {
        try await Browser.visiting { server, client in
            try await server.sell("pass.30d", as: "p1", .pass)
            try await server.sellCredits()
            let browser = try await Browser.signedIn(.owner, at: server, client)
            let before = try await server.open.schema.dump()
            let purchase = "apple_iap \(Fixture.app.text) Production p1"
            let (why, ref) = ("reason", "reference")
            for (act, field, fields) in [
                ("give-days", "days", ["tier": "pro", "days": "0", why: "kept words", ref: "t"]),
                ("give-days", "days", ["tier": "pro", "days": "many", why: "kept words", ref: "t"]),
                ("give-days", "days", ["tier": "pro", "days": "36501", why: "kept words", ref: "t"]),
                ("give-days", "tier", ["tier": "gold", "days": "3", why: "kept words", ref: "t"]),
                ("give-days", "reference", ["tier": "pro", "days": "3", why: "kept words", ref: ""]),
                ("give-days", "reason", ["tier": "pro", "days": "3", why: " ", ref: "kept words"]),
                ("give-days", "reason", ["days": "3", why: String(repeating: "x", count: 501), ref: "kept words"]),
                ("give-until", "until", ["tier": "pro", "until": "2020-01-01", why: "kept words", ref: "t"]),
                ("give-until", "until", ["tier": "pro", "until": "soon", why: "kept words", ref: "t"]),
                ("give-add-on", "product", ["product": "x y", why: "kept words", ref: "t"]),
                ("give-credits", "amount", ["unit": "credit", "amount": "-1", why: "kept words", ref: "t"]),
                ("give-credits", "unit", ["unit": "gold", "amount": "1", why: "kept words", ref: "t"]),
                (
                    "give-credits", "expires_at",
                    ["unit": "credit", "amount": "1", "expires_at": "2020-01-01", why: "kept words", ref: "t"]
                ),
                (
                    "take-credits", "amount",
                    ["unit": "Production credit", "amount": "101", why: "kept words", ref: "t"]
                ),
                ("make-good", "purchase", ["purchase": purchase, why: "kept words", ref: "t"]),
                ("revoke", "purchase", ["purchase": "nothing", why: "kept words"]),
                ("transfer", "user", ["purchase": purchase, "user": "u1", why: "kept words"]),
                ("transfer", "user", ["purchase": purchase, "user": "no user", why: "kept words"]),
                ("merge", "user", ["user": "u1", why: "kept words"]),
                ("merge", "user", ["user": "unheard-of", why: "kept words"]),
                ("remove-device", "device", ["device": "none", why: "kept words"]),
                ("erase", "typed", ["typed": "U1", why: "kept words"]),
            ] as [(String, String, [String: String])] {
                let answer = try await ActWalk(browser, act).preview(fields)
                let page = try ParsedPage(answer.body)
                #expect(answer.status == 422, "\(act) \(fields)")
                let alert = try #require(page.elements.first { $0.attributes["role"] == "alert" })
                #expect(!alert.text.isEmpty)
                #expect(page.all("a").contains { $0.attributes["href"] == "#f-" + field }, "\(act) \(field)")
                let wrong = try #require(
                    page.elements.first { $0.attributes["aria-invalid"] == "true" }, "\(act) \(fields)")
                #expect(wrong.attributes["id"] == "f-" + field, "\(act) \(fields)")
                let told = page.elements.first { $0.attributes["id"] == wrong.attributes["aria-describedby"] }
                #expect(told.map { alert.text.contains($0.text) } == true, "\(act) \(told?.text ?? "-")")
                #expect(answer.body.contains("kept words"), "\(act) \(fields)")
                #expect(page.all("h1").count == 1)
            }
            #expect(try await server.open.schema.dump() == before)
        }
    }

    @Test func `hostile texts in every field are texts on the pages`() async throws {
        try await Browser.visiting { server, client in
            try await server.sell("pass.30d", as: "p1", .pass)
            let browser = try await Browser.signedIn(.owner, at: server, client)
            let names = [
                "tier", "days", "until", "product", "unit", "amount", "expires_at", "reason", "reference", "purchase",
                "user", "device", "typed", "source", "app", "id", "form_id", "ledgers",
            ]
            for (number, text) in HostileTexts.all.enumerated() where number % 7 == 0 && !text.isEmpty {
                let act = (Self.acts + Self.ownersActs)[number / 7 % (Self.acts.count + 1)]
                let walk = ActWalk(browser, act)
                let fields = Dictionary(uniqueKeysWithValues: names.map { ($0, text) })
                let answer = try await walk.preview(fields)
                let page = try ParsedPage(answer.body)
                #expect(answer.status == 422 || answer.status == 200, "\(act) \(answer.status)")
                #expect(page.all("script").isEmpty && page.all("img").isEmpty && page.all("b").isEmpty, "\(text)")
                let query = text.utf8.map { "%" + ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
                let shown = try ParsedPage(
                    try await browser.get(walk.path + "?reason=\(query)&user=\(query)&purchase=\(query)").body)
                #expect(shown.all("script").isEmpty && shown.all("img").isEmpty)
            }
            let given = try await ActWalk(browser, "give-days").preview(
                ["tier": "pro", "days": "3", "reason": "<b>x</b>", "reference": "<i>y</i>"])
            #expect(given.status == 200 && !given.body.contains("<b>x") && !given.body.contains("<i>y"))
        }
    }

    @Test func `Apple is asked about an order by a button, by any role, and what came is shown`() async throws {
        let apple = AppleShelf()
        try await Browser.visiting(asking: apple) { server, client in
            var pass = Fixture.pass("1001")
            pass.environment = .production
            let text = try server.authority.sign(pass.signed(at: pass.purchaseDate + 60_000)).text
            apple.add(order: "MQ7HX2K4TN", [text])
            let browser = try await Browser.signedIn(.viewer, at: server, client)
            let search = try ParsedPage(try await browser.get("/dashboard/search?q=MQ7HX2K4TN").body)
            let form = try #require(ActWalk.form("/dashboard/orders", in: search))
            let answer = try await browser.submit(form.action, form.fields, token: form.fields["form_token"] ?? "")
            let page = try ParsedPage(answer.body)
            #expect(answer.status == 200 && page.text.contains("30-day pass") && page.text.contains("1001"))
            let again = try await browser.submit(form.action, form.fields, token: form.fields["form_token"] ?? "")
            #expect(again.status == 429)
            server.clock.now = server.clock.now + 1_000
            let unknown = try await browser.submit(
                form.action, ["order_id": "MAAAAAAAAA"], token: form.fields["form_token"] ?? "")
            #expect(try ParsedPage(unknown.body).text.contains("Apple knows no such order."))
            let acts = try await server.audited.filter { $0["action"]?.string == "order.look_up" }
            #expect(acts.count == 2 && acts.allSatisfy { $0["actor"]?.string?.hasPrefix("staff:") == true })
        }
    }

    @Test func `without App Store credentials there is no order to look up`() async throws {
        try await Browser.visiting { server, client in
            let browser = try await Browser.signedIn(.viewer, at: server, client)
            let token = Browser.formToken(in: try await browser.get("/dashboard").body) ?? ""
            let answer = try await browser.submit("/dashboard/orders", ["order_id": "MQ7HX2K4TN"], token: token)
            #expect(answer.status == 404)
        }
    }
}
