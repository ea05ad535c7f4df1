import Foundation
import Testing

@testable import GatepassClient

/// Every call, against a server.
@MainActor @Suite("Against a server", .serialized, .enabled(if: Dev.server != nil, "Tests/run starts a server"))
struct CallTests {
    @Test("an attach says what became of the purchase, and brings the status")
    func attach() async throws {
        let user = Dev.someone()
        let gatepass = try await Device().start(user)
        let jws = try await Dev.purchase(user)
        let first = try await gatepass.attach(jws)
        #expect(first == Gatepass.Attachment(outcome: "attached", finish: true, reason: nil))
        #expect(try await gatepass.attach(jws).outcome == "already_attached")
        let status = try #require(gatepass.status)
        #expect(status.userID == user && status.state == "active")
        #expect(status.entitlements.first?.storeProductID == Dev.pass)
        #expect(status.entitlements.first?.endsAt == status.expiresAt)
        #expect(status.devices == Status.Seats(allowed: 2, active: 0, suspended: 0))
    }

    @Test("a restore judges each text, and keeps its place")
    func restore() async throws {
        let user = Dev.someone()
        let device = Device()
        let gatepass = try await device.start(user)
        let texts = [
            try await Dev.purchase(user), "none", try await Dev.purchase(user, "com.example.app.addon.xyz"),
        ]
        let restored = try await gatepass.restore(texts, proof: try await Dev.appTransaction(user)) { _, verdict in
            if verdict.finish { device.finish() }
        }
        #expect(restored.verdicts.map { $0?.finish } == [true, false, true])
        #expect(restored.verdicts[1]?.code == "evidence_invalid" && restored.verdicts[1]?.retry == "never")
        #expect(["complete", "recent"].contains(restored.history) && device.finished == 2)
        #expect(gatepass.has("maps") && gatepass.has("xyz"))
    }

    @Test("a restore of nothing reads Apple's history")
    func restoreNothing() async throws {
        let user = Dev.someone()
        let gatepass = try await Device().start(user)
        let restored = try await gatepass.restore([])
        #expect(restored.verdicts.isEmpty && restored.history == "complete")
    }

    @Test("a restore of 501 texts goes in two parts, and what says later is sent again")
    func restoreInParts() async throws {
        let user = Dev.someone()
        let device = Device()
        let gatepass = try await device.start(user)
        let restored = try await gatepass.restore(
            Array(repeating: "none", count: 500) + [try await Dev.purchase(user)])
        #expect(restored.verdicts.last??.outcome == "attached")
        #expect(restored.verdicts.dropLast().allSatisfy { $0?.outcome == "refused" })
        #expect(device.requests.filter { $0 == "POST /api/iap/apple/restore" }.count == 2)
    }

    @Test("parts of a restore have at most 500 items and 4 MiB, and nothing is one part")
    func parts() {
        #expect(Gatepass.parts(of: [], sizes: []) == [[]])
        let places = Array(0..<1_001)
        #expect(Gatepass.parts(of: places, sizes: Array(repeating: 10, count: 1_001)).map(\.count) == [500, 500, 1])
        let long = Gatepass.parts(of: Array(0..<500), sizes: Array(repeating: 16_384, count: 500))
        #expect(long.joined().elementsEqual(0..<500))
        #expect(long.allSatisfy { $0.count * 16_387 + 16_384 + 100 <= 4 << 20 })
    }

    @Test("too many restores are told to wait, and the client waits and asks again")
    func rateLimited() async throws {
        let device = Device()
        let gatepass = try await device.start(Dev.someone())
        var error: GatepassError?
        for _ in 0..<12 where error == nil {
            // The device's pauses take no time, so the second and third attempt are refused as well.
            do throws(GatepassError) { try await gatepass.restore([]) } catch let limited { error = limited }
        }
        guard case .wait(let seconds, let problem) = try #require(error) else { Issue.record("no wait"); return }
        #expect((1...60).contains(seconds) && problem?.code == .rateLimited && problem?.status == 429)
        #expect(device.pauses.count == 2 && device.pauses.allSatisfy { (1...60).contains($0) })
    }

