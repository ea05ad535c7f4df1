import AsyncHTTPClient
import EntitlementAPI
import Foundation
import Logging

/// Makes the verifier for the tokens of the app's own sign-in.
struct Login: Sendable {
    /// The largest JWKS document that is read.
    private static let maximumDocument = 256 * 1_024

    let settings: Settings.Auth
    let files: ServerFiles
    let client: HTTPClient
    var uptime: @Sendable () -> Duration = Surroundings.uptime
    var logger: Logger?

    /// Makes the verifier. Throws `ServerFiles.Unusable` if its key cannot be used.
    func verifier() async throws -> BearerVerifier {
        let policy = BearerPolicy(
            issuer: settings.issuer, audience: settings.audience, userIDClaim: settings.userIDClaim)
        let keys = try keys()
        do throws(UnusableKey) {
            return try await BearerVerifier(keys, policy: policy)
        } catch {
            throw ServerFiles.Unusable(description: unusable)
        }
    }

    /// Fetches the login's JWKS document, within five seconds. Throws an error of the HTTP client, or
    /// `ServerFiles.Unusable` for another status than 200.
    func document(at address: WebAddress) async throws -> [UInt8] {
        try await client.body(of: HTTPClientRequest(url: address.text), upTo: Self.maximumDocument)
    }

    /// Fetches like ``document(at:)``, and logs why where that fails.
    private func documentOrReason(at address: WebAddress) async throws -> [UInt8] {
        do {
            return try await document(at: address)
        } catch {
            logger?.warning(
                "the login's keys cannot be fetched", metadata: ["address": "\(address.text)", "error": "\(error)"])
            throw error
        }
    }

    private var unusable: String {
        switch settings.verification {
        case .publicKey(let file):
            "auth.public_key_file: \(file) is no public key in PEM of P-256, Ed25519 or RSA of at least 2048 bits"
        case .sharedSecret, .keySet, nil: "auth.hs256_secret is empty: write at least 32 bytes"
        }
    }

    private func keys() throws -> BearerVerifier.Keys {
        switch settings.verification {
        case .sharedSecret(let secret, let previous):
            .secrets(([secret] + previous).map { Array($0.text.utf8) })
        case .publicKey(let file):
            .publicKey(try files.text(file, "auth.public_key_file:"))
        case .keySet(let address):
            .remote(RemoteKeys(uptime: uptime) { try await documentOrReason(at: address) })
        case nil where settings.appleTokenDays != nil:
            .noLogin
        case nil:
            .secrets([Array(Settings.Auth.developmentSecret.utf8)])
        }
    }
}
