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

    private func source(_ user: String) async throws -> SignIn {
        let text = try await Dev.appTransaction(user)
        return .appTransaction { SignedAppTransaction(text: text, account: "Sandbox \(user)") }
    }

    @Test("signs in once, and keeps its token over starts")
    func signsIn() async throws {
        let user = Dev.someone()
        let device = Device()
        let source = try await source(user)
        let gatepass = try device.start(source, proof: try await Dev.appTransaction(user))
        let jws = try await Dev.purchase(user)
        #expect(await gatepass.deliver(jws, name: "1") { device.finish() } == .delivered(reason: nil))
        #expect(gatepass.isActive && gatepass.status?.userID.hasPrefix("apple-") == true && device.finished == 1)
        let next = try device.start(source)
        try await next.refresh()
        #expect(next.isActive && device.requests.filter { $0 == signIn }.count == 1)
    }

    @Test("of somebody else on the same device has nothing of the one before")
    func anotherAccount() async throws {
        let (user, other) = (Dev.someone(), Dev.someone())
        let device = Device()
        let gatepass = try device.start(try await source(user), proof: try await Dev.appTransaction(user))
        _ = await gatepass.deliver(try await Dev.purchase(user), name: "1") { device.finish() }
        #expect(gatepass.isActive)
        let next = try device.start(try await source(other))
        try await next.refresh()
        #expect(!next.isActive && next.status?.userID != gatepass.status?.userID)
    }

    @Test("whose text StoreKit does not give goes on with the token that is kept")
    func noText() async throws {
        let user = Dev.someone()
        let device = Device()
        try await device.start(try await source(user)).refresh()
        let silent = SignIn.appTransaction { throw CancellationError() }
        try await device.start(silent).refresh()
        await #expect(throws: GatepassError.notSignedIn(nil)) { try await Device().start(silent).refresh() }
    }

    @Test("signs in again, once, where its token counts no more")
    func signsInAgain() async throws {
        let user = Dev.someone()
        let device = Device()
        let source = try await source(user)
        let gatepass = try device.start(source)
        try await gatepass.refresh()
        device.fault = { request, real in
            guard request.url?.path == "/api/iap/apple/status", device.requests.filter({ $0 == signIn }).count == 1
            else { return try await real(request) }
            return try await Canned.problem(401, "unauthenticated", retry: "after_sign_in")(request, real)
        }
        try await gatepass.refresh()
        #expect(device.requests.filter { $0 == signIn }.count == 2)
    }

    @Test("that was signed out is stale, keeps what it has, and a refreshed text signs in")
    func stale() async throws {
        let user = Dev.someone()
        let device = Device()
        let gatepass = try device.start(try await source(user), proof: try await Dev.appTransaction(user))
        _ = await gatepass.deliver(try await Dev.purchase(user), name: "1") { device.finish() }
        let id = try #require(gatepass.status?.userID)
        try await Task.sleep(for: .seconds(1.1))  // instants are whole seconds
        _ = try await Dev.run("user", "sign-out", id, "--reason", "lost")
        let error = await #expect(throws: GatepassError.self) { try await gatepass.refresh() }
        let again = await gatepass.deliver(try await Dev.purchase(user), name: "2") { device.finish() }
        guard case .afterSignIn(.stale) = again else {
            Issue.record("\(again)")
            return
        }
        guard case .stale = error else { Issue.record("\(String(describing: error))"); return }
        #expect(gatepass.isActive)
        try await Task.sleep(for: .seconds(1.1))
        gatepass.signIn = try await source(user)
        try await gatepass.makeSession(
            with: SignedAppTransaction(
                text: try await Dev.appTransaction(user), account: "Sandbox \(user)"))
        try await gatepass.refresh()
        #expect(gatepass.isActive)
    }

    @Test("is adopted by the user of a login, who has everything then")
    func adopt() async throws {
        let user = Dev.someone()
        let device = Device()
        let account = SignedAppTransaction(text: try await Dev.appTransaction(user), account: "Sandbox \(user)")
        let gatepass = try device.start(.appTransaction { account }, proof: account.text)
        _ = await gatepass.deliver(try await Dev.purchase(user), name: "1") { device.finish() }
        let login = try await Dev.run("token", user)
        try await gatepass.adopt(ownToken: login, account: account)
        gatepass.signIn = .token { login }
        #expect(gatepass.isActive && gatepass.status?.userID == user)
        try await gatepass.refresh()
        #expect(gatepass.isActive)
        let alone = try Device().start(.appTransaction { account })
        let error = await #expect(throws: GatepassError.self) { try await alone.refresh() }
        #expect(error?.problem?.code == .signedInElsewhere)
    }
}
