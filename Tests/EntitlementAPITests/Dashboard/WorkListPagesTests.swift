import Entitlements
import LedgerStore
import MariaDB
import MariaDB
import NIOHTTP1
import StrictJSON
import Support
import Testing

@testable import EntitlementAPI

/// The lists of work that waits for a person, and the acts in their rows.
@Suite(.serialized) struct WorkListPagesTests {
    private static let lists = [
        ("deliveries", "No deliveries yet."), ("deliveries?state=parked", "Nothing waits."), ("jobs", "Nothing waits."),
        ("jobs?state=waiting", "Nothing passes these filters."), ("anomalies", "Nothing waits."),
        ("late-passes", "Nothing waits."),
        ("conflicts", "Nothing waits."), ("testers", "No testers."), ("reconciliations", "No run yet."),
        ("refund-questions", "Apple has asked nothing."), ("users", "No users yet."),
    ]

    @Test func `a list without rows says so, and what would appear`() async throws {
        try await Browser.visiting { server, client in
            let browser = try await Browser.signedIn(.viewer, at: server, client)
            for (path, words) in Self.lists {
                let page = try await browser.page("/dashboard/" + path)
                #expect(page.text.contains(words), "\(path)")
                #expect(page.all("table").isEmpty && !page.text.contains("Next page"), "\(path)")
            }
            let filtered = try await browser.page("/dashboard/deliveries?state=applied")
            #expect(filtered.text.contains("Nothing passes these filters."))
            for query in ["user_id=not%20a%20user", "from=tomorrow", "to=2026-13-01"] {
                let page = try await browser.page("/dashboard/deliveries?" + query)
                #expect(page.text.contains("A filter could not be read"), "\(query)")
            }
        }
    }

    @Test func `deliveries are those of the route, filtered, on pages of fifty`() async throws {
        try await Browser.visiting { server, client in
            for number in 1...120 {
                _ = try await server.park(
                    "evt_\(number)", result: number % 2 == 0 ? .parked : .ignored,
                    reason: number % 2 == 0 ? .noUser : nil)
            }
            let browser = try await Browser.signedIn(.viewer, at: server, client)
            for query in ["", "?state=parked", "?state=parked&reason=no_user", "?state=applied", "?source=stripe"] {
                let wanted = try await server.rows("/api/admin/webhooks" + query)
                    .compactMap { $0["notification_id"]?.string }
                var (seen, path): ([String], String?) = ([], "/dashboard/deliveries" + query)
                while let place = path {
                    let page = try await browser.page(place)
                    seen += page.all("code").map(\.text).filter { $0.hasPrefix("evt_") }
                    path = page.link("Next page")
                }
                #expect(seen == wanted, "\(query)")
            }
            let page = try await browser.page("/dashboard/deliveries?state=parked")
            #expect(page.rowNames.allSatisfy { $0.hasPrefix("Refundcharge.refunded") })
            #expect(page.text.contains("Nobody has the purchase yet.") && page.text.contains("50 rows"))
            #expect(!page.all("button").contains { ["Replay", "Open body"].contains($0.text) }, "a viewer")
            let bar = page.all("a").filter { $0.attributes["aria-current"] == "page" }
            #expect(bar.map(\.text) == ["Parked deliveries 60"])
        }
    }

    @Test func `support replays a delivery once, as themselves, and comes back to the list`() async throws {
        try await Browser.visiting { server, client in
            let id = try await server.park("evt_1")
            let gone = try await server.park("evt_2")
            try await server.open.schema.rows("DELETE FROM inbox_texts WHERE delivery_id = ?", [.uint64(gone)])
            let browser = try await Browser.signedIn(.support, at: server, client)
            let list = "/dashboard/deliveries?state=parked"
            let page = try await browser.page(list)
            let path = "/dashboard/deliveries/\(id)/replay"
            #expect(page.hasForm(path) && page.text.contains("Parked deliveries 2"))
            let done = try await browser.press(path, on: list, ["back": list])
            #expect(done.status == 303 && done.headers["location"] == [list + "&done=replayed"])
            #expect(try await browser.page(list + "&done=replayed").text.contains("is being placed again"))
            let kept = try await browser.press(
                "/dashboard/deliveries/\(gone)/replay", on: list, ["back": "//evil.example/"])
            #expect(kept.headers["location"] == ["/dashboard/deliveries?done=kept"])
            #expect(try await browser.press("/dashboard/deliveries/999999/replay", on: list).status == 404)
            #expect(try await browser.press("/dashboard/deliveries/x/replay", on: list).status == 404)
            let acts = try await server.audited.filter { $0["action"]?.string == "delivery.replay" }
            #expect(acts.count == 1 && acts.first?["actor"]?.string?.hasPrefix("staff:") == true)
            #expect(acts.first?["details"]?["delivery"]?.string == String(id))
            #expect(try await browser.get(path).status == 405, "GET changes nothing")
        }
    }

