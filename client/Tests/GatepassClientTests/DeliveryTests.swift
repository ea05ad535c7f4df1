import Foundation
import Testing

@testable import GatepassClient

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// A transaction is finished exactly where an answer says so, whatever ends the app before: four faults, and their kin.
@MainActor @Suite("A delivery", .serialized, .enabled(if: Dev.server != nil, "Tests/run starts a server"))
struct DeliveryTests {
    private let attach = "POST /api/iap/apple/transactions/attach"

    private func deliver(_ jws: String, _ gatepass: Gatepass, _ phone: Phone) async -> Delivery {
        await gatepass.deliver(jws, name: "1") { phone.finish() }
    }

    // MARK: The four

    @Test func `finish fault 1, killed between purchase and attach: it comes at the next start`() async throws {
        let user = Dev.someone()
        let phone = Phone()
        let jws = try await Dev.purchase(user)
        phone[\.fault] = Canned.noNetwork
        phone[\.isKilledInPauses] = true
        #expect(await deliver(jws, try await phone.start(user), phone) == .pending)
        #expect(phone[\.finished].isEmpty)
        phone[\.fault] = nil
        let next = try await phone.start(user)
        #expect(await deliver(jws, next, phone) == .delivered(reason: nil))
        #expect(phone[\.finished].count == 1 && next.isActive)
    }

    @Test func `finish fault 2, killed between attach and finish: it comes at the next start`() async throws {
        let user = Dev.someone()
        let phone = Phone()
        let jws = try await Dev.purchase(user)
        phone[\.fault] = { request, real in
            let (body, _) = try await real(request)  // attached, and the answer is lost with the app
            #expect(String(decoding: body, as: UTF8.self).contains("\"attached\""))
            throw URLError(.networkConnectionLost)
        }
        phone[\.isKilledInPauses] = true
        #expect(await deliver(jws, try await phone.start(user), phone) == .pending)
        #expect(phone[\.finished].isEmpty)
        phone[\.fault] = nil
        let next = try await phone.start(user)
        #expect(await deliver(jws, next, phone) == .delivered(reason: nil))
        #expect(phone[\.finished].count == 1 && next.isActive)
    }

    @Test func `finish fault 3, twice the same transaction: one request at once, one credit after all`() async throws {
        let user = Dev.someone()
        let phone = Phone()
        let gatepass = try await phone.start(user)
        let jws = try await Dev.purchase(user, Dev.credits)
        async let first = deliver(jws, gatepass, phone)
        async let second = deliver(jws, gatepass, phone)
        #expect(await (first, second) == (.delivered(reason: nil), .delivered(reason: nil)))
        #expect(phone[\.finished].count == 1 && phone.count(attach) == 1)
        // Once more after it: each answer says that it is finished, and nothing is given twice.
        #expect(await deliver(jws, gatepass, phone) == .delivered(reason: nil))
        #expect(phone[\.finished].count == 2 && phone.count(attach) == 2)
        #expect(gatepass.status?.credits?.map(\.spendable) == [100])
    }

    @Test func `finish fault 4, a refused one at every start for a week: tried daily, never finished`() async throws {
        let phone = Phone()
        let token = try await Dev.run("token", Dev.someone())
        let midnight = -Date().timeIntervalSince1970.truncatingRemainder(dividingBy: 86_400)
        for hour in stride(from: 0.0, to: 7 * 24, by: 6) {
            phone[\.clockShift] = midnight + hour * 3_600
            let delivery = await deliver("no.signed.text", try phone.start(.token { token }), phone)
            guard case .refused(let error) = delivery else { Issue.record("\(delivery)"); return }
            #expect((error?.problem?.code == .evidenceInvalid) == (hour.truncatingRemainder(dividingBy: 24) == 0))
        }
        #expect(phone[\.finished].isEmpty && phone.count(attach) == 7)
    }

    // MARK: Their kin

    @Test func `a debug build, and another user, try a refused one at once`() async throws {
        let phone = Phone()
        let token = try await Dev.run("token", Dev.someone())
        let first = try phone.start(.token { token })
        #expect(await deliver("no.signed.text", first, phone) != .refused(nil))
        #expect(await deliver("no.signed.text", first, phone) == .refused(nil))
        let debug = try phone.start(.token { token }, isDebugBuild: true)
        #expect(await deliver("no.signed.text", debug, phone) != .refused(nil))
        first.signOut()
        let other = try await Dev.run("token", Dev.someone())
        first.signIn = .token { other }
        #expect(await deliver("no.signed.text", first, phone) != .refused(nil))
        #expect(phone[\.finished].isEmpty)
    }

