import AppStore
import ArgumentParser
import AsyncHTTPClient
import Entitlements
import Foundation
import NIOCore
import NIOHTTP1

/// Brings a signed state to the running server, as the user's app would.
struct Delivery {
    /// There is no server to deliver to, or it refused.
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    private static let timeout = TimeAmount.seconds(30)
    private static let maximumAnswer = 1 << 20

    let simulation: SimulationOptions
    let installation: Installation

    /// Prints the text, or posts it and prints the answer. Throws `Failure` when there is no server or it refuses.
    /// What the server took is kept as delivered.
    func deliver(_ signed: SignedTransaction, of sold: SoldPurchase) async throws {
        guard !simulation.printsOnly else {
            return print(simulation.json ? try Self.document(signed, sold, answer: nil) : signed.text)
        }
        let answer = try await post(signed, for: sold.user)
        print(simulation.json ? try Self.document(signed, sold, answer: answer.body) : answer.body)
        guard answer.status == .ok else { throw Failure(description: "the server answered \(answer.status.code)") }
        var delivered = sold
        delivered.delivered = true
        try delivered.keep(in: installation)
    }

    private func post(
        _ signed: SignedTransaction, for name: String
    ) async throws -> (status: HTTPResponseStatus, body: String) {
        guard let address = installation.runningAddress else {
            throw Failure(description: "no server runs in \(installation.directory.path): start one, or add --print")
        }
        guard let user = UserID(name) else { throw Failure(description: "\(name) is no user id") }
        var request = HTTPClientRequest(url: "\(address)/api/iap/apple/transactions/attach")
        request.method = .POST
        let token = try await DevelopmentToken.make(for: user, secret: try installation.secret())
        request.headers.add(name: "Authorization", value: "Bearer \(token)")
        request.headers.add(name: "Content-Type", value: "application/json")
        request.body = .bytes(ByteBuffer(string: "{\"signedTransactionJWS\":\"\(signed.text)\"}"))
        let response = try await HTTPClient.shared.execute(request, timeout: Self.timeout)
        let body = try await response.body.collect(upTo: Self.maximumAnswer)
        return (response.status, String(buffer: body))
    }

    private static func document(_ signed: SignedTransaction, _ sold: SoldPurchase, answer: String?) throws -> String {
        var document: [String: Any] = ["transaction_id": sold.transactionID, "jws": signed.text]
        if let answer { document["answer"] = try JSONSerialization.jsonObject(with: Data(answer.utf8)) }
        return String(
            decoding: try JSONSerialization.data(withJSONObject: document, options: [.prettyPrinted, .sortedKeys]),
            as: UTF8.self)
    }
}
