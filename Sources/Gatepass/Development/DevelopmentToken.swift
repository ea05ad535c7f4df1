import Entitlements
import Foundation
import JWTKit

/// A user token for development, as the app's own sign-in would issue it. It is signed with the installation's secret.
struct DevelopmentToken: JWTPayload {
    /// The time for which a token is valid: 24 hours, in seconds.
    static let lifetime: TimeInterval = 24 * 3_600

    let sub: String
    let iat: IssuedAtClaim
    let exp: ExpirationClaim

    /// Does nothing and throws nothing, because this program only signs these tokens.
    func verify(using algorithm: some JWTAlgorithm) throws {}

    /// Makes a token for `user`, as a compact JWT. Throws if the secret is empty.
    static func make(for user: UserID, secret: String) async throws -> String {
        let now = Date()
        let keys = JWTKeyCollection()
        await keys.add(hmac: .init(from: secret), digestAlgorithm: .sha256)
        return try await keys.sign(
            DevelopmentToken(
                sub: user.text, iat: .init(value: now), exp: .init(value: now.addingTimeInterval(lifetime))))
    }
}