    @Test func `the body of a delivery is opened by support, which stands in the trail`() async throws {
        try await Browser.visiting { server, client in
            let payload = #"{"notificationType":"REFUND","data":{"bundleId":"com.example.app"}}"#
            let jws = "eyJhbGciOiJFUzI1NiJ9." + Base64URL.encode(payload.utf8) + ".c2ln"
            let id = try await server.park(
                "evt_1", body: #"{"mail":"ann@b.example <script>","signed":"\#(jws)","list":[1,true,null]}"#)
            let viewer = try await Browser.signedIn(.viewer, named: "vera", at: server, client)
            let path = "/dashboard/deliveries/\(id)/body"
            #expect(try await viewer.press(path, on: "/dashboard").status == 403)
            #expect(try await server.audited.allSatisfy { $0["action"]?.string != "delivery.open" })
            let support = try await Browser.signedIn(.support, named: "sam", at: server, client)
            #expect(try await !support.page("/dashboard/deliveries").text.contains("ann@b.example"))
            let opened = try await support.press(path, on: "/dashboard/deliveries")
            #expect(opened.status == 200 && opened.headers["cache-control"] == ["no-store"])
            let text = try ParsedPage(opened.body).all("pre").first?.text ?? ""
            let parts = [
                "ann@b.example <script>", #""notificationType": "REFUND""#, #""bundleId": "com.example.app""#,
            ]
            for words in parts { #expect(text.contains(words), "\(words)") }
            let acts = try await server.audited.filter { $0["action"]?.string == "delivery.open" }
            #expect(acts.count == 1 && acts[0]["actor"]?.string?.hasPrefix("staff:") == true)
            #expect(acts[0]["details"]?["external_id"]?.string == "evt_1")
            #expect(!"\(acts)".contains("ann@"))
            try await server.open.schema.rows("DELETE FROM inbox_texts")
            #expect(try await support.press(path, on: "/dashboard/deliveries").body.contains("The body is deleted."))
            #expect(try await support.press("/dashboard/deliveries/999/body", on: "/dashboard").status == 404)
        }
    }

    @Test func `dead jobs are listed and revived once`() async throws {
        try await Browser.visiting { server, client in
            let job = try await server.giveUp(try await server.park("evt_1"))
            let alive = try await server.park("evt_2")
            let browser = try await Browser.signedIn(.support, at: server, client)
            let page = try await browser.page("/dashboard/jobs")
            #expect(page.text.contains("Place a delivery") && page.text.contains("evt_1"))
            #expect(!page.text.contains("evt_2") && page.text.contains("Dead jobs 1"))
            #expect(try await browser.page("/dashboard/jobs?state=waiting").text.contains("evt_2"))
            let path = "/dashboard/jobs/\(job)/revive"
            #expect(page.hasForm(path))
            let done = try await browser.press(path, on: "/dashboard/jobs", ["back": "/dashboard/jobs"])
            #expect(done.headers["location"] == ["/dashboard/jobs?done=revived"])
            _ = try await browser.press(path, on: "/dashboard/jobs")
            let acts = try await server.audited.filter { $0["action"]?.string == "job.revive" }
            #expect(acts.count == 1 && acts[0]["actor"]?.string?.hasPrefix("staff:") == true)
            #expect(try await browser.page("/dashboard/jobs").text.contains("Dead jobs 0"), "counted anew")
            #expect(try await browser.press("/dashboard/jobs/999999/revive", on: "/dashboard").status == 404)
            #expect(alive > 0)
        }
    }

    @Test func `anomalies, late passes and conflicts are those of the routes, with what settles them`() async throws {
        try await Browser.visiting { server, client in
            try await server.sell("mystery", as: "x1", .pass)
            try await server.sell("addon", as: "x2", .pass, to: "u2", in: .sandbox)
            try await server.leave("orphan")
            try await server.sellBefore(days: 40, as: "late", to: "u3")
            try await server.sell("a1", ofAccount: "apple", to: "u4")
            try await server.sell("a2", ofAccount: "apple", to: "u5")
            let browser = try await Browser.signedIn(.viewer, at: server, client)
            let anomalies = try await browser.page("/dashboard/anomalies")
            let wanted = try await server.rows("/api/admin/anomalies").compactMap { $0["external_id"]?.string }
            #expect(wanted.count == 3 && anomalies.rowNames.count == 3)
            for (name, id) in zip(anomalies.rowNames, wanted) { #expect(name.hasSuffix(id), "\(name)") }
            #expect(anomalies.link("Open the catalogue") == "/dashboard/catalogue")
            #expect(anomalies.link("Bind to…") == nil, "a viewer")
            let support = try await Browser.signedIn(.support, named: "sam", at: server, client)
            let bind = try await support.page("/dashboard/anomalies").link("Bind to…")
            #expect(bind?.hasPrefix("/dashboard/purchase?") == true)
            #expect(anomalies.text.contains("Sandbox") && anomalies.text.contains("Anomalies 3"))
            let chosen = try await browser.page("/dashboard/anomalies?reason=unowned")
            #expect(chosen.rowNames.count == 1 && chosen.text.contains("Belongs to nobody"))
            #expect(chosen.link("Clear filters") == "/dashboard/anomalies")

            let late = try await browser.page("/dashboard/late-passes")
            #expect(late.rowNames.count == 1 && late.link("Make good") == nil, "a viewer")
            let good = try await support.page("/dashboard/late-passes").link("Make good") ?? ""
            #expect(good.hasPrefix("/dashboard/users/u3/acts/make-good?purchase=apple_iap%20"), "\(good)")
            #expect(try await support.page(good).all("option").contains { $0.text.contains("late") })
            let conflicts = try await browser.page("/dashboard/conflicts")
            #expect(conflicts.rowNames.count == 1 && conflicts.link("u4") != nil && conflicts.link("u5") != nil)
            #expect(conflicts.link("Move") == nil, "a viewer")
            let settled = try await support.page("/dashboard/conflicts")
            #expect(settled.link("Move") == "/dashboard/users/u4/acts/transfer?purchase=all&user=u5")
            let merge = settled.all("a").compactMap { $0.attributes["href"] }.first { $0.contains("/acts/merge") }
            #expect(merge == "/dashboard/users/u4/acts/merge?user=u5")
            let start = try await browser.page("/dashboard")
            for (words, path) in [
                ("Anomalies", "/dashboard/anomalies"), ("Late passes", "/dashboard/late-passes"),
                ("Conflicts", "/dashboard/conflicts"), ("Parked deliveries", "/dashboard/deliveries?state=parked"),
                ("Dead jobs", "/dashboard/jobs"),
            ] { #expect(start.link(words) == path, "\(words)") }
            #expect(start.text.contains("5 things"))
        }
    }

    @Test func `testers, reconciliations and refund questions are those of the routes`() async throws {
        try await Browser.visiting { server, client in
            _ = try await server.send(
                "PUT", "/api/admin/users/u7/sandbox-tester", #"{"reason":"ours"}"#, token: Fixture.apiKey(.write),
                fields: [("Idempotency-Key", "k")])
            let begun = try await server.open.store.reconciliations.begin(since: nil, ofOneUser: false)
            var run = try #require(begun)
            (run.users, run.notifications, run.unlisted, run.place) = (3, 2, ["2000000123456789"], 9)
            #expect(try await server.open.store.reconciliations.note(run, after: 0, isOver: true))
            let browser = try await Browser.signedIn(.viewer, at: server, client)
            let testers = try await browser.page("/dashboard/testers")
            #expect(testers.link("u7") == "/dashboard/users/u7" && testers.text.contains("Sandbox"))
            let runs = try await browser.page("/dashboard/reconciliations")
            for words in ["2 things were missing", "3 users", "2000000123456789", "all of the past"] {
                #expect(runs.text.contains(words), "\(words)")
            }
            #expect(try await browser.page("/dashboard/catalogue").text.contains("30-day pass"))
        }
    }
}
