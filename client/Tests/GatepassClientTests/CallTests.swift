import Foundation
import Testing

@testable import GatepassClient

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Every call, against a server.
@MainActor @Suite("Against a server", .serialized, .enabled(if: Dev.server != nil, "Tests/run starts a server"))
struct CallTests {
    private let restore = "POST /api/iap/apple/restore"

    @Test func `an attach says what became of the purchase, and brings the status`() async throws {
        let user = Dev.someone()
        let gatepass = try await Phone().start(user)
        let jws = try await Dev.purchase(user)
        let first = try await gatepass.attach(jws)
        #expect(first.outcome == "attached" && first.finish && first.reason == nil)
        #expect(try await gatepass.attach(jws).outcome == "already_attached")
        let status = try #require(gatepass.status)
        #expect(status.userID == user && status.state == "active" && status.entitlements?.count == 1)
        #expect(status.entitlements?.first?.storeProductID == Dev.pass)
        #expect(status.entitlements?.first?.endsAt == status.expiresAt)
        #expect(status.devices == Status.Seats(allowed: 2, active: 0, suspended: 0))
    }

    // MARK: Restoring

    @Test func `a restore judges each text, and keeps its place`() async throws {
        let user = Dev.someone()
        let phone = Phone()
        let gatepass = try await phone.start(user)
        let texts = [try await Dev.purchase(user), "none", try await Dev.purchase(user, Dev.addOn)]
        let proof = try await Dev.appTransaction(user)
        let restored = try await gatepass.restore(texts, proof: proof) { place in phone.finish(place) }
        #expect((0...2).map { restored.verdicts[$0]?.finish } == [true, false, true])
        #expect(restored.verdicts[1]?.code == .evidenceInvalid && restored.verdicts[1]?.retry == .never)
        #expect(["complete", "recent"].contains(restored.history) && phone[\.finished] == [0, 2])
        #expect(gatepass.has("maps") && gatepass.has("xyz"))
    }

    @Test func `a restore of nothing reads Apple's history`() async throws {
        let phone = Phone()
        let restored = try await phone.start(Dev.someone()).restore([])
        #expect(restored.verdicts.isEmpty && restored.history == "complete" && phone.count(restore) == 1)
    }

    @Test func `a restore of 501 texts goes in two parts`() async throws {
        let user = Dev.someone()
        let phone = Phone()
        let gatepass = try await phone.start(user)
        let texts = Array(repeating: "none", count: 500) + [try await Dev.purchase(user)]
        let restored = try await gatepass.restore(texts) { place in phone.finish(place) }
        #expect(restored.verdicts.count == 501 && restored.verdicts[500]?.outcome == "attached")
        #expect((0..<500).allSatisfy { restored.verdicts[$0]?.outcome == "refused" })
        #expect(phone[\.finished] == [500] && phone.count(restore) == 2)
    }

    @Test func `parts of a restore have at most 500 items and 4 MiB, and nothing is one part`() {
        #expect(Gatepass.parts(of: []) == [[]] && Gatepass.parts(of: [5_000_000, 1]) == [[0], [1]])
        #expect(Gatepass.parts(of: Array(repeating: 10, count: 1_001)).map(\.count) == [500, 500, 1])
        let long = Gatepass.parts(of: Array(repeating: 16_384, count: 500))
        #expect(long.joined().elementsEqual(0..<500))
        #expect(long.allSatisfy { $0.count * 16_387 + 16_384 + 100 <= 4 << 20 })
    }