    @Test("an account token is the same each time, also without a network, and nil where nobody is signed in")
    func accountToken() async throws {
        let user = Dev.someone()
        let device = Device()
        let gatepass = try await device.start(user)
        let token = try #require(await gatepass.accountToken())
        #expect(await gatepass.accountToken() == token)
        device.fault = Canned.noNetwork
        #expect(await gatepass.accountToken() == token)
        gatepass.signIn = .token { throw CancellationError() }
        #expect(await gatepass.accountToken() == nil)
        device.fault = nil
        gatepass.signOut()
        gatepass.signIn = .token { "no.token" }
        #expect(await gatepass.accountToken() == nil)
        let buyer = try await device.start(user)
        let jws = try await Dev.purchase(user, Dev.pass, "--account-token", token.uuidString)
        #expect(try await buyer.attach(jws).outcome == "attached")
    }

    @Test("devices are put on record up to the seats, suspended, brought back, seen and removed")
    func devices() async throws {
        let user = Dev.someone()
        let gatepass = try await Device().start(user)
        _ = try await gatepass.attach(try await Dev.purchase(user))
        #expect(try await gatepass.register(device: "a/b?c", name: "Ann's phone", pinned: true).pinned)
        try await gatepass.register(device: "second")
        let full = await #expect(throws: GatepassError.self) { try await gatepass.register(device: "third") }
        #expect(full?.problem?.code == .seatLimitReached)
        #expect(full?.problem?.allowed == 2 && full?.problem?.active == 2)
        #expect(try await gatepass.tell(.suspend, of: "second").state == "suspended")
        #expect(try await gatepass.tell(.reactivate, of: "second").state == "active")
        #expect(try await gatepass.tell(.seen, of: "a/b?c").name == "Ann's phone")
        try await gatepass.remove(device: "second")
        #expect(try await gatepass.devices().map(\.deviceID) == ["a/b?c"])
        let gone = await #expect(throws: GatepassError.self) { try await gatepass.tell(.seen, of: "second") }
        #expect(gone?.problem?.code == .unknownDevice)
    }

    @Test("credits are bought, and spent once for each key")
    func credits() async throws {
        let user = Dev.someone()
        let gatepass = try await Device().start(user)
        _ = try await gatepass.attach(try await Dev.purchase(user, "com.example.app.credits.100"))
        let key = UUID().uuidString
        for _ in 0..<2 {
            let spent = try await gatepass.spend(60, of: "credit", for: "a trip", key: key, environment: "Sandbox")
            #expect(spent == Gatepass.Spent(spent: 60, spendable: 40, debt: 0))
        }
        let balance = Status.Balance(unit: "credit", environment: "Sandbox", spendable: 40, debt: 0, reserved: 0)
        #expect(try await gatepass.credits() == [balance])
        let poor = await #expect(throws: GatepassError.self) {
            try await gatepass.spend(60, of: "credit", for: "a trip", key: "2", environment: "Sandbox")
        }
        #expect(poor?.problem?.code == .insufficientCredits)
    }

    @Test("products are listed without a sign-in")
    func products() async throws {
        let gatepass = try Device().start(.token { throw CancellationError() })
        let products = try await gatepass.products(languages: ["en"])
        #expect(products.first { $0.productID == Dev.pass }?.title == "30-day pass")
        #expect(products.count == 3)
    }

    @Test("a refused one names its code, its reason and its request")
    func refused() async throws {
        let gatepass = try await Device().start(Dev.someone())
        let error = await #expect(throws: GatepassError.self) { try await gatepass.attach("one.two") }
        let problem = try #require(error?.problem)
        #expect(problem.code == .evidenceInvalid && problem.reason == "malformed" && problem.retry == .never)
        #expect(problem.status == 422 && problem.requestID?.isEmpty == false && problem.detail?.isEmpty == false)
    }

    @Test("every code that api.md tells apps has a case")
    func codes() throws {
        let page = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appending(path: "../../../api.md")
        guard let text = try? String(contentsOf: page, encoding: .utf8) else { return }  // published by itself
        let rows = text.matches(of: /\n\| `([a-z_]+)` \| \d\d\d \|/).map { String($0.1) }
        let operators: Set = [
            "unknown_purchase", "unknown_grant", "unknown_guest", "unknown_tier", "same_user", "not_an_add_on",
            "ambiguous_product", "ambiguous_purchase", "not_ended_before_attached",
        ]
        #expect(rows.count > 30)
        let known = Set(Problem.Code.allCases.map(\.rawValue)).subtracting(["unknown"])
        #expect(known == Set(rows).subtracting(operators))
    }
}
