import EntitlementAPI
import Crypto
import Entitlements
import Foundation
import LedgerStore
import MariaDB
import Synchronization

/// The clock and the randomness of the process: everything below is handed them, and only here are they read.
enum Surroundings {
    /// The real time, whole milliseconds; what a server sells runs by its ``WallClock``.
    static func now() -> Instant {
        Instant(milliseconds: Int64((Date().timeIntervalSince1970 * 1_000).rounded(.down)))
    }

    /// Time that only goes forward, since some point in the past.
    static func uptime() -> Duration {
        let instant = ContinuousClock.now
        return start.duration(to: instant)
    }

    private static let start = ContinuousClock.now

    /// A name for a request that came without one: of this process, and of the request within it.
    static func requestID() -> String {
        process + String(requests.add(1, ordering: .relaxed).newValue, radix: 36)
    }

    private static let process = String(UInt64.random(in: .min ... .max), radix: 36) + "-"
    private static let requests = Atomic<UInt64>(0)

    /// A name that nobody can guess: 120 random bits in lower case.
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

    /// 16 bytes that keep words from being guessed from their digest.
    static func salt() -> [UInt8] { randomBytes(16) }

    /// A P-256 key that nobody can guess.
    static func signingKey() -> P256.Signing.PrivateKey { P256.Signing.PrivateKey() }

    /// Bytes that nobody can guess.
    static func randomBytes(_ count: Int) -> [UInt8] {
        (0..<count).map { _ in UInt8.random(in: .min ... .max) }
    }

    /// A key for a server.
    static func apiKeySecret() -> APIKeySecret {
        guard let secret = APIKeySecret(APIKeySecret.prefix + Base64URL.encode(randomBytes(APIKeySecret.byteCount)))
        else {
            preconditionFailure("the bytes were counted")
        }
        return secret
    }

    /// A number that tells an attempt at a request from other attempts.
    static func attemptName() -> UInt64 { .random(in: .min ... .max) }

    /// The clock and the chance of the database pool.
    static let pool = PoolSurroundings(now: { uptime() }, jitter: { Double.random(in: 0..<1) })
}
