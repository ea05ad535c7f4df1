import AppStore
import Entitlements
import LedgerStore
import MariaDB
import StoreSimulator
import StrictJSON
import Support
import Testing

@testable import EntitlementAPI

/// A restore asks Apple for what no client sent (`semantics.md` §6).
struct HealingTests {
    /// A server and the history that it asks.
    private struct Shop {
        let server: TestServer
        let apple: HistoryServer

        /// The signed text of a pass of the usual Apple account, or of `account`, bought on 2026-01-10 or later.
        func text(
            _ id: String, account: String? = "704897469903383919", token: String? = nil, days: Int64 = 0,
            signedAfter seconds: Int64 = 0, refunded: Bool = false
        ) throws -> String {
            var pass = Fixture.pass(id)
            pass.purchaseDate += days * Instant.millisecondsPerDay
            pass.originalPurchaseDate = pass.purchaseDate
            pass.appTransactionId = account
            pass.appAccountToken = token
            if refunded { pass = pass.refunded(at: pass.purchaseDate + 1, percentage: 100_000) }
            return try server.authority.sign(pass.signed(at: pass.purchaseDate + 1_000 + seconds * 1_000)).text
        }

        func restore(_ texts: [String], as user: String = "u1", proof: String? = nil) async throws -> JSONValue {
            let items = texts.map { "\"\($0)\"" }.joined(separator: ",")
            let member = proof.map { #","signedAppTransaction":"\#($0)""# } ?? ""
            let answer = try await server.send(
                "POST", "/api/iap/apple/restore", #"{"signedTransactions":[\#(items)]\#(member)}"#,
                token: Fixture.token(of: user))
            #expect(answer.status == 200, "\(answer.body)")
            return try answer.json
        }

        /// The purchases that a user has.
        func purchases(of user: String = "u1") async throws -> [String] {
            let answer = try await server.send("GET", "/api/iap/purchases", token: Fixture.token(of: user))
            return try answer.json["data"]?.elements?.compactMap { $0["external_id"]?.string }.sorted() ?? []
        }

        func owner(of id: String) async throws -> [[Value]] {
            try await server.open.schema.rows("SELECT user_id FROM purchases WHERE external_id = ?", [.text(id)])
        }
    }

    private static func open(
        pageSize: Int = 20, rules: ClaimRules = ClaimRules(), patience: Duration = .seconds(60),
        _ body: @Sendable (Shop) async throws -> Void
    ) async throws {
        let apple = HistoryServer(pageSize: pageSize)
        try await TestServer.run(rules: rules, asking: apple, patience: patience) { server in
            try await body(Shop(server: server, apple: apple))
        }
    }

    private static func said(_ answer: JSONValue) -> [String?] {
        [answer["history"]?.string, answer["summary"]?["recovered"]?.integer]
    }

    @Test func `the second pass of a product, which no client sent, is healed within the request`() async throws {
        try await Self.open { shop in
            let sent = try shop.text("1001")
            shop.apple.list([sent, try shop.text("1002", days: 1)])
            let answer = try await shop.restore([sent])
            #expect(Self.said(answer) == ["complete", "1"])
            #expect(answer["summary"]?["attached"]?.integer == "1")
            #expect(answer["status"]?["access_expires_at"]?.string == "2026-03-11T00:00:00Z")
            #expect(try await shop.purchases() == ["1001", "1002"])
            #expect(shop.apple.asked == [.history(of: "1001", after: nil)])
            #expect(try await shop.server.open.schema.rows("SELECT 1 FROM jobs").isEmpty)
        }
    }

    @Test func `Apple is asked once in ten minutes, whoever restores in between`() async throws {
        try await Self.open { shop in
            let sent = try shop.text("1001")
            shop.apple.list([sent])
            #expect(Self.said(try await shop.restore([sent])) == ["complete", "0"])
            shop.apple.list([sent, try shop.text("1002")])
            #expect(Self.said(try await shop.restore([sent])) == ["recent", "0"])
            shop.server.clock.now = shop.server.clock.now + (HistoryWalks.pause - 1)
            #expect(Self.said(try await shop.restore([sent])) == ["recent", "0"])
            shop.server.clock.now = shop.server.clock.now + 1
            #expect(Self.said(try await shop.restore([sent])) == ["complete", "1"])
            #expect(shop.apple.asked.count == 2)
        }
    }

    @Test func `of ten restores at once one asks`() async throws {
        try await Self.open { shop in
            let sent = try shop.text("1001")
            shop.apple.list([sent, try shop.text("1002")])
            _ = try await shop.server.send(
                "POST", "/api/iap/apple/transactions/attach", #"{"signedTransactionJWS":"\#(sent)"}"#)
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<10 { group.addTask { _ = try await shop.restore([sent]) } }
                try await group.waitForAll()
            }
            #expect(shop.apple.asked.count == 1)
            #expect(try await shop.purchases() == ["1001", "1002"])
        }
    }

