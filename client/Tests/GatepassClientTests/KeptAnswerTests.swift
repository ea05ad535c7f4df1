import Foundation
import Testing

@testable import GatepassClient

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// The faults that must not make a paying customer inactive, and the three things that may change a kept answer.
@MainActor @Suite("A kept answer", .serialized, .enabled(if: Dev.server != nil, "Tests/run starts a server"))
struct KeptAnswerTests {
    /// A device whose user has a pass, and knows it.
    private func paying(_ user: String) async throws -> (Device, Gatepass) {
        let device = Device()
        let gatepass = try await device.start(user)
        _ = try await gatepass.attach(try await Dev.purchase(user))
        try await gatepass.refresh()
        try #require(gatepass.isActive)
        return (device, gatepass)
    }

    /// Tries whatever asks for a status while the network does this.
    private func outlives(_ fault: @escaping Device.Fault, as expected: GatepassError? = nil) async throws {
        let (device, gatepass) = try await paying(Dev.someone())
        device.fault = fault
        let error = await #expect(throws: GatepassError.self) { try await gatepass.refresh() }
        if let expected { #expect(error == expected) }
        await #expect(throws: GatepassError.self) { _ = try await gatepass.attach("a.b.c") }
        await #expect(throws: GatepassError.self) { try await gatepass.restore([]) }
        #expect(gatepass.isActive && gatepass.has("maps") && gatepass.limit("saved_trips") == .unlimited)
        #expect(gatepass.status?.tier == "pro")
    }

    @Test("outlives a time without a network")
    func noNetwork() async throws { try await outlives(Canned.noNetwork, as: .noAnswer) }

    @Test("outlives a 503, whose wait is told")
    func unavailable() async throws {
        try await outlives(Canned.problem(503, "unavailable", retry: "later", after: 7))
        let device = Device()
        let gatepass = try device.start(.token { "t" })
        device.fault = Canned.problem(503, "unavailable", retry: "later", after: 7)
        let error = await #expect(throws: GatepassError.self) { try await gatepass.refresh() }
        guard case .wait(7, let problem) = error else { throw try #require(error) }
        #expect(problem?.code == .unavailable)
    }

    @Test("outlives a 503 of a proxy, with and without a wait")
    func proxy() async throws {
        try await outlives(Canned.answer(503, "<html>", ["Retry-After": "9"]), as: .wait(seconds: 9, nil))
        try await outlives(Canned.answer(503, "<html>"), as: .noAnswer)
    }

    @Test("outlives a 401 in the middle, of the server and of a proxy")
    func unauthenticated() async throws {
        let (_, gatepass) = try await paying(Dev.someone())
        gatepass.signIn = .token { "no.token" }
        let error = await #expect(throws: GatepassError.self) { try await gatepass.refresh() }
        #expect(error?.problem?.code == .unauthenticated && error?.retry == .afterSignIn)
        #expect(gatepass.isActive)
        try await outlives(Canned.answer(401, "who are you?"), as: .noAnswer)
    }

    @Test("outlives a sign-in that gives no token")
    func noToken() async throws {
        let (_, gatepass) = try await paying(Dev.someone())
        gatepass.signIn = .token { throw CancellationError() }
        await #expect(throws: GatepassError.notSignedIn(nil)) { try await gatepass.refresh() }
        #expect(gatepass.isActive)
    }

    @Test("outlives a body that was cut, and a page of a captive portal")
    func cutBody() async throws {
        try await outlives(
            { request, real in
                let (body, response) = try await real(request)
                return (body.prefix(body.count / 2), response)
            }, as: .noAnswer)
        try await outlives(Canned.answer(200, ""), as: .noAnswer)
        try await outlives(Canned.answer(200, "<html>Welcome to our hotel</html>"), as: .noAnswer)
    }

    @Test("is there at once after a new start, without a network, until its token ends")
    func newStart() async throws {
        let user = Dev.someone()
        let (device, _) = try await paying(user)
        device.fault = Canned.noNetwork
        device.clockShift = 3_600
        let later = try await device.start(user)
        #expect(later.isActive && later.has("maps") && later.limit("saved_trips") == .unlimited)
        await #expect(throws: GatepassError.noAnswer) { try await later.refresh() }
        #expect(later.isActive)
        device.clockShift = 73 * 3_600
        #expect(try await device.start(user).status == nil)
    }

    @Test("is not overwritten by a start that cannot read it, and is there when it can be read")
    func lockedDevice() async throws {
        let user = Dev.someone()
        let (device, _) = try await paying(user)
        device.fault = Canned.noNetwork
        device.isLocked = true
        let early = try await device.start(user)
        await #expect(throws: GatepassError.noAnswer) { try await early.refresh() }
        #expect(early.status == nil)
        device.isLocked = false
        await #expect(throws: GatepassError.noAnswer) { try await early.refresh() }
        #expect(early.isActive)
        #expect(try await device.start(user).isActive)
    }

    @Test("does not last longer because the clock is set back")
    func clockSetBack() async throws {
        let user = Dev.someone()
        let (device, _) = try await paying(user)
        device.fault = Canned.noNetwork
        device.clockShift = 73 * 3_600
        let late = try await device.start(user)
        await #expect(throws: GatepassError.noAnswer) { try await late.refresh() }
        for shift: TimeInterval in [3_600, -365 * 86_400] {  // within the token's time, and before it
            device.clockShift = shift
            #expect(try await device.start(user).status == nil)
        }
    }

    @Test("counts by the server's time where the device's clock is wrong, either way")
    func wrongClock() async throws {
        for shift: TimeInterval in [-365 * 86_400, 365 * 86_400] {
            let user = Dev.someone()
            let device = Device()
            device.clockShift = shift
            let gatepass = try await device.start(user)
            _ = try await gatepass.attach(try await Dev.purchase(user))
            #expect(gatepass.isActive)
            device.clockShift = 0
            try await gatepass.refresh()
            #expect(try await device.start(user).isActive)
        }
    }

    @Test("ends with a refund while the app was away, also for the next start without a network")
    func refund() async throws {
        let user = Dev.someone()
        let (device, _) = try await paying(user)
        _ = try await Dev.run("simulate", "refund", "--user", user)
        let back = try await device.start(user)
        #expect(back.isActive)  // as was known
        device.fault = { request, real in
            // The status arrives, and the token that belongs to it does not.
            guard request.url?.path == "/api/iap/apple/status" else { throw URLError(.timedOut) }
            return try await real(request)
        }
        try await back.refresh()
        #expect(!back.isActive && !back.has("maps"))
        device.fault = Canned.noNetwork
        #expect(try await !device.start(user).isActive)
    }

    @Test("is not replaced by an older answer that comes late")
    func lateAnswer() async throws {
        let user = Dev.someone()
        let (device, gatepass) = try await paying(user)
        let arrived = Gate()
        let released = Gate()
        device.fault = { request, real in
            let answer = try await real(request)  // active
            await arrived.open()
            await released.pass()
            return answer
        }
        let older = Task { try await gatepass.refresh() }
        await arrived.pass()
        device.fault = nil
        _ = try await Dev.run("simulate", "refund", "--user", user)
        try await gatepass.refresh()
        #expect(!gatepass.isActive)
        await released.open()
        #expect(try await older.value.active)  // it says so, and is not kept
        #expect(!gatepass.isActive)
    }

    @Test("is replaced by the answer of the larger sequence, once servers tell one")
    func sequence() async throws {
        let device = Device()
        let gatepass = try device.start(.token { "t" })
        let status = { (active: Bool, sequence: Int) in
            """
            {"user_id": "ana", "at": "2026-01-15T00:00:00Z", "active": \(active), "tier": "pro", "state": "active",
             "expires_at": "2026-02-15T00:00:00Z", "access_expires_at": null, "features": [], "limits": {},
             "entitlements": [], "add_ons": [], "credits": [], "devices": null, "sequence": \(sequence)}
            """
        }
        device.fault = Canned.answer(200, status(true, 7))
        try await gatepass.refresh()
        device.fault = Canned.answer(200, status(false, 6))  // a database that is behind
        try await gatepass.refresh()
        #expect(gatepass.isActive)
        device.fault = Canned.answer(200, status(false, 8))
        try await gatepass.refresh()
        #expect(!gatepass.isActive)
    }

    @Test("is nobody else's: another user sees nothing of it, with and without a network")
    func anotherUser() async throws {
        let (device, gatepass) = try await paying(Dev.someone())
        let other = try await Dev.run("token", Dev.someone())
        gatepass.signIn = .token { other }
        device.fault = Canned.noNetwork
        await #expect(throws: GatepassError.noAnswer) { try await gatepass.refresh() }
        #expect(gatepass.status == nil)
        device.fault = nil
        try await gatepass.refresh()
        #expect(gatepass.status?.active == false)
        device.fault = Canned.noNetwork
        #expect(try device.start(.token { other }).isActive == false)
    }

    @Test("is gone after a sign-out, and no answer under way brings it back")
    func signOut() async throws {
        let user = Dev.someone()
        let (device, gatepass) = try await paying(user)
        let arrived = Gate()
        let released = Gate()
        device.fault = { request, real in
            let answer = try await real(request)
            await arrived.open()
            await released.pass()
            return answer
        }
        let underWay = Task { try await gatepass.refresh() }
        await arrived.pass()
        gatepass.signOut()
        await released.open()
        _ = try await underWay.value
        #expect(gatepass.status == nil)
        device.fault = Canned.noNetwork
        #expect(try await device.start(user).status == nil)
    }

    @Test("comes first in the updates, and then each change", .timeLimit(.minutes(1)))
    func updates() async throws {
        let user = Dev.someone()
        let (device, _) = try await paying(user)
        let gatepass = try await device.start(user)
        var updates = gatepass.updates.makeAsyncIterator()
        let first = await updates.next()
        #expect(first??.active == true)
        _ = try await Dev.run("simulate", "refund", "--user", user)
        try await gatepass.refresh()
        let second = await updates.next()
        #expect(second??.active == false)
        gatepass.signOut()
        let third = await updates.next()
        #expect(third == .some(nil))
    }

    @Test("ends by itself at its end, and views are told", .timeLimit(.minutes(1)))
    func end() async throws {
        let device = Device()
        let gatepass = try device.start(.token { "t" })
        device.fault = Canned.answer(
            200,
            """
            {"user_id": "ana", "at": "2026-01-15T00:00:00Z", "active": true, "tier": "pro", "state": "active",
             "expires_at": "2026-01-15T00:00:01Z", "access_expires_at": "2026-01-15T00:00:02Z", "features": ["maps"],
             "limits": {"saved_trips": 5}, "entitlements": [], "credits": [], "devices": null,
             "add_ons": [{"product_id": "xyz", "features": ["xyz"], "state": "active"}]}
            """)
        try await gatepass.refresh()
        #expect(gatepass.isActive && gatepass.has("maps") && gatepass.limit("saved_trips") == .upTo(5))
        var updates = gatepass.updates.makeAsyncIterator()
        _ = await updates.next()
        let lower = await updates.next()
        #expect(lower??.active == true && lower??.features == ["xyz"] && lower??.tier == nil)
        let ended = await updates.next()
        #expect(ended??.active == false && ended??.state == "expired")
        #expect(!gatepass.isActive && !gatepass.has("maps") && gatepass.has("xyz"))
        #expect(gatepass.limit("saved_trips") == nil)
    }

    @Test("of a preview is what the preview says")
    func preview() {
        let gatepass = Gatepass.preview(tier: "pro", features: ["maps"], limits: ["saved_trips": 3])
        #expect(gatepass.isActive && gatepass.has("maps") && !gatepass.has("xyz") && gatepass.status?.tier == "pro")
        #expect(gatepass.limit("saved_trips")?.allows(3) == true && gatepass.limit("saved_trips")?.allows(4) == false)
        #expect(!Gatepass.preview(tier: "pro", until: Date() - 1).isActive)
    }
}
