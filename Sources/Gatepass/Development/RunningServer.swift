import AsyncHTTPClient
import EntitlementAPI
import Entitlements
import Foundation
import NIOCore
import NIOHTTP1

/// A client of the server that runs on an installation.
struct RunningServer {
    /// No server runs, or it refused a request.
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    /// An answer of the server. `body` is JSON.
    struct Answer {
        let status: Int
        let body: String

        var isOK: Bool { status == 200 }

        /// The members of the body; empty if it is not a JSON object.
        var members: [String: Any] {
            // `try?` drops the error: every answer of Gatepass is JSON.
            (try? JSONSerialization.jsonObject(with: Data(body.utf8))) as? [String: Any] ?? [:]
        }

        /// Returns the answer; throws `Failure` unless its status is 200.
        func required() throws -> Answer {
            guard isOK else { throw Failure(description: "the server answered \(status): \(body)") }
            return self
        }
    }

    private static let timeout = TimeAmount.seconds(30)
    /// The time-out of a request that puts the clock forward. The server limits such a request to this time itself.
    private static let longestAdvance = TimeAmount.seconds(AdvanceClockRoute.deadlineSeconds)
    private static let maximumAnswer = 1 << 20

    private let address: String
    let installation: Installation

    /// Throws `Failure` if no server runs on the installation.
    init(on installation: Installation) throws {
        guard let address = installation.runningAddress else {
            throw Failure(description: "no server runs in \(installation.directory.path): start one, or add --print")
        }
        self.address = address
        self.installation = installation
    }

    /// Attaches a signed transaction as the user's app would. Throws if there is no complete answer.
    func attach(_ signed: String, as user: UserID) async throws -> Answer {
        try await send(.POST, "/api/iap/apple/transactions/attach", ["signedTransactionJWS": signed], as: user)
    }

    /// Restores signed transactions as the user's app would. Throws if there is no complete answer.
    func restore(_ signed: [String], as user: UserID) async throws -> Answer {
        try await send(.POST, "/api/iap/apple/restore", ["signedTransactions": signed], as: user)
    }

    /// Posts a signed notification as the App Store would. Throws if there is no complete answer.
    func notify(_ signedPayload: String) async throws -> Answer {
        try await send(.POST, "/api/billing/webhooks/apple", ["signedPayload": signedPayload])
    }

    /// Posts an event of card billing as Stripe would. Throws if there is no complete answer.
    func notifyOfCards(_ body: String, signature: String) async throws -> Answer {
        try await send(
            .POST, "/api/billing/webhooks/stripe", Array(body.utf8), adding: [("Stripe-Signature", signature)])
    }

    /// Puts the server's clock forward by a span such as `40d`, with as many requests as that needs. `tell` gets each
    /// answer. Throws `Failure` if the server refuses, or an error if there is no complete answer.
    func advanceClock(by span: String, _ tell: (Answer) async throws -> Void) async throws {
        var next: String? = span
        while let advance = next {
            let answer = try await send(
                .POST, "/dev/clock", ["advance": advance], within: Self.longestAdvance
            ).required()
            try await tell(answer)
            let remaining = answer.members["remaining_ms"] as? Int64 ?? 0
            // Spans have whole seconds, so the rest is rounded up.
            next = remaining > 0 ? "\((remaining + 999) / 1_000)s" : nil
        }
    }

    /// Asks for the server's time. Throws if there is no complete answer.
    func clock() async throws -> Answer { try await send(.GET, "/dev/clock") }

    /// Asks for the user's subscription. Throws if there is no complete answer.
    func subscription(of user: UserID) async throws -> Answer {
        try await send(.GET, "/api/billing/subscriptions/check/\(user.text)", as: user)
    }

    /// Asks for the user's status. Throws if there is no complete answer.
    func status(of user: UserID) async throws -> Answer {
        try await send(.GET, "/api/iap/apple/status", as: user)
    }

    /// The newest purchases of the user, by their original transaction ids. Throws when no whole answer came.
    func purchases(of user: UserID) async throws -> Set<String> {
        let answer = try await send(.GET, "/api/iap/purchases?limit=100", as: user)
        let rows = answer.members["data"] as? [[String: Any]] ?? []
        return Set(rows.compactMap { $0["external_id"] as? String })
    }

    /// The account token that the user's app would buy with. Throws `Failure` when there is none.
    func accountToken(of user: UserID) async throws -> String {
        let answer = try await send(.GET, "/api/iap/apple/account-token", as: user).required()
        guard let token = answer.members["app_account_token"] as? String else {
            throw Failure(description: "the server answered no account token: \(answer.body)")
        }
        return token
    }

    private func send(
        _ method: HTTPMethod, _ path: String, _ body: (any Encodable)? = nil, as user: UserID? = nil,
        within timeout: TimeAmount = Self.timeout
    ) async throws -> Answer {
        var headers: [(String, String)] = []
        if let user {
            let token = try await DevelopmentToken.make(for: user, secret: try installation.secret())
            headers.append(("Authorization", "Bearer \(token)"))
        }
        let bytes = try body.map { Array(try JSONEncoder().encode($0)) }
        return try await send(method, path, bytes, adding: headers, within: timeout)
    }

    private func send(
        _ method: HTTPMethod, _ path: String, _ body: [UInt8]?, adding headers: [(String, String)],
        within timeout: TimeAmount = Self.timeout
    ) async throws -> Answer {
        var request = HTTPClientRequest(url: address + path)
        request.method = method
        for (name, value) in headers { request.headers.add(name: name, value: value) }
        if let body {
            request.headers.add(name: "Content-Type", value: "application/json")
            request.body = .bytes(ByteBuffer(bytes: body))
        }
        let response = try await HTTPClient.shared.execute(request, timeout: timeout)
        let bytes = try await response.body.collect(upTo: Self.maximumAnswer)
        return Answer(status: Int(response.status.code), body: String(buffer: bytes))
    }
}
