import Entitlements
import LedgerStore
import Synchronization

/// The requests of each kind that one user, or one network without sign-in, may send in a minute; 0 means no limit.
package struct RateLimits: Hashable, Sendable {
    package var attachPerMinute: Int
    package var restorePerMinute: Int
    package var readPerMinute: Int
    /// The passwords that one network may send to the dashboard.
    package var passwordPerMinute: Int
    /// The sign-ins of Apple accounts from one network, behind which a whole carrier may stand.
    package var appleSignInPerMinute: Int

    /// The refused deliveries of one network in a minute, after which its deliveries are refused unread.
    var refusedDeliveriesPerMinute = 60

    package init(
        attachPerMinute: Int = 60, restorePerMinute: Int = 10, readPerMinute: Int = 600, passwordPerMinute: Int = 30,
        appleSignInPerMinute: Int = 600
    ) {
        self.attachPerMinute = attachPerMinute
        self.restorePerMinute = restorePerMinute
        self.readPerMinute = readPerMinute
        self.passwordPerMinute = passwordPerMinute
        self.appleSignInPerMinute = appleSignInPerMinute
    }

    /// The kind of a request, each with a rate of its own.
    package enum Kind: String, Hashable, Sendable, CaseIterable {
        case attach
        case restore
        case read
        /// Requests without sign-in, with the limit of reads.
        case open
        /// Changes of credits, devices or settings, with the limit of attaches. They are rated apart so that they never
        /// delay an attach.
        case write
        /// A delivery to a webhook that was refused.
        case refusedDelivery = "refused_delivery"
        /// A password that somebody sends to the dashboard. Comparing it costs much.
        case password
        /// An Apple account that signs in. Verifying its text costs much.
        case appleSignIn = "apple_sign_in"
        /// An order that a server has Apple asked about: one a second.
        case lookUp = "look_up"

        /// The seconds in which the limit counts requests.
        var windowSeconds: Int { self == .lookUp ? 1 : 60 }
    }

    subscript(kind: Kind) -> Int {
        switch kind {
        case .attach, .write: attachPerMinute
        case .restore: restorePerMinute
        case .read, .open: readPerMinute
        case .refusedDelivery: refusedDeliveriesPerMinute
        case .password: passwordPerMinute
        case .appleSignIn: appleSignInPerMinute
        case .lookUp: 1
        }
    }
}

/// A token bucket for each asker and kind. It holds the requests of a kind's window and is refilled evenly.
///
/// Beyond ``maximumAskers``, the least recently seen askers are forgotten, so memory is bounded (`threats.md` T28). If
/// the clock goes back, nothing is refilled.
final class RateLimiter: Sendable {
    static let maximumAskers = 100_000

    /// The sender whose requests are counted.
    enum Asker: Hashable {
        case user(UserID)
        /// A user by the text of an Apple account, made at an instant. A token of before a sign-out takes nothing from
        /// the one of afterwards.
        case appleAccount(UserID, madeAt: Instant)
        /// A server, by the id of its API key.
        case server(UInt64)
        /// A person of the staff, by number.
        case staff(UInt64)
        /// A network without sign-in, rated apart for each path. So a flood of requests for the products does not block
        /// the health checks.
        case network([UInt8], path: String)
    }

    /// The key of a bucket.
    private struct Key: Hashable {
        let asker: Asker
        let kind: RateLimits.Kind
    }

    /// The requests that are left. The unit is a request times the milliseconds of the window, so that refilling is
    /// exact.
    private struct Bucket {
        var level: Int64
        var filledAt: Instant
    }

    private let limits: RateLimits
    private let buckets: Mutex<BoundedCache<Key, Bucket>>

    init(_ limits: RateLimits, maximumAskers: Int = RateLimiter.maximumAskers) {
        self.limits = limits
        buckets = Mutex(BoundedCache(capacity: maximumAskers))
    }

    /// Takes one request from the asker's bucket, if any is left, and gives the state of the limit; nil if there is no
    /// limit.
    func take(_ kind: RateLimits.Kind, for asker: Asker, at now: Instant) -> RateQuota? {
        look(kind, asker, now, isTaking: true)
    }

    /// The state of the asker's limit if no request is left in the bucket. Nil if a request is left, which is not
    /// taken, or if there is no limit.
    func exceeded(_ kind: RateLimits.Kind, for asker: Asker, at now: Instant) -> RateQuota? {
        look(kind, asker, now, isTaking: false).flatMap { $0.isExceeded ? $0 : nil }
    }

    private func look(
        _ kind: RateLimits.Kind, _ asker: Asker, _ now: Instant, isTaking: Bool
    ) -> RateQuota? {
        let limit = limits[kind]
        guard limit > 0 else { return nil }
        let key = Key(asker: asker, kind: kind)
        let window = Int64(kind.windowSeconds) * 1_000
        let full = Int64(limit) * window
        return buckets.withLock { buckets in
            var bucket = buckets[key] ?? Bucket(level: full, filledAt: now)
            let elapsed = min(max(0, now - bucket.filledAt), window)
            bucket.level = min(full, bucket.level + elapsed * Int64(limit))
            bucket.filledAt = now
            let isExceeded = bucket.level < window
            if isTaking, !isExceeded { bucket.level -= window }
            buckets[key] = bucket
            let remaining = bucket.level / window
            let missing = (remaining + 1) * window - bucket.level
            let milliseconds = (missing + Int64(limit) - 1) / Int64(limit)
            return RateQuota(
                policy: kind.rawValue, limit: limit, windowSeconds: kind.windowSeconds, remaining: Int(remaining),
                resetSeconds: max(1, Int((milliseconds + 999) / 1000)), isExceeded: isExceeded)
        }
    }
}
