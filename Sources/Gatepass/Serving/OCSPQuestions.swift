import AppStore
import AsyncHTTPClient
import NIOCore
import NIOHTTP1

/// Carries questions about revocation to the authority that a certificate names (RFC 6960, appendix A).
struct OCSPQuestions: OCSPTransport {
    private static let maximumAnswer = 64 * 1_024

    let client: HTTPClient

    /// Throws whatever keeps an answer of 200 from arriving.
    func post(_ request: [UInt8], to address: String) async throws -> [UInt8] {
        var question = HTTPClientRequest(url: address)
        question.method = .POST
        question.headers.add(name: "Content-Type", value: "application/ocsp-request")
        question.body = .bytes(ByteBuffer(bytes: request))
        return try await client.body(of: question, upTo: Self.maximumAnswer)
    }
}
