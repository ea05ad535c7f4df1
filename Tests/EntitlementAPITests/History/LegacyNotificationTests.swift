import AppStore
import Entitlements
import LedgerStore
import MariaDB
import StoreSimulator
import StrictJSON
import Support
import Testing

@testable import EntitlementAPI

/// A notification of version 1 is a hint to ask Apple, and nothing more (`apple.md` §4.4).
struct LegacyNotificationTests {
    private static let path = "/api/billing/webhooks/apple"

    private static func open(
        hasSecret: Bool = true, _ body: @Sendable (TestServer, AppleShelf) async throws -> Void
    ) async throws {
        let apple = AppleShelf()
        let receipts = try Receipts.sample(asking: hasSecret ? ReceiptDesk() : nil)
        try await TestServer.run(asking: apple, receipts: receipts) { try await body($0, apple) }
    }

    private static func tell(
        _ server: TestServer, _ ids: [String], password: String = "shared"
    ) async throws -> TestServer.Answer {
        let infos = ids.map { #"{"original_transaction_id":"\#($0)","transaction_id":"9\#($0)"}"# }
        return try await server.send(
            "POST", path,
            """
            {"notification_type":"REFUND","password":"\(password)","environment":"PROD","bid":"com.example.app",
             "original_transaction_id":77,"auto_renew_status":"true","unified_receipt":{"environment":"Production",
             "status":0,"latest_receipt":"MIIT","latest_receipt_info":[\(infos.joined(separator: ","))]}}
            """, token: nil)
    }

    private static func text(_ id: String, _ server: TestServer, token: String? = nil) throws -> (String, String) {
        var pass = Fixture.pass(id)
        pass.appAccountToken = token
        return (id, try server.authority.sign(pass).text)
    }

    private static func count(_ table: String, _ server: TestServer) async throws -> Int {
        try await server.open.schema.number("SELECT COUNT(*) FROM \(table)")
    }

    @Test func `what a notification names is asked about by a job, and recorded like a notification's`() async throws {
        try await Self.open { server, apple in
            let issued = try await server.send("GET", "/api/iap/apple/account-token")
            let token = try issued.json["app_account_token"]?.string
            apple.add(
                .init(
                    texts: [
                        try Self.text("1001", server, token: token), try Self.text("1002", server),
                        try Self.text("1003", server),
                    ].map { (id: $0.0, text: $0.1) }))
            let answer = try await Self.tell(server, ["1001", "1002", "1002"])
            #expect(answer.status == 200 && answer.body == #"{"result":"parked"}"#, "\(answer.body)")
            #expect(apple.asked.isEmpty, "the answer waits for nobody")
            #expect(try await Self.count("jobs WHERE kind = 'lookup' AND subject = 0", server) == 1)
            try await server.api.history?.lookUp(for: Lookups.nobody)
            #expect(apple.environments == [.production, .sandbox])
            let owners = try await server.open.schema.rows(
                """
                SELECT p.external_id, u.user_id FROM purchases p LEFT JOIN users u ON u.pseudonym = p.user_id
                ORDER BY p.external_id
                """)
            #expect(owners == [[.text("1001"), .text("u1")], [.text("1002"), .null]], "and 1003 was not named")
            #expect(try await Self.count("jobs", server) == 0)
        }
    }

    @Test func `each purchase is asked about once in ten minutes, however often it is named`() async throws {
        try await Self.open { server, apple in
            for _ in 0..<3 { #expect(try await Self.tell(server, ["1001"]).status == 200) }
            try await server.api.history?.lookUp(for: Lookups.nobody)
            #expect(apple.asked.count == 2, "in two environments")
            #expect(try await Self.tell(server, ["1001", "1002"]).status == 200)
            try await server.api.history?.lookUp(for: Lookups.nobody)
            #expect(apple.asked.count == 4)
            #expect(try await Self.count("jobs", server) == 1, "1001 is owed later")
            server.clock.now = server.clock.now + (Lookups.pause - 1)
            #expect(try await Self.tell(server, ["1001"]).status == 200)
            try await server.api.history?.lookUp(for: Lookups.nobody)
            #expect(apple.asked.count == 4)
            server.clock.now = server.clock.now + 1
            try await server.api.history?.lookUp(for: Lookups.nobody)
            #expect(apple.asked.count == 6, "without a further notification")
            #expect(try await Self.count("jobs", server) == 0)
        }
    }

    @Test func `of many purchases a hundred are asked about, and of none nothing`() async throws {
        try await Self.open { server, _ in
            #expect(try await Self.tell(server, (1_001...1_101).map(String.init)).status == 200)
            #expect(try await Self.count("lookups", server) == 100)
            let odd = try await Self.tell(server, ["", "x", "1e3", "-7"])
            #expect(odd.status == 200 && odd.body == #"{"result":"ignored"}"#)
            #expect(try await Self.count("lookups", server) == 100)
        }
    }

    @Test func `a purchase that Apple cannot answer does not keep the others from being asked about`() async throws {
        try await Self.open { server, apple in
            apple.add(.init(texts: [try Self.text("1002", server)].map { (id: $0.0, text: $0.1) }))
            apple.onAsk { [apple] in
                if case .history("1001", _)? = apple.asked.last { throw AppStoreServerFailure.unreachable("cut off") }
            }
            #expect(try await Self.tell(server, ["1001", "1002"]).status == 200)
            await #expect(throws: StoreHistory.Failure.self) {
                try await server.api.history?.lookUp(for: Lookups.nobody)
            }
            #expect(try await Self.count("purchases", server) == 1)
            #expect(try await Self.count("lookups WHERE answered_at IS NULL", server) == 1)
            #expect(try await Self.count("jobs", server) == 1)
        }
    }

    @Test func `another password is refused, and nothing of the body is kept`() async throws {
        try await Self.open { server, apple in
            for password in ["", "Shared", "shared ", "other"] {
                let answer = try await Self.tell(server, ["1001"], password: password)
                #expect(answer.status == 400 && answer.code == "evidence_invalid", "\(answer.body)")
            }
            let absent = try await server.send("POST", Self.path, #"{"notification_type":"CANCEL"}"#, token: nil)
            #expect(absent.status == 400)
            let odd = try await server.send("POST", Self.path, #"{"password":["shared"]}"#, token: nil)
            #expect(odd.status == 400)
            #expect(try await Self.count("lookups", server) == 0)
            #expect(try await Self.count("jobs", server) == 0)
            #expect(apple.asked.isEmpty)
        }
    }

    @Test func `without a secret or a key there are no notifications of version 1`() async throws {
        try await Self.open(hasSecret: false) { server, _ in
            let answer = try await Self.tell(server, ["1001"])
            #expect(answer.status == 404)
        }
        try await TestServer.run { server in
            let answer = try await Self.tell(server, ["1001"])
            #expect(answer.status == 404)
        }
    }

    @Test func `while Apple is away nothing is lost, and a dead job lives again with the next notification`()
        async throws
    {
        try await Self.open { server, apple in
            apple.add(.init(texts: [try Self.text("1001", server)].map { (id: $0.0, text: $0.1) }))
            #expect(try await Self.tell(server, ["1001"]).status == 200)
            apple.fail(.unreachable("away"))
            await #expect(throws: StoreHistory.Failure.self) {
                try await server.api.history?.lookUp(for: Lookups.nobody)
            }
            #expect(try await Self.count("jobs WHERE died_at IS NULL", server) == 1)
            try await server.open.schema.rows("UPDATE jobs SET died_at = 1")
            #expect(try await Self.tell(server, ["1002"]).status == 200)
            #expect(try await Self.count("jobs WHERE died_at IS NULL", server) == 1)
            try await server.api.history?.lookUp(for: Lookups.nobody)
            #expect(try await Self.count("purchases", server) == 1)
            #expect(try await Self.count("jobs", server) == 0)
        }
    }
}