    @Test func `a restore item that says later is sent again, alone and after its wait`() async throws {
        let user = Dev.someone()
        let phone = Phone()
        let gatepass = try await phone.start(user)
        let texts = ["none", try await Dev.purchase(user), "nothing"]
        let bodies = Bodies()
        phone[\.fault] = Canned.only("restore") { request, real in
            guard try await bodies.add(request.httpBody) == 1 else { return try await real(request) }
            let later = #""outcome": "refused", "finish": false, "code": "unavailable", "retry": "later""#
            let never = #""outcome": "refused", "finish": false, "code": "evidence_invalid", "retry": "never""#
            var asking = URLRequest(url: try #require(Dev.server?.appending(path: "api/iap/apple/status")))
            asking.allHTTPHeaderFields = request.allHTTPHeaderFields
            let (status, _) = try await real(asking)
            return try await Canned.answer(
                200,
                """
                {"results": [{"index": 0, \(never)}, {"index": 1, \(later), "retry_after": 9}, {"index": 2, \(never)}],
                 "history": "recent", "status": \(String(decoding: status, as: UTF8.self))}
                """)(request, real)
        }
        let restored = try await gatepass.restore(texts) { place in phone.finish(place) }
        #expect((0...2).map { restored.verdicts[$0]?.outcome } == ["refused", "attached", "refused"])
        #expect(phone[\.pauses] == [9] && phone[\.finished] == [1])
        let sent = await bodies.texts
        #expect(sent == [texts, [texts[1]]])
    }

    @Test func `too many restores are told to wait, and the client waits and asks again`() async throws {
        let phone = Phone()
        let gatepass = try await phone.start(Dev.someone())
        var error: GatepassError?
        for _ in 0..<12 where error == nil {
            // The device's pauses take no time, so the second and third attempt are refused as well.
            do throws(GatepassError) { try await gatepass.restore([]) } catch let limited { error = limited }
        }
        guard case .wait(let seconds, let problem) = try #require(error) else { Issue.record("no wait"); return }
        #expect((1...60).contains(seconds) && problem?.code == .rateLimited && problem?.status == 429)
        #expect(phone[\.pauses].count == 2 && phone[\.pauses].allSatisfy { (1...60).contains($0) })
    }

    // MARK: The account token

    @Test func `an account token is the same each time, and its purchase is taken`() async throws {
        let user = Dev.someone()
        let gatepass = try await Phone().start(user)
        let token = try #require(await gatepass.accountToken())
        #expect(await gatepass.accountToken() == token)
        let jws = try await Dev.purchase(user, Dev.pass, "--account-token", token.uuidString)
        #expect(try await gatepass.attach(jws).outcome == "attached")
    }

    @Test(.timeLimit(.minutes(1))) func `an account token that cannot be had never stops a sale`() async throws {
        let phone = Phone()
        #expect(await (try phone.start(.token { nil })).accountToken() == nil)
        #expect(await (try phone.start(.token { "no.token" })).accountToken() == nil)
        phone[\.fault] = Canned.noNetwork
        #expect(await (try phone.start(.token { "t" })).accountToken() == nil)
        let silent = try phone.start(
            .token {
                await Gate().pass()  // never opens
                return nil
            })
        #expect(await silent.accountToken() == nil)
    }

    // MARK: Devices, credits, products

    @Test func `devices are put on record up to the seats, suspended, brought back, seen and removed`() async throws {
        let gatepass = try await Phone().startPaying(Dev.someone())
        #expect(try await gatepass.register(device: "a/b?c", name: "Ann's phone", pinned: true).pinned)
        try await gatepass.register(device: "second")
        let full = await #expect(throws: GatepassError.self) { try await gatepass.register(device: "third") }
        #expect(full?.problem?.code == .seatLimitReached)
        #expect(full?.problem?.allowed == 2 && full?.problem?.active == 2)
        #expect(try await gatepass.suspend(device: "second").state == "suspended")
        #expect(try await gatepass.reactivate(device: "second").state == "active")
        #expect(try await gatepass.seen(device: "a/b?c").name == "Ann's phone")
        try await gatepass.remove(device: "second")
        #expect(try await gatepass.devices().map(\.deviceID) == ["a/b?c"])
        let gone = await #expect(throws: GatepassError.self) { try await gatepass.seen(device: "second") }
        #expect(gone?.problem?.code == .unknownDevice)
    }

    @Test func `credits are bought, and spent once for each key`() async throws {
        let user = Dev.someone()
        let gatepass = try await Phone().start(user)
        _ = try await gatepass.attach(try await Dev.purchase(user, Dev.credits))
        let key = UUID().uuidString
        for _ in 0..<2 {
            let spent = try await gatepass.spend(60, of: "credit", for: "a trip", key: key, environment: "Sandbox")
            #expect(spent == Gatepass.Spent(spent: 60, spendable: 40, debt: 0))
        }
        let balance = Status.Balance(unit: "credit", environment: "Sandbox", spendable: 40, debt: 0, reserved: 0)
        #expect(try await gatepass.refresh().credits == [balance])
        let poor = await #expect(throws: GatepassError.self) {
            try await gatepass.spend(60, of: "credit", for: "a trip", key: "2", environment: "Sandbox")
        }
        #expect(poor?.problem?.code == .insufficientCredits)
    }

