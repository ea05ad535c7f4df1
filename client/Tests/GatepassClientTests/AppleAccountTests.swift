import Foundation
import Testing

@testable import GatepassClient

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Apps without a login, whose Apple account signs in.
@MainActor @Suite("An Apple account", .serialized, .enabled(if: Dev.server != nil, "Tests/run starts a server"))
struct AppleAccountTests {
    private let signIn = "POST /api/iap/apple/sign-in"

    /// A start of the app of an Apple account.
    private func start(_ phone: Phone, _ text: String) throws -> Gatepass {
        try phone.start(.appTransaction { text }, proof: text)
    }

    /// A start of the app of an Apple account that has a pass.
    private func startPaying(_ phone: Phone, _ user: String) async throws -> Gatepass {
        let gatepass = try start(phone, try await Dev.appTransaction(user))
        let jws = try await Dev.purchase(user)
        #expect(await gatepass.deliver(jws, name: "1") { phone.finish() } == .delivered(reason: nil))
        try #require(gatepass.isActive && phone[\.finished].count == 1)
        return gatepass
    }

    @Test func `an Apple account signs in once, and keeps its token over starts`() async throws {
        let user = Dev.someone()
        let phone = Phone()
        let gatepass = try await startPaying(phone, user)
        #expect(gatepass.status?.userID.hasPrefix("apple-") == true)
        let next = try start(phone, try await Dev.appTransaction(user))
        try await next.refresh()
        #expect(next.isActive && phone.count(signIn) == 1)
    }

    @Test func `another Apple account on the same device has nothing of the one before`() async throws {
        let phone = Phone()
        let gatepass = try await startPaying(phone, Dev.someone())
        let next = try start(phone, try await Dev.appTransaction(Dev.someone()))
        try await next.refresh()
        #expect(!next.isActive && next.status?.userID != gatepass.status?.userID)
    }

    @Test func `without a text of StoreKit's the token that is kept counts on`() async throws {
        let phone = Phone()
        try await start(phone, try await Dev.appTransaction(Dev.someone())).refresh()
        let silent = SignIn.appTransaction { throw CancellationError() }
        try await phone.start(silent).refresh()
        #expect(phone.count(signIn) == 1)
        await #expect(throws: GatepassError.notSignedIn(nil)) { try await Phone().start(silent).refresh() }
    }

    @Test func `a token that counts no more leads to one more sign-in, and to no third`() async throws {
        let phone = Phone()
        let gatepass = try start(phone, try await Dev.appTransaction(Dev.someone()))
        try await gatepass.refresh()
        phone[\.fault] = Canned.only("status") { request, real in
            guard phone.count("POST /api/iap/apple/sign-in") == 1 else { return try await real(request) }
            return try await Canned.problem(401, "unauthenticated", retry: "after_sign_in")(request, real)
        }
        try await gatepass.refresh()
        #expect(phone.count(signIn) == 2)
        phone[\.fault] = Canned.only("status", Canned.problem(401, "unauthenticated", retry: "after_sign_in"))
        let error = await #expect(throws: GatepassError.self) { try await gatepass.refresh() }
        #expect(error?.problem?.code == .unauthenticated && phone.count(signIn) == 3)
    }

    @Test func `a refused sign-in says why, and is nobody's fault who bought`() async throws {
        let phone = Phone()
        let gatepass = try start(phone, try await Dev.purchase(Dev.someone()))  // no app transaction
        let error = await #expect(throws: GatepassError.self) { try await gatepass.refresh() }
        guard case .notSignedIn(let problem?) = error else { throw try #require(error) }
        #expect(problem.code == .evidenceInvalid && problem.reason == "wrong_payload_kind")
        let delivery = await gatepass.deliver("a.b.c", name: "1") { phone.finish() }
        guard case .afterSignIn(.notSignedIn) = delivery else { Issue.record("\(delivery)"); return }
        #expect(phone[\.finished].isEmpty && phone[\.defaults].isEmpty)
    }

    @Test func `stale is an error of its own, keeps what is kept, and a refreshed text signs in`() async throws {
        let user = Dev.someone()
        let phone = Phone()
        let gatepass = try await startPaying(phone, user)
        let id = try #require(gatepass.status?.userID)
        try await Task.sleep(for: .seconds(1.1))  // instants are whole seconds
        _ = try await Dev.run("user", "sign-out", id, "--reason", "lost")
        let error = await #expect(throws: GatepassError.self) { try await gatepass.refresh() }
        guard case .stale(let problem) = error else { throw try #require(error) }
        #expect(problem.code == .stale && error?.retry == .afterSignIn)
        let again = await gatepass.deliver(try await Dev.purchase(user), name: "2") { phone.finish() }
        guard case .afterSignIn(.stale) = again else { Issue.record("\(again)"); return }
        #expect(gatepass.isActive && phone[\.finished].count == 1)
        try await Task.sleep(for: .seconds(1.1))
        let refreshed = try await Dev.appTransaction(user)
        gatepass.signIn = .appTransaction { refreshed }
        try await gatepass.session(with: refreshed)
        try await gatepass.refresh()
        #expect(gatepass.isActive)
    }

    @Test func `the user of a login adopts an Apple account, and has everything then`() async throws {
        let user = Dev.someone()
        let phone = Phone()
        let gatepass = try await startPaying(phone, user)
        let login = try await Dev.run("token", user)
        let old = try await Dev.appTransaction(user)
        let id = try #require(gatepass.status?.userID)
        try await Task.sleep(for: .seconds(1.1))  // instants are whole seconds
        _ = try await Dev.run("user", "sign-out", id, "--reason", "lost")
        let error = await #expect(throws: GatepassError.self) {
            try await gatepass.adopt(ownToken: login, appTransaction: old)
        }
        guard case .stale = error else { throw try #require(error) }
        #expect(gatepass.isActive && gatepass.status?.userID == id)
        try await Task.sleep(for: .seconds(1.1))
        let text = try await Dev.appTransaction(user)
        try await gatepass.adopt(ownToken: login, appTransaction: text)
        #expect(gatepass.isActive && gatepass.status?.userID == user)
        try await gatepass.refresh()
        #expect(gatepass.isActive && gatepass.status?.userID == user)
        phone[\.fault] = Canned.noNetwork
        #expect(try phone.start(.token { login }).isActive)
        let alone = await #expect(throws: GatepassError.self) { try await start(Phone(), text).refresh() }
        guard case .notSignedIn(let problem?) = alone else { throw try #require(alone) }
        #expect(problem.code == .signedInElsewhere)
    }
}
