import Crypto
import Support
import Synchronization

/// The app's login, which publishes its keys over HTTP at the pace that it is told.
final class JWKSLogin: Sendable {
    /// What it publishes, and how.
    private final class Published: Sendable {
        let state = Mutex((kids: ["a"], pace: StoreReceiver.Pace.whole))
    }

    private let receiver: StoreReceiver
    private let published: Published
    private let key: P256.Signing.PrivateKey

    /// Publishes the key `a`. Throws when it cannot listen.
    init() throws {
        let (key, published) = (P256.Signing.PrivateKey(), Published())
        (self.key, self.published) = (key, published)
        receiver = try StoreReceiver { _, _ in
            let (kids, pace) = published.state.withLock { $0 }
            let point = Array(key.publicKey.rawRepresentation)
            let (x, y) = (EndToEndServer.base64URL(Array(point[..<32])), EndToEndServer.base64URL(Array(point[32...])))
            let keys = kids.map { #"{"kty":"EC","crv":"P-256","use":"sig","kid":"\#($0)","x":"\#(x)","y":"\#(y)"}"# }
            return .init(200, #"{"keys":[\#(keys.joined(separator: ","))]}"#, at: pace)
        }
    }

    /// The settings that lead to it.
    var settings: [String: String] {
        [
            "GATEPASS_AUTH_HS256_SECRET": "",
            "GATEPASS_AUTH_JWKS_URL": "http://127.0.0.1:\(receiver.port)/keys",
        ]
    }

    /// How often it was asked.
    var asked: Int { receiver.requests.count }

    func publish(_ kids: [String], at pace: StoreReceiver.Pace = .whole) {
        published.state.withLock { $0 = (kids, pace) }
    }

    func stop() { receiver.stop() }

    /// The answer to a user who signs in with a token of the key `kid`. Throws when no whole answer came.
    func signIn(_ user: String, by kid: String = "a", at server: EndToEndServer) async throws -> EndToEndAnswer {
        let claims = #"{"sub":"\#(user)","exp":\#(EndToEnd.now / 1_000 + 3_600)}"#
        let text = [#"{"alg":"ES256","kid":"\#(kid)"}"#, claims].map { EndToEndServer.base64URL(Array($0.utf8)) }
            .joined(separator: ".")
        let signature = EndToEndServer.base64URL(Array(try key.signature(for: Array(text.utf8)).rawRepresentation))
        return try await server.send(
            "GET", EndToEndServer.statusPath, fields: [("Authorization", "Bearer \(text).\(signature)")])
    }
}