    @Test func `products of the app are listed without a sign-in`() async throws {
        let gatepass = try Phone().start(.token { nil })
        let products = try await gatepass.products(languages: ["en"])
        #expect(products.first { $0.productID == Dev.pass }?.title == "30-day pass" && products.count == 3)
        let other = try Phone().start(.token { nil }, bundleID: "com.example.other")
        let error = await #expect(throws: GatepassError.self) { try await other.products() }
        #expect(error?.problem?.code == .notFound)
    }

    // MARK: Errors

    @Test func `a refused one names its code, its reason and its request`() async throws {
        let gatepass = try await Phone().start(Dev.someone())
        let error = await #expect(throws: GatepassError.self) { try await gatepass.attach("one.two") }
        let problem = try #require(error?.problem)
        #expect(problem.code == .evidenceInvalid && problem.reason == "malformed" && problem.retry == .never)
        #expect(problem.status == 422 && problem.requestID?.isEmpty == false && problem.detail?.isEmpty == false)
    }

    @Test func `a 503 and a 429 tell their wait, an unknown code its name`() async throws {
        let phone = Phone()
        let gatepass = try phone.start(.token { "t" })
        for (status, code) in [(503, "unavailable"), (429, "rate_limited"), (409, "of_a_later_server")] {
            phone[\.fault] = Canned.problem(status, code, retry: "later", after: 7)
            let error = await #expect(throws: GatepassError.self) { try await gatepass.refresh() }
            guard case .wait(7, let problem?) = error else { throw try #require(error) }
            #expect(problem.status == status && problem.type == "urn:gatepass:problem:\(code)")
            #expect((problem.code == .unknown) == (status == 409))
        }
    }

    @Test func `every code that api.md tells apps has a case, in its order`() throws {
        let page = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appending(path: "../../../api.md")
        guard let text = try? String(contentsOf: page, encoding: .utf8) else { return }  // published by itself
        let rows = text.matches(of: /\n\| `([a-z_]+)` \| \d\d\d \|/).map { String($0.1) }
        let operators: Set = [
            "unknown_purchase", "unknown_grant", "unknown_guest", "unknown_tier", "same_user", "not_an_add_on",
            "ambiguous_product", "ambiguous_purchase", "not_ended_before_attached",
        ]
        #expect(rows.count > 30)
        let known = Problem.Code.allCases.map(\.rawValue).filter { $0 != "unknown" }
        #expect(known == rows.filter { !operators.contains($0) }.map(camelCase))
    }

    // MARK: The privacy manifest

    @Test func `the privacy manifest declares the defaults, purchases and the user id, and no tracking`() throws {
        let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appending(path: "../../Sources/GatepassClient/PrivacyInfo.xcprivacy")
        let manifest = try #require(
            try PropertyListSerialization.propertyList(from: Data(contentsOf: file), format: nil) as? [String: Any])
        #expect(manifest["NSPrivacyTracking"] as? Bool == false)
        let used = try #require(manifest["NSPrivacyAccessedAPITypes"] as? [[String: Any]])
        #expect(used.map { $0["NSPrivacyAccessedAPIType"] as? String } == ["NSPrivacyAccessedAPICategoryUserDefaults"])
        #expect(used.first?["NSPrivacyAccessedAPITypeReasons"] as? [String] == ["CA92.1"])
        let collected = try #require(manifest["NSPrivacyCollectedDataTypes"] as? [[String: Any]])
        let types = collected.map { $0["NSPrivacyCollectedDataType"] as? String }
        #expect(types == ["NSPrivacyCollectedDataTypePurchaseHistory", "NSPrivacyCollectedDataTypeUserID"])
        #expect(collected.allSatisfy { $0["NSPrivacyCollectedDataTypeLinked"] as? Bool == true })
        #expect(collected.allSatisfy { $0["NSPrivacyCollectedDataTypeTracking"] as? Bool == false })
    }
}

/// The texts of each restore that was sent.
private actor Bodies {
    private(set) var texts: [[String]] = []

    /// How many there are with this one.
    func add(_ body: Data?) throws -> Int {
        struct Body: Decodable { let signedTransactions: [String] }
        texts.append(try JSONDecoder().decode(Body.self, from: body ?? Data()).signedTransactions)
        return texts.count
    }
}
