import AppStore
import AsyncHTTPClient
import EntitlementAPI
import Entitlements
import Foundation
import NIOCore
import NIOHTTP1

/// verifyReceipt over HTTP (`apple.md` §9.2).
struct ReceiptQuestions: ReceiptServer {
    fileprivate static let addresses: [StoreEnvironment: String] = [
        .production: "https://buy.itunes.apple.com/verifyReceipt",
        .sandbox: "https://sandbox.itunes.apple.com/verifyReceipt",
    ]
    /// The largest answer: a receipt lists up to 100 renewals of each subscription, each in some 1.5 KB.
    private static let maximumAnswer = 4 << 20
    private static let deadline = Duration.seconds(20)

    /// The body of a question, in Apple's members.
    private struct Question: Encodable {
        let receipt: String
        let secret: String

        /// Apple's names of the members.
        enum CodingKeys: String, CodingKey {
            case receipt = "receipt-data"
            case secret = "password"
        }
    }

    let client: HTTPClient
    let secret: String
    /// The address of an environment; nil where nobody answers yet.
    let address: @Sendable (StoreEnvironment) -> String?

    /// - Throws: `.unreachable`.
    func verify(
        _ receipt: String, in environment: StoreEnvironment
    ) async throws(AppStoreServerFailure) -> [UInt8] {
        guard let address = address(environment) else { throw .unreachable("nobody listens yet") }
        do {
            var request = HTTPClientRequest(url: address)
            request.method = .POST
            request.headers.add(name: "Content-Type", value: "application/json")
            request.body = .bytes(try JSONEncoder().encode(Question(receipt: receipt, secret: secret)))
            let (head, body) = try await client.exchange(request, within: Self.deadline, upTo: Self.maximumAnswer)
            guard head.status == .ok else { throw AppStoreServerFailure.unreachable("it answered \(head.status.code)") }
            return Array(buffer: body)
        } catch let failure as AppStoreServerFailure {
            throw failure
        } catch {
            throw .unreachable("\(error)")
        }
    }
}

extension Receipts {
    /// The check of signatures, and the access to verifyReceipt with the shared secret.
    ///
    /// - Parameter simulated: The installation of a development server, whose simulated store is asked where no other
    ///   address is set.
    init(_ settings: Settings.Apple, roots: TrustRoots, client: HTTPClient, simulated: Installation?) {
        let verifier = ReceiptVerifier(roots: roots)
        guard let secret = settings.sharedSecret, !secret.isBlank else {
            self.init(verifier: verifier)
            return
        }
        let own = [
            StoreEnvironment.production: settings.verifyReceiptURL, .sandbox: settings.sandboxVerifyReceiptURL,
        ].compactMapValues { $0?.text }
        self.init(
            verifier: verifier,
            server: ReceiptQuestions(client: client, secret: secret.text) { environment in
                guard let simulated else { return own[environment] ?? ReceiptQuestions.addresses[environment] }
                return own[environment] ?? simulated.appStoreAddress(environment).map { $0 + "/verifyReceipt" }
            }, secret: secret.text)
    }
}
