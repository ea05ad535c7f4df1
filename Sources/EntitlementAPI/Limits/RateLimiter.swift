import Entitlements
import LedgerStore
import Synchronization

/// How many requests of a kind one user, or without sign-in one network, may send in a minute; 0 is any number.
package struct RateLimits: Hashable, Sendable {
    package var attachPerMinute: Int
    package var restorePerMinute: Int
    package var readPerMinute: Int

    /// How many deliveries of a network may be refused in a minute before the next ones are not looked at.
    var refusedDeliveriesPerMinute = 60

    package init(attachPerMinute: Int = 60, restorePerMinute: Int = 10, readPerMinute: Int = 600) {
        self.attachPerMinute = attachPerMinute
        self.restorePerMinute = restorePerMinute
        self.readPerMinute = readPerMinute
    }

    /// The kind of a request, each with a rate of its own.
    package enum Kind: String, Hashable, Sendable, CaseIterable {
        case attach
        case restore
        case read
        /// Requests that need no sign-in: as many as reads.
        case open
        /// Changes of credits, devices or settings: as many as attaches, and counted apart, so that none of them holds
        /// a purchase up.
        case write
        /// A delivery to a webhook that was refused.
        case refusedDelivery = "refused_delivery"
    }

    subscript(kind: Kind) -> Int {
        switch kind {
        case .attach, .write: attachPerMinute
        case .restore: restorePerMinute
        case .read, .open: readPerMinute
        case .refusedDelivery: refusedDeliveriesPerMinute
        }
    }
}

/// A token bucket for each asker and kind: a minute's worth at once, refilled evenly.
///
/// Beyond ``maximumAskers`` the askers that were not seen for longest are forgotten, so no number of them fills the
/// memory (`threats.md` T28). A clock that goes back refills nothing.
final class RateLimiter: Sendable {
    static let maximumAskers = 100_000

    /// A user, or a network, with limits of its own.
    enum Asker: Hashable {
        case user(UserID)
        /// Callers without sign-in, by their network, each route by itself: no number of questions for the products
        /// makes a server seem dead.
        case network([UInt8], path: String)
    }

    /// An asker and a kind, which have a limit of their own.
    private struct Key: Hashable {
        let asker: Asker
        let kind: RateLimits.Kind
    }

    /// The requests that are left, in requests × milliseconds of a minute, so that refilling is exact.
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

    /// Takes one request from the asker's bucket if there is one; nil where any number is answered.
    func take(_ kind: RateLimits.Kind, for asker: Asker, at now: Instant) -> RateStanding? {
        look(kind, asker, now, taking: Self.millisecondsPerMinute)
    }

    /// The rate that a request of the asker would exceed, without taking it; nil where there is room.
    func exceeded(_ kind: RateLimits.Kind, for asker: Asker, at now: Instant) -> RateStanding? {
        look(kind, asker, now, taking: 0).flatMap { $0.isExceeded ? $0 : nil }
    }

    private func look(
        _ kind: RateLimits.Kind, _ asker: Asker, _ now: Instant, taking amount: Int64
    ) -> RateStanding? {
        let limit = limits[kind]
        guard limit > 0 else { return nil }
        let key = Key(asker: asker, kind: kind)
        let full = Int64(limit) * Self.millisecondsPerMinute
        return buckets.withLock { buckets in
            var bucket = buckets[key] ?? Bucket(level: full, filledAt: now)
            let elapsed = min(max(0, now - bucket.filledAt), Self.millisecondsPerMinute)
            bucket.level = min(full, bucket.level + elapsed * Int64(limit))
            bucket.filledAt = now
            let isExceeded = bucket.level < Self.millisecondsPerMinute
            if !isExceeded { bucket.level -= amount }
            buckets[key] = bucket
            let remaining = bucket.level / Self.millisecondsPerMinute
            let missing = (remaining + 1) * Self.millisecondsPerMinute - bucket.level
            let milliseconds = (missing + Int64(limit) - 1) / Int64(limit)
            return RateStanding(
                policy: kind.rawValue, limit: limit, windowSeconds: 60, remaining: Int(remaining),
                resetSeconds: max(1, Int((milliseconds + 999) / 1000)), isExceeded: isExceeded)
        }
    }

    private static let millisecondsPerMinute: Int64 = 60_000
}
