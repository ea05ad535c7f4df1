import Entitlements
import Foundation
import MariaDB
import Synchronization

/// The clock and the randomness of the process: everything below is handed them, and only here are they read.
enum Surroundings {
    /// The wall clock, whole milliseconds.
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

    /// A random UUID v4 (RFC 9562 §5.4).
    static func accountToken() -> AccountToken {
        let uuid = UUID().uuid
        let bytes = withUnsafeBytes(of: uuid, Array.init)
        guard let token = AccountToken(bytes: bytes) else { preconditionFailure("a UUID has 16 bytes") }
        return token
    }

    /// What the database pool measures and spreads its retries with.
    static let pool = PoolSurroundings(now: { uptime() }, jitter: { Double.random(in: 0..<1) })
}
