import AppStore
import AsyncHTTPClient
import NIOCore
import NIOHTTP1

/// Sends OCSP requests to the responder that a certificate names (RFC 6960, appendix A).
struct OCSPQuestions: OCSPTransport {
    private static let maximumAnswer = 64 * 1_024

    let client: HTTPClient

    /// Returns the body of a 200 answer. Throws an error if there is none.
    func post(_ request: [UInt8], to address: String) async throws -> [UInt8] {
        var question = HTTPClientRequest(url: address)
        question.method = .POST
        question.headers.add(name: "Content-Type", value: "application/ocsp-request")
        question.body = .bytes(ByteBuffer(bytes: request))
        return try await client.body(of: question, upTo: Self.maximumAnswer)
    }
}
