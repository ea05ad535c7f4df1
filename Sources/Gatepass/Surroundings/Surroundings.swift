import EntitlementAPI
import Crypto
import Entitlements
import Foundation
import LedgerStore
import MariaDB
import Synchronization

/// The clock and the randomness of the process. They are read only here and handed to all other code.
enum Surroundings {
    /// The real time in whole milliseconds. Purchases and facts use the server's ``WallClock`` instead.
    static func now() -> Instant {
        Instant(milliseconds: Int64((Date().timeIntervalSince1970 * 1_000).rounded(.down)))
    }

    /// The time since the process started, by a clock that never goes back.
    static func uptime() -> Duration {
        let instant = ContinuousClock.now
        return start.duration(to: instant)
    }

    private static let start = ContinuousClock.now

    /// An id for a request that came without one: a part for the process, and a number for the request.
    static func requestID() -> String {
        process + String(requests.add(1, ordering: .relaxed).newValue, radix: 36)
    }

    private static let process = String(UInt64.random(in: .min ... .max), radix: 36) + "-"
    private static let requests = Atomic<UInt64>(0)

    /// A random id of 24 characters, 120 bits, in lower case.
    static func id() -> String {
        let alphabet = Array("0123456789abcdefghijklmnopqrstuv".utf8)
        var random = SystemRandomNumberGenerator()
        return String(decoding: (0..<24).map { _ in alphabet[Int(random.next() & 31)] }, as: UTF8.self)
    }

    /// A random UUID v4 (RFC 9562 §5.4).
    static func accountToken() -> AccountToken {
        let uuid = UUID().uuid
        let bytes = withUnsafeBytes(of: uuid, Array.init)
        guard let token = AccountToken(bytes: bytes) else { preconditionFailure("a UUID has 16 bytes") }
        return token
    }

    /// 16 random bytes, hashed together with a text so that nobody can guess the text from its digest.
    static func salt() -> [UInt8] { randomBytes(16) }

    /// A random P-256 key.
    static func signingKey() -> P256.Signing.PrivateKey { P256.Signing.PrivateKey() }

    /// Random bytes.
    static func randomBytes(_ count: Int) -> [UInt8] {
        (0..<count).map { _ in UInt8.random(in: .min ... .max) }
    }

    /// 32 random bytes: the token of a browser, or of a link that sets a password.
    static func browserToken() -> [UInt8] { randomBytes(32) }

    /// The offset of a time zone at an instant, in milliseconds; nil if there is no zone of this name.
    static func zoneOffset(_ name: String, at instant: Instant) -> Int64? {
        guard let zone = TimeZone(identifier: name) else { return nil }
        let date = Date(timeIntervalSince1970: Double(instant.milliseconds) / 1_000)
        return Int64(zone.secondsFromGMT(for: date)) * 1_000
    }

    /// A random API key.
    static func apiKeySecret() -> APIKeySecret {
        guard let secret = APIKeySecret(APIKeySecret.prefix + Base64URL.encode(randomBytes(APIKeySecret.byteCount)))
        else {
            preconditionFailure("the bytes were counted")
        }
        return secret
    }

    /// A random number that identifies one attempt at a request.
    static func attemptName() -> UInt64 { .random(in: .min ... .max) }

    /// The clock and the randomness of the connection pool.
    static let pool = PoolSurroundings(now: { uptime() }, jitter: { Double.random(in: 0..<1) })
}