    @Test func `what another Apple account bought stays, unless it carries the caller's token`() async throws {
        try await Self.open { shop in
            let issued = try await shop.server.send("GET", "/api/iap/apple/account-token")
            let token = try issued.json["app_account_token"]?.string
            let sent = try shop.text("1001")
            shop.apple.list([
                sent, try shop.text("1002", account: "9"), try shop.text("1003", account: nil),
                try shop.text("1004", account: "9", token: token),
            ])
            #expect(Self.said(try await shop.restore([sent])) == ["complete", "1"])
            #expect(try await shop.purchases() == ["1001", "1004"])
            #expect(try await shop.owner(of: "1002").isEmpty, "a purchase of others is not even recorded")
        }
    }

    @Test func `a purchase of the account that another user has, or that names another user, is not taken`()
        async throws
    {
        try await Self.open { shop in
            let issued = try await shop.server.send(
                "GET", "/api/iap/apple/account-token", token: Fixture.token(of: "u2"))
            let token = try issued.json["app_account_token"]?.string
            _ = try await shop.server.send(
                "POST", "/api/iap/apple/transactions/attach",
                #"{"signedTransactionJWS":"\#(try shop.text("1002"))"}"#, token: Fixture.token(of: "u2"))
            let sent = try shop.text("1001")
            shop.apple.list([sent, try shop.text("1002"), try shop.text("1003", token: token)])
            #expect(Self.said(try await shop.restore([sent])) == ["complete", "0"])
            #expect(try await shop.purchases() == ["1001"])
            #expect(try await shop.purchases(of: "u2") == ["1002"])
            #expect(try await shop.owner(of: "1003") == [[.null]])
        }
    }

    @Test func `a thief with somebody else's text opens nobody's history`() async throws {
        try await Self.open { shop in
            let sent = try shop.text("1001")
            _ = try await shop.server.send(
                "POST", "/api/iap/apple/transactions/attach", #"{"signedTransactionJWS":"\#(sent)"}"#)
            shop.apple.list([sent, try shop.text("1002")])
            let answer = try await shop.restore([sent], as: "thief")
            #expect(answer["summary"]?["refused"]?.integer == "1" && answer["history"]?.string == "complete")
            #expect(shop.apple.asked.isEmpty)
            #expect(try await shop.purchases(of: "thief").isEmpty)
        }
    }

    @Test func `while Apple is away what was sent is attached, and the job heals the rest`() async throws {
        let failures: [AppStoreServerFailure] = [
            .unreachable("away"), .keyNotAccepted, .paused(until: Fixture.now), .refused(code: 4_040_002),
        ]
        for failure in failures {
            try await Self.open { shop in
                let sent = try shop.text("1001")
                shop.apple.list([sent, try shop.text("1002")])
                shop.apple.fail(failure)
                #expect(Self.said(try await shop.restore([sent])) == ["unavailable", "0"])
                #expect(Self.said(try await shop.restore([sent])) == ["pending", "0"], "the answer is owed")
                #expect(try await shop.purchases() == ["1001"])
                let person = try await shop.server.person()
                let jobs = try await shop.server.open.schema.rows("SELECT kind, subject FROM jobs")
                #expect(jobs.count == 1)
                let walked = try await shop.server.api.history?.walk(for: person)
                #expect(walked?.recovered == 1 && walked?.isWhole == true)
                #expect(try await shop.purchases() == ["1001", "1002"])
                #expect(try await shop.server.open.schema.rows("SELECT 1 FROM jobs").isEmpty)
                #expect(Self.said(try await shop.restore([sent])) == ["recent", "0"])
            }
        }
    }

    @Test func `a refusal for good is not asked again before the next restore`() async throws {
        for failure in [AppStoreServerFailure.refused(code: 4_040_010), .refused(code: 4_000_006)] {
            try await Self.open { shop in
                let sent = try shop.text("1001")
                shop.apple.fail(failure)
                #expect(Self.said(try await shop.restore([sent])) == ["unavailable", "0"])
                #expect(try await shop.server.open.schema.rows("SELECT 1 FROM jobs").isEmpty)
                #expect(Self.said(try await shop.restore([sent])) == ["recent", "0"])
            }
        }
    }

    @Test(.timeLimit(.minutes(20)))
    func `a restore does not wait for a slow Apple, and the walk goes on behind its answer`() async throws {
        try await Self.open(patience: .milliseconds(100)) { shop in
            let sent = try shop.text("1001")
            shop.apple.list([sent, try shop.text("1002")])
            shop.apple.wait(.seconds(2))
            #expect(Self.said(try await shop.restore([sent])) == ["pending", "0"])
            while try await shop.purchases().count < 2 { try await Task.sleep(for: .milliseconds(50)) }
        }
    }

    @Test func `walks of two environments do not keep each other from their end`() async throws {
        try await Self.open { shop in
            var tested = Fixture.pass("2001")
            tested.environment = .production
            let sent = [try shop.text("1001"), try shop.server.authority.sign(tested).text]
            shop.apple.list([try shop.text("1002")])
            shop.apple.fail(.refused(code: 4_040_010))
            let answer = try await shop.restore(sent)
            #expect(Self.said(answer) == ["unavailable", "1"], "one is refused for good, the other read")
            #expect(answer["status"]?["entitlements"]?.elements?.count == 3)
            #expect(shop.apple.asked.count == 2)
        }
    }

    @Test func `purchases that name no account are asked about one by one, unless another walk recorded them`()
        async throws
    {
        try await Self.open { shop in
            let old = try ["1001", "1002", "1003"].map { try shop.text($0, account: nil) }
            shop.apple.list(
                [try shop.text("1002", account: nil, signedAfter: 60, refunded: true), try shop.text("1004")])
            let answer = try await shop.restore(old)
            #expect(answer["history"]?.string == "complete")
            #expect(shop.apple.asked.count == 2, "the first walk recorded 1002, and nothing of 1003")
            let refunded = answer["status"]?["entitlements"]?.elements?.first { $0["external_id"]?.string == "1002" }
            #expect(refunded?["state"]?.string == "revoked", "\(answer)")
            #expect(try await shop.purchases().count == 3)
        }
    }

    @Test func `a purchase that was attached by an old text is known by the account of its present one`() async throws {
        try await Self.open { shop in
            shop.apple.list([try shop.text("1001", signedAfter: 60), try shop.text("1002")])
            let answer = try await shop.restore([try shop.text("1001", account: nil)])
            #expect(Self.said(answer) == ["complete", "1"])
        }
    }

    @Test func `a long history is read page by page, and a walk that was cut off goes on where it was`() async throws {
        try await Self.open(pageSize: 10) { shop in
            let texts = try (1...45).map { try shop.text("10\($0 + 10)") }
            shop.apple.list(texts)
            shop.apple.onAsk { number in if number == 3 { throw AppStoreServerFailure.unreachable("cut off") } }
            #expect(Self.said(try await shop.restore([texts[0]])) == ["unavailable", "0"])
            #expect(try await shop.purchases().count == 20)
            let walked = try await shop.server.api.history?.walk(for: shop.server.person())
            #expect(walked?.recovered == 44)
            #expect(try await shop.purchases().count == 45)
            let places = shop.apple.asked.map { question -> String? in
                guard case .history(_, let revision) = question else { return nil }
                return revision
            }
            #expect(places == [nil, "10", "20", "20", "30", "40"])
        }
    }

    @Test func `a list that stands still ends`() async throws {
        try await Self.open(pageSize: 0) { shop in
            let sent = try shop.text("1001")
            shop.apple.list([sent])
            #expect(Self.said(try await shop.restore([sent])) == ["complete", "0"])
            #expect(shop.apple.asked.count == 2)
        }
    }

    @Test func `a text in the history that is not genuine is left out and logged`() async throws {
        try await Self.open { shop in
            let (sent, other) = (try shop.text("1001"), try shop.text("1002"))
            shop.apple.list([sent, String(other.dropLast(4)) + "AAAA", "no text", try shop.text("1003")])
            #expect(Self.said(try await shop.restore([sent])) == ["complete", "1"])
            #expect(try await shop.purchases() == ["1001", "1003"])
            #expect(shop.server.log.lines.contains { $0.contains("not genuine") })
        }
    }

    @Test func `a refund of which only the history tells ends the pass`() async throws {
        try await Self.open { shop in
            let sent = try shop.text("1001")
            shop.apple.list([try shop.text("1001", signedAfter: 60, refunded: true)])
            let answer = try await shop.restore([sent])
            #expect(Self.said(answer) == ["complete", "0"])
            #expect(answer["status"]?["state"]?.string == "expired")
        }
    }

    @Test func `an answer that comes after the user was erased, or the purchase moved, changes nobody`() async throws {
        for isErased in [true, false] {
            try await Self.open { shop in
                let sent = try shop.text("1001")
                shop.apple.list([sent, try shop.text("1002")])
                shop.apple.onAsk { [server = shop.server] _ in
                    let (path, body) =
                        isErased
                        ? ("erase", #"{"reason":"r"}"#)
                        : ("transfer", #"{"to_user_id":"u2","external_id":"1001","reason":"r"}"#)
                    let answer = try await server.send(
                        "POST", "/api/admin/users/u1/" + path, body, token: Fixture.apiKey(.admin),
                        fields: [("Idempotency-Key", "k")])
                    #expect((200..<300).contains(answer.status), "\(answer.body)")
                }
                #expect(Self.said(try await shop.restore([sent]))[1] == "0")
                #expect(try await shop.purchases() == (isErased ? [] : ["1001"]), "the list tells what was given away")
                #expect(try await shop.purchases(of: "u2") == (isErased ? [] : ["1001"]))
                #expect(try await shop.owner(of: "1002") == [[.null]])
                let walks = try await shop.server.open.schema.rows("SELECT 1 FROM history_walks")
                #expect(walks.isEmpty == isErased)
            }
        }
    }

    @Test func `under the rule of proof only a proven account's history is claimed`() async throws {
        try await Self.open(rules: ClaimRules(unclaimed: .proof)) { shop in
            let sent = try shop.text("1001")
            shop.apple.list([sent, try shop.text("1002")])
            let app = SimulatedAppTransaction(bundleId: Fixture.app.text, at: Fixture.now.milliseconds)
            var account = app
            account.appTransactionId = "704897469903383919"
            let proof = try shop.server.authority.sign(account).text
            #expect(Self.said(try await shop.restore([sent], proof: proof)) == ["complete", "1"])
            #expect(try await shop.purchases() == ["1001", "1002"])
            shop.apple.list([sent, try shop.text("1002"), try shop.text("1003")])
            shop.server.clock.now = shop.server.clock.now + HistoryWalks.pause
            #expect(Self.said(try await shop.restore([sent])) == ["complete", "0"])
        }
    }

    @Test func `a restore of nothing heals through what the user has`() async throws {
        for body in ["[]", #"{"signedTransactions":[]}"#, #"{"signed_transactions":[]}"#] {
            try await Self.open { shop in
                let sent = try shop.text("1001")
                _ = try await shop.server.send(
                    "POST", "/api/iap/apple/transactions/attach", #"{"signedTransactionJWS":"\#(sent)"}"#)
                shop.apple.list([sent, try shop.text("1002", days: 1)])
                for (history, recovered) in [("complete", "1"), ("recent", "0")] {
                    let answer = try await shop.server.send("POST", "/api/iap/apple/restore", body)
                    #expect(answer.status == 200, "\(answer.body)")
                    let json = try answer.json
                    #expect(Self.said(json) == [history, recovered] && json["results"]?.elements?.isEmpty == true)
                    #expect(json["status"]?["access_expires_at"]?.string == "2026-03-11T00:00:00Z")
                }
                #expect(try await shop.purchases() == ["1001", "1002"])
                #expect(shop.apple.asked == [.history(of: "1001", after: nil)])
            }
        }
    }

    @Test func `a restore of nothing by a user without purchases asks nobody and makes nobody known`() async throws {
        try await Self.open { shop in
            let answer = try await shop.restore([], as: "stranger")
            #expect(Self.said(answer) == ["complete", "0"] && answer["status"]?["known"]?.flag == false)
            #expect(shop.apple.asked.isEmpty)
            #expect(
                try await shop.server.open.schema.number("SELECT COUNT(*) FROM users WHERE user_id = 'stranger'") == 0)
        }
    }

    @Test func `a history that leads back to a page ends there, and one of two hundred pages is left`() async throws {
        try await Self.open { shop in
            let sent = try shop.text("1001")
            shop.apple.list([sent, try shop.text("1002")])
            shop.apple.lead { number in ["x", "y"][number % 2] }
            #expect(Self.said(try await shop.restore([sent])) == ["complete", "1"])
            #expect(shop.apple.asked.count == 3)
            shop.apple.lead { number in String(100 + number) }
            shop.server.clock.now = shop.server.clock.now + HistoryWalks.pause
            #expect(Self.said(try await shop.restore([])) == ["unavailable", "0"])
            #expect(shop.apple.asked.count == 3 + 200)
            #expect(try await shop.server.open.schema.rows("SELECT 1 FROM jobs").isEmpty)
            #expect(shop.server.log.lines.contains { $0.contains("too many pages") })
        }
    }

    @Test func `without credentials nothing is asked`() async throws {
        try await TestServer.run { server in
            let sent = try server.authority.sign(Fixture.pass()).text
            let answer = try await server.send(
                "POST", "/api/iap/apple/restore", #"{"signedTransactions":["\#(sent)"]}"#)
            #expect(try answer.json["history"]?.string == "not_configured")
            let none = try await server.send("POST", "/api/iap/apple/restore", "[]")
            #expect(try none.status == 200 && none.json["history"]?.string == "not_configured")
        }
    }
}

extension TestServer {
    /// The pseudonym of the only user who has a ledger.
    fileprivate func person() async throws -> UInt64 {
        guard case .uint64(let person)? = try await open.schema.rows("SELECT user_id FROM history_walks").first?.first
        else { throw Fixture.Missing() }
        return person
    }
}
