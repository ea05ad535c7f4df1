import AppStore
import Entitlements
import LedgerStore
import MariaDB
import StoreSimulator
import StrictJSON
import Support
import Testing

@testable import EntitlementAPI

/// A server at which Apple accounts sign in by themselves, and the texts of one device's Apple account.
struct AppleGate: Sendable {
    static let signIn = "/api/iap/apple/sign-in"
    static let adopt = "/api/iap/apple/adopt"
    static let status = "/api/iap/apple/status"
    static let attach = "/api/iap/apple/transactions/attach"
    private static let account = "704897469903383919"

    let server: TestServer

    /// Serves while `body` runs. Throws what it throws.
    static func run(
        rules: ClaimRules = ClaimRules(), rateLimits: RateLimits = RateLimits(),
        login: BearerVerifier.Keys = .secrets([Fixture.secret]), _ body: @Sendable (AppleGate) async throws -> Void
    ) async throws {
        try await TestServer.run(rateLimits: rateLimits, rules: rules, appleTokenDays: 30, login: login) {
            try await body(AppleGate(server: $0))
        }
    }

    /// An app transaction that was made now, with its members as `change` leaves them. Throws nothing in practice.
    func text(
        of account: String? = Self.account, _ change: (inout SimulatedPayload) -> Void = { _ in }
    ) throws -> String {
        var transaction = SimulatedAppTransaction(bundleId: Fixture.app.text, at: server.clock.now.milliseconds)
        transaction.appTransactionId = account
        var payload = transaction.payload
        change(&payload)
        return try server.authority.sign(payload)
    }

    /// Lets seconds pass.
    func wait(seconds: Int64) { server.clock.now = server.clock.now + seconds * 1_000 }

    static func body(_ text: String) -> String { #"{"signedAppTransaction":"\#(text)"}"# }

    func signIn(_ text: String) async throws -> TestServer.Answer {
        try await server.send("POST", Self.signIn, Self.body(text), token: nil)
    }

    /// The user id and the token that a text signs in with. Throws if it does not.
    func signedIn(_ text: String) async throws -> (user: String, token: String) {
        let answer = try await signIn(text)
        let json = try answer.json
        return (
            try #require(json["user_id"]?.string, "\(answer.status) \(answer.body)"),
            try #require(json["token"]?.string)
        )
    }

    func adopt(_ text: String, as user: String) async throws -> TestServer.Answer {
        try await server.send("POST", Self.adopt, Self.body(text), token: Fixture.token(of: user))
    }

    func attach(
        _ transaction: SimulatedTransaction, proof: String? = nil, token: String
    ) async throws -> TestServer.Answer {
        let jws = try server.authority.sign(transaction).text
        let member = proof.map { #","signedAppTransaction":"\#($0)""# } ?? ""
        return try await server.send(
            "POST", Self.attach, #"{"signedTransactionJWS":"\#(jws)"\#(member)}"#, token: token)
    }

    /// An act of an operator on a user.
    func act(_ act: String, on user: String, _ members: String = "") async throws -> TestServer.Answer {
        try await server.send(
            "POST", "/api/admin/users/\(user)/\(act)", #"{"reason":"asked"\#(members)}"#,
            token: Fixture.apiKey(.admin), fields: [("Idempotency-Key", server.api.newID())])
    }

    /// True if a user has access, as operators see it; nil if that is not told.
    func isActive(_ user: String) async throws -> Bool? {
        try await server.send("GET", "/api/admin/users/\(user)/status", token: Fixture.apiKey(.read))
            .json["active"]?.flag
    }

    /// The rows of tables. Throws what the database refuses.
    func rows(_ tables: String...) async throws -> [String: [[Value]]] {
        try await server.open.schema.dump().filter { tables.contains($0.key) }
    }

    /// Requires that the status, asked for with a token, is answered with `status` and `code`.
    func expect(
        _ status: Int, _ code: String? = nil, token: String, sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        let answer = try await server.send("GET", Self.status, token: token)
        #expect(
            answer.status == status && answer.code == code, "\(answer.status) \(answer.body)",
            sourceLocation: sourceLocation)
    }
}

extension TestServer.Answer {
    /// The status, and the reason or code of a problem.
    var verdict: String {
        let problem = try? json  // what is no JSON has no code, which the test notices
        return ["\(status)", problem?["reason"]?.string ?? code].compactMap(\.self).joined(separator: " ")
    }
}
