import Crypto
import Foundation
import StoreSimulator

/// Makes HS256 tokens as an app's own sign-in would.
struct UserTokens {
    private static let lifetimeSeconds: Int64 = 86_400

    private let key: SymmetricKey
    private let header = CompactText.base64URL(#"{"alg":"HS256","typ":"JWT"}"#.utf8)
    private let expiresAt: Int64

    init(secret: String, at now: Int64) {
        key = SymmetricKey(data: Array(secret.utf8))
        expiresAt = now / 1000 + Self.lifetimeSeconds
    }

    /// A token for `user` that is valid for a day.
    func token(for user: String) -> String {
        let claims = #"{"sub":"\#(user)","exp":\#(expiresAt)}"#
        let signed = header + "." + CompactText.base64URL(claims.utf8)
        let code = HMAC<SHA256>.authenticationCode(for: Array(signed.utf8), using: key)
        return signed + "." + CompactText.base64URL(code)
    }
}
