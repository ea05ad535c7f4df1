import Entitlements
import Foundation
import JWTKit

/// A user token such as the app's own login would make, signed with the installation's secret.
struct DevelopmentToken: JWTPayload {
    /// How long one lasts.
    static let lifetime: TimeInterval = 24 * 3_600

    let sub: String
    let iat: IssuedAtClaim
    let exp: ExpirationClaim

    /// Throws nothing: a token that is signed here is not verified here.
    func verify(using algorithm: some JWTAlgorithm) throws {}

    /// A token for `user`, as compact text. Throws when the secret is empty.
    static func make(for user: UserID, secret: String) async throws -> String {
        let now = Date()
        let keys = JWTKeyCollection()
        await keys.add(hmac: .init(from: secret), digestAlgorithm: .sha256)
        return try await keys.sign(
            DevelopmentToken(
                sub: user.text, iat: .init(value: now), exp: .init(value: now.addingTimeInterval(lifetime))))
    }
}