    @Test func `what gives nothing is finished, and says why`() async throws {
        let user = Dev.someone()
        let phone = Phone()
        let gatepass = try await phone.start(user)
        let jws = try await Dev.purchase(user, Dev.pass, "--quantity", "2")
        phone[\.fault] = Canned.only("attach") { request, real in
            let (body, response) = try await real(request)
            let text = String(decoding: body, as: UTF8.self)
            return (Data(text.replacing("\"reason\":null", with: "\"reason\":\"unknown_product\"").utf8), response)
        }
        #expect(await deliver(jws, gatepass, phone) == .delivered(reason: "unknown_product"))
        #expect(phone[\.finished].count == 1)
    }

    @Test func `a 200 that does not say finish finishes nothing`() async throws {
        let user = Dev.someone()
        let phone = Phone()
        let gatepass = try await phone.start(user)
        let jws = try await Dev.purchase(user)
        phone[\.fault] = Canned.only("attach") { request, real in
            let (body, response) = try await real(request)
            let text = String(decoding: body, as: UTF8.self)
            return (Data(text.replacing("\"finish\":true", with: "\"finish\":false").utf8), response)
        }
        #expect(await deliver(jws, gatepass, phone) == .pending)
        #expect(phone[\.finished].isEmpty)
    }

    @Test func `the server's wait is kept, and more than a minute is left to the next start`() async throws {
        let phone = Phone()
        let gatepass = try phone.start(.token { "t" })
        phone[\.fault] = Canned.problem(429, "rate_limited", retry: "later", after: 6)
        #expect(await deliver("a.b.c", gatepass, phone) == .pending)
        #expect(phone[\.pauses] == Array(repeating: 6, count: 5) && phone.count(attach) == 6)
        phone[\.fault] = Canned.problem(429, "rate_limited", retry: "later", after: 61)
        #expect(await deliver("a.b.c", gatepass, phone) == .pending)
        #expect(phone[\.pauses].count == 5 && phone.count(attach) == 7)
        phone[\.fault] = Canned.noNetwork
        #expect(await deliver("a.b.c", gatepass, phone) == .pending)
        #expect(phone[\.pauses].suffix(5) == [1, 2, 4, 8, 16] && phone[\.finished].isEmpty)
    }

    @Test func `an unknown code, and an unknown value of retry, finish nothing`() async throws {
        let phone = Phone()
        let gatepass = try phone.start(.token { "t" })
        phone[\.fault] = Canned.problem(418, "teapot", retry: "at_tea_time")
        let delivery = await deliver("a.b.c", gatepass, phone)
        guard case .refused(let error?) = delivery else { Issue.record("\(delivery)"); return }
        #expect(error.problem?.code == .unknown && error.problem?.type == "urn:gatepass:problem:teapot")
        #expect(error.retry == .never && phone[\.finished].isEmpty)
    }

    @Test func `the proof of the Apple account goes with a second try, and then a sign-in is asked for`() async throws {
        let owner = Dev.someone()
        let phone = Phone()
        let jws = try await Dev.purchase(owner)
        #expect(await deliver(jws, try await phone.start(owner), phone) == .delivered(reason: nil))
        let other = Phone()
        let without = try await other.start(Dev.someone())
        guard case .afterSignIn(let error) = await deliver(jws, without, other) else { Issue.record("no"); return }
        #expect(error.problem?.code == .ownedByAnotherUser && error.retry == .withProof)
        let proof = try await Dev.appTransaction(Dev.someone())
        let with = try await other.start(Dev.someone(), proof: proof)
        guard case .afterSignIn(let again) = await deliver(jws, with, other) else { Issue.record("no"); return }
        #expect(again.retry == .afterSignIn && other[\.finished].isEmpty && other.count(attach) == 3)
    }

    @Test func `nobody signed in is told, and the transaction waits for a sign-in`() async throws {
        let user = Dev.someone()
        let phone = Phone()
        let jws = try await Dev.purchase(user)
        let gatepass = try phone.start(.token { nil })
        #expect(await deliver(jws, gatepass, phone) == .afterSignIn(.notSignedIn(nil)))
        let token = try await Dev.run("token", user)
        gatepass.signIn = .token { token }
        #expect(await deliver(jws, gatepass, phone) == .delivered(reason: nil))
        #expect(phone[\.finished].count == 1 && gatepass.isActive)
    }
}
