import Foundation
import Testing

@testable import GatepassClient

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// A transaction is finished exactly once, where an answer says so, whatever ends the app before.
@MainActor @Suite("A delivery", .serialized, .enabled(if: Dev.server != nil, "Tests/run starts a server"))
struct DeliveryTests {
    private let attach = "POST /api/iap/apple/transactions/attach"

    private func deliver(_ jws: String, _ gatepass: Gatepass, _ device: Device) async -> Delivery {
        await gatepass.deliver(jws, name: "1") { device.finish() }
    }

    @Test("finishes what is attached, and says what gives nothing")
    func delivered() async throws {
        let user = Dev.someone()
        let device = Device()
        let gatepass = try await device.start(user)
        #expect(await deliver(try await Dev.purchase(user), gatepass, device) == .delivered(reason: nil))
        #expect(device.finished == 1 && gatepass.isActive)
    }

    @Test("comes at the next start where the app was killed between purchase and attach")
    func killedBeforeAttach() async throws {
        let user = Dev.someone()
        let device = Device()
        let jws = try await Dev.purchase(user)
        device.fault = Canned.noNetwork
        device.isKilledInPauses = true
        #expect(await deliver(jws, try await device.start(user), device) == .pending)
        #expect(device.finished == 0)
        device.fault = nil
        let next = try await device.start(user)
        #expect(await deliver(jws, next, device) == .delivered(reason: nil))
        #expect(device.finished == 1 && next.isActive)
    }

    @Test("comes at the next start where the app was killed between attach and finish")
    func killedBeforeFinish() async throws {
        let user = Dev.someone()
        let device = Device()
        let jws = try await Dev.purchase(user)
        device.fault = { request, real in
            _ = try await real(request)  // attached, and the answer is lost with the app
            throw URLError(.networkConnectionLost)
        }
        device.isKilledInPauses = true
        #expect(await deliver(jws, try await device.start(user), device) == .pending)
        #expect(device.finished == 0)
        device.fault = nil
        let next = try await device.start(user)
        #expect(await deliver(jws, next, device) == .delivered(reason: nil))
        #expect(device.finished == 1 && next.isActive)
    }

    @Test("is one where purchase() and the listener bring the same transaction at once")
    func twice() async throws {
        let user = Dev.someone()
        let device = Device()
        let gatepass = try await device.start(user)
        let jws = try await Dev.purchase(user)
        async let first = deliver(jws, gatepass, device)
        async let second = deliver(jws, gatepass, device)
        #expect(await (first, second) == (.delivered(reason: nil), .delivered(reason: nil)))
        #expect(device.finished == 1 && device.requests.filter { $0 == attach }.count == 1)
    }

    @Test("of a refused one is tried once a day, in a week of starts, and never finished")
    func refused() async throws {
        let user = Dev.someone()
        let device = Device()
        let token = try await Dev.run("token", user)
        for hour in stride(from: 0.0, to: 7 * 24, by: 6) {
            device.clockShift = hour * 3_600
            let delivery = await deliver("no.signed.text", try device.start(.token { token }), device)
            guard case .refused(let error) = delivery else { Issue.record("\(delivery)"); return }
            if hour.truncatingRemainder(dividingBy: 24) == 0 { #expect(error?.problem?.code == .evidenceInvalid) }
        }
        #expect(device.finished == 0 && device.requests.filter { $0 == attach }.count == 7)
        // A debug build tries at each start.
        let debug = try device.start(.token { token }, patient: false)
        #expect(await deliver("no.signed.text", debug, device) != .refused(nil))
    }

    @Test("waits as long as the server says, and no longer than a minute")
    func waits() async throws {
        let device = Device()
        let gatepass = try device.start(.token { "t" })
        device.fault = Canned.problem(429, "rate_limited", retry: "later", after: 6)
        #expect(await deliver("a.b.c", gatepass, device) == .pending)
        #expect(device.pauses == Array(repeating: 6, count: 6))
        device.fault = Canned.problem(429, "rate_limited", retry: "later", after: 61)
        #expect(await deliver("a.b.c", gatepass, device) == .pending)
        #expect(device.pauses.count == 6)
        device.fault = Canned.noNetwork
        #expect(await deliver("a.b.c", gatepass, device) == .pending)
        #expect(device.pauses.suffix(6) == [1, 2, 4, 8, 16, 32])
        #expect(device.finished == 0)
    }

    @Test("is not finished where the answer is no 200, or a value of retry is unknown")
    func unknown() async throws {
        let device = Device()
        let gatepass = try device.start(.token { "t" })
        device.fault = Canned.problem(418, "teapot", retry: "at_tea_time")
        let delivery = await deliver("a.b.c", gatepass, device)
        guard case .refused(let error) = delivery else { Issue.record("\(delivery)"); return }
        #expect(error?.problem?.code == .unknown && error?.problem?.codeText == "teapot" && error?.retry == .never)
        #expect(device.finished == 0)
    }

    @Test("sends the proof of the Apple account where the answer is with_proof, and then asks for a sign-in")
    func withProof() async throws {
        let owner = Dev.someone()
        let device = Device()
        let jws = try await Dev.purchase(owner)
        #expect(await deliver(jws, try await device.start(owner), device) == .delivered(reason: nil))
        let other = Device()
        let without = try await other.start(Dev.someone())
        guard case .afterSignIn(let error) = await deliver(jws, without, other) else { Issue.record("no"); return }
        #expect(error.problem?.code == .ownedByAnotherUser && error.retry == .withProof)
        let proof = try await Dev.appTransaction(Dev.someone())
        let with = try await other.start(Dev.someone(), proof: proof)
        guard case .afterSignIn(let again) = await deliver(jws, with, other) else { Issue.record("no"); return }
        #expect(again.retry == .afterSignIn)
        #expect(other.finished == 0 && other.requests.filter { $0 == attach }.count == 3)
    }
}
