import Foundation
import Testing

@testable import GatepassClient

/// The eight faults that must not make a paying customer inactive, nor leave one active who is not, and their kin.
@MainActor @Suite("A kept answer", .serialized, .enabled(if: Dev.server != nil, "Tests/run starts a server"))
struct FaultTests {
    /// Tries whatever asks for a status while the network does this.
    private func outlives(_ fault: @escaping Phone.Fault, as expected: GatepassError? = nil) async throws {
        let phone = Phone()
        let gatepass = try await phone.startPaying(Dev.someone())
        phone[\.fault] = fault
        let error = await #expect(throws: GatepassError.self) { try await gatepass.refresh() }
        if let expected { #expect(error == expected) }
        await #expect(throws: GatepassError.self) { _ = try await gatepass.attach("a.b.c") }
        await #expect(throws: GatepassError.self) { try await gatepass.restore([]) }
        #expect(gatepass.isActive && gatepass.has("maps") && gatepass.limit("saved_trips") == Status.unlimited)
        #expect(gatepass.status?.tier == "pro")
    }

    // MARK: The eight

    @Test func `fault 1, no network: it counts on, also after a new start, until its token ends`() async throws {
        try await outlives(Canned.noNetwork, as: .noAnswer)
        let user = Dev.someone()
        let phone = Phone()
        _ = try await phone.startPaying(user)
        phone[\.fault] = Canned.noNetwork
        phone[\.clockShift] = 3_600
        let later = try await phone.start(user)
        #expect(later.isActive && later.has("maps") && later.limit("saved_trips") == Status.unlimited)
        await #expect(throws: GatepassError.noAnswer) { try await later.refresh() }
        #expect(later.isActive)
        phone[\.clockShift] = 73 * 3_600
        #expect(try await phone.start(user).status == nil)
    }

    @Test func `fault 2, 503: it counts on, of the server and of a proxy`() async throws {
        try await outlives(Canned.problem(503, "unavailable", retry: "later", after: 7))
        try await outlives(Canned.answer(503, "<html>", ["Retry-After": "9"]), as: .wait(seconds: 9, nil))
        try await outlives(Canned.answer(503, "<html>"), as: .noAnswer)
    }

    @Test func `fault 3, 401 in the middle: it counts on, of the server and of a proxy`() async throws {
        let phone = Phone()
        let gatepass = try await phone.startPaying(Dev.someone())
        gatepass.signIn = .token { "no.token" }
        let error = await #expect(throws: GatepassError.self) { try await gatepass.refresh() }
        guard case .notSignedIn(let problem?) = error else { throw try #require(error) }
        #expect(problem.code == .unauthenticated && error?.retry == .afterSignIn && gatepass.isActive)
        try await outlives(Canned.answer(401, "who are you?"), as: .noAnswer)
    }

    @Test func `fault 4, a cut body: it counts on, and behind a captive portal, too`() async throws {
        try await outlives(
            { request, real in
                let (body, response) = try await real(request)
                return (body.prefix(body.count / 2), response)
            }, as: .noAnswer)
        try await outlives(Canned.answer(200, ""), as: .noAnswer)
        try await outlives(Canned.answer(200, "{}"), as: .noAnswer)
        try await outlives(Canned.answer(200, "<html>Welcome to our hotel</html>"), as: .noAnswer)
    }

    @Test func `fault 5, a clock set back: it does not last longer, and counts by the server's time`() async throws {
        let user = Dev.someone()
        let phone = Phone()
        _ = try await phone.startPaying(user)
        phone[\.fault] = Canned.noNetwork
        phone[\.clockShift] = 73 * 3_600
        let late = try await phone.start(user)
        await #expect(throws: GatepassError.noAnswer) { try await late.refresh() }
        for shift: TimeInterval in [3_600, -365 * 86_400] {  // within the token's time, and before it
            phone[\.clockShift] = shift
            #expect(try await phone.start(user).status == nil)
        }
        for shift: TimeInterval in [-365 * 86_400, 365 * 86_400] {
            let (user, phone) = (Dev.someone(), Phone())
            phone[\.clockShift] = shift
            let gatepass = try await phone.startPaying(user)
            phone[\.clockShift] = 0
            try await gatepass.refresh()
            #expect(try await phone.start(user).isActive)
        }
    }

    @Test func `fault 6, a refund while away: it ends, also for the next start without a network`() async throws {
        let user = Dev.someone()
        let phone = Phone()
        _ = try await phone.startPaying(user)
        _ = try await Dev.run("simulate", "refund", "--user", user)
        let back = try await phone.start(user)
        #expect(back.isActive)  // as was known
        phone[\.fault] = Canned.only("entitlement-token") { _, _ in throw URLError(.timedOut) }
        try await back.refresh()
        #expect(!back.isActive && !back.has("maps"))
        phone[\.fault] = Canned.noNetwork
        #expect(try await !phone.start(user).isActive)
    }

    @Test func `fault 7, an older answer that comes late: it is not replaced`() async throws {
        let user = Dev.someone()
        let phone = Phone()
        let gatepass = try await phone.startPaying(user)
        let (arrived, released) = (Gate(), Gate())
        phone[\.fault] = { request, real in
            let answer = try await real(request)  // active
            await arrived.open()
            await released.pass()
            return answer
        }
        let older = Task { try await gatepass.refresh() }
        await arrived.pass()
        phone[\.fault] = nil
        _ = try await Dev.run("simulate", "refund", "--user", user)
        try await gatepass.refresh()
        #expect(!gatepass.isActive)
        phone[\.fault] = Canned.noNetwork  // so that no third answer settles it
        await released.open()
        #expect(try await older.value.active)  // it says so, and is not kept
        #expect(!gatepass.isActive)
    }

    @Test func `fault 8, another user signed in: nothing of it is theirs, with and without a network`() async throws {
        let phone = Phone()
        let gatepass = try await phone.startPaying(Dev.someone())
        let other = try await Dev.run("token", Dev.someone())
        gatepass.signIn = .token { other }
        phone[\.fault] = Canned.noNetwork
        await #expect(throws: GatepassError.noAnswer) { try await gatepass.refresh() }
        #expect(gatepass.status == nil)
        phone[\.fault] = nil
        try await gatepass.refresh()
        #expect(gatepass.status?.active == false)
        phone[\.fault] = Canned.noNetwork
        #expect(try phone.start(.token { other }).isActive == false)
    }

    // MARK: Their kin

    @Test func `a login without an answer, and nobody signed in, leave it as it is`() async throws {
        let gatepass = try await Phone().startPaying(Dev.someone())
        gatepass.signIn = .token { throw URLError(.timedOut) }
        await #expect(throws: GatepassError.noAnswer) { try await gatepass.refresh() }
        gatepass.signIn = .token { nil }
        await #expect(throws: GatepassError.notSignedIn(nil)) { try await gatepass.refresh() }
        #expect(gatepass.isActive)
    }

    @Test func `a locked device asks nothing and overwrites nothing, and shows it when it is unlocked`() async throws {
        let user = Dev.someone()
        let phone = Phone()
        _ = try await phone.startPaying(user)
        phone[\.isLocked] = true
        phone[\.requests] = []
        let early = try await phone.start(user)
        await #expect(throws: GatepassError.noAnswer) { try await early.refresh() }
        #expect(early.status == nil && phone[\.requests] == [])
        phone[\.isLocked] = false
        phone[\.fault] = Canned.noNetwork
        await #expect(throws: GatepassError.noAnswer) { try await early.refresh() }
        #expect(early.isActive)
        #expect(try await phone.start(user).isActive)
    }

    @Test func `a set of keys without its own does not take it away`() async throws {
        let user = Dev.someone()
        let phone = Phone()
        _ = try await phone.startPaying(user)
        let gatepass = try await phone.start(user)
        phone[\.fault] = { request, real in
            switch request.url?.path {
            case "/api/iap/entitlement-token":
                let header = Data(#"{"alg": "ES256", "typ": "entitlement+jwt", "kid": "new"}"#.utf8)
                return try await Canned.answer(200, "{\"token\": \"\(header.base64EncodedString()).e30.e30\"}")(
                    request, real)
            case "/.well-known/jwks.json": return try await Canned.answer(200, "{\"keys\": []}")(request, real)
            default: return try await real(request)
            }
        }
        try await gatepass.refresh()
        try await gatepass.refresh()
        #expect(phone.count("GET /.well-known/jwks.json") == 2)  // one a start, because it is one a minute at most
        phone[\.fault] = Canned.noNetwork
        #expect(try await phone.start(user).isActive)
    }

    @Test func `a refund of a part leaves the rest to the next start without a network`() async throws {
        let user = Dev.someone()
        let phone = Phone()
        let gatepass = try await phone.startPaying(user)
        _ = try await gatepass.attach(try await Dev.purchase(user, Dev.addOn))
        try await gatepass.refresh()
        _ = try await Dev.run("simulate", "refund", "--user", user)
        phone[\.fault] = Canned.only("entitlement-token", Canned.noNetwork)
        try await gatepass.refresh()
        #expect(gatepass.isActive && gatepass.has("maps") && !gatepass.has("xyz"))
        phone[\.fault] = Canned.noNetwork
        #expect(try await phone.start(user).has("maps"))
    }

    @Test(.timeLimit(.minutes(1)))
    func `two answers that overlapped, the wrong one last, are settled by a third`() async throws {
        let user = Dev.someone()
        let phone = Phone()
        let gatepass = try await phone.start(user)
        let jws = try await Dev.purchase(user)
        let (sent, read, attached) = (Gate(), Gate(), Gate())
        phone[\.fault] = { request, real in
            switch request.url?.path {
            case "/api/iap/apple/transactions/attach":
                await sent.open()
                await read.pass()
                return try await real(request)
            case "/api/iap/apple/status":
                let answer = try await real(request)  // nothing yet
                await read.open()
                await attached.pass()
                return answer
            default: return try await real(request)
            }
        }
        let attaching = Task { try await gatepass.attach(jws) }
        await sent.pass()
        let reading = Task { try await gatepass.refresh() }
        _ = try await attaching.value
        #expect(gatepass.isActive)
        await attached.open()
        #expect(try await !reading.value.active)
        var updates = gatepass.updates.makeAsyncIterator()
        while !gatepass.isActive, await updates.next() != nil {}
        #expect(gatepass.isActive)
    }

    @Test func `the answer of the larger sequence replaces it, once servers tell one`() async throws {
        let phone = Phone()
        let gatepass = try phone.start(.token { "t" })
        phone[\.fault] = Canned.status(active: true, sequence: 7)
        try await gatepass.refresh()
        phone[\.fault] = Canned.status(active: false, sequence: 6)  // a database that is behind
        try await gatepass.refresh()
        #expect(gatepass.isActive)
        phone[\.fault] = Canned.status(active: false, sequence: 8)
        try await gatepass.refresh()
        #expect(!gatepass.isActive)
    }

    @Test func `a sign-out forgets it, and no answer under way brings it back`() async throws {
        let user = Dev.someone()
        let phone = Phone()
        let gatepass = try await phone.startPaying(user)
        let (arrived, released) = (Gate(), Gate())
        phone[\.fault] = { request, real in
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
        phone[\.fault] = Canned.noNetwork
        #expect(try await phone.start(user).status == nil)
    }

    @Test func `a token that the login made before a sign-out is not used after it`() async throws {
        let phone = Phone()
        let token = try await Dev.run("token", Dev.someone())
        let (asked, released) = (Gate(), Gate())
        let gatepass = try phone.start(
            .token {
                await asked.open()
                await released.pass()
                return token
            })
        let underWay = Task { try await gatepass.refresh() }
        await asked.pass()
        gatepass.signOut()
        await released.open()
        await #expect(throws: GatepassError.notSignedIn(nil)) { try await underWay.value }
        #expect(gatepass.status == nil && phone[\.requests] == [])
    }

    // MARK: Updates and ends

    @Test(.timeLimit(.minutes(1))) func `it comes first in the updates, at once, and then each change`() async throws {
        let user = Dev.someone()
        let phone = Phone()
        _ = try await phone.startPaying(user)
        let gatepass = try await phone.start(user)
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

    @Test(.timeLimit(.minutes(1))) func `it ends by itself at its end, and views are told`() async throws {
        let phone = Phone()
        let gatepass = try phone.start(.token { "t" })
        phone[\.fault] = Canned.status(
            active: true, expiresAt: "2026-01-15T00:00:01Z", accessExpiresAt: "2026-01-15T00:00:02Z",
            addOns: #"[{"product_id": "xyz", "features": ["xyz"], "state": "active"}]"#)
        try await gatepass.refresh()
        #expect(gatepass.isActive && gatepass.has("maps") && gatepass.limit("saved_trips") == 5)
        var updates = gatepass.updates.makeAsyncIterator()
        _ = await updates.next()
        let lower = await updates.next()
        #expect(lower??.active == true && lower??.features == ["xyz"] && lower??.tier == nil)
        let ended = await updates.next()
        #expect(ended??.active == false && ended??.state == "expired")
        #expect(!gatepass.isActive && !gatepass.has("maps") && gatepass.has("xyz"))
        #expect(gatepass.limit("saved_trips") == nil)
    }

    @Test(.timeLimit(.minutes(1)))
    func `it ends with its token in an app that runs without a network, and views are told`() async throws {
        let user = Dev.someone()
        let phone = Phone()
        let signIn = try await phone.startPaying(user).signIn
        phone[\.fault] = Canned.noNetwork
        phone[\.clockShift] = 72 * 3_600 - 5
        let gatepass = try phone.start(signIn)
        #expect(gatepass.isActive)
        var updates = gatepass.updates.makeAsyncIterator()
        _ = await updates.next()
        let ended = await updates.next()
        #expect(ended == .some(nil) && gatepass.status == nil && !gatepass.isActive)
    }

    @Test func `a preview has what it says`() {
        let gatepass = Gatepass.preview(tier: "pro", features: ["maps"], limits: ["saved_trips": 3])
        #expect(gatepass.isActive && gatepass.has("maps") && !gatepass.has("xyz") && gatepass.status?.tier == "pro")
        #expect(gatepass.limit("saved_trips") == 3 && gatepass.limit("photos") == nil)
        #expect(!Gatepass.preview(tier: "pro", until: Date() - 1).isActive)
    }
}
