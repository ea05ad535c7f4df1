import AppStore
import Entitlements

/// Changes of a chain that happen at their time, without anybody's act.
extension SimulatedSubscription {
    /// A change that happens without anybody's act.
    package enum Turn: Hashable, Sendable {
        /// The next period is charged.
        case renew
        /// Grace ends, but Apple still retries the charge.
        case endGrace
        /// The chain ends.
        case expire
    }

    /// The time for which Apple retries the charge for the next period, in milliseconds (`apple.md` §3.11).
    private static let longestRetry = 60 * Instant.millisecondsPerDay

    /// The next turn and its instant in milliseconds since the epoch, unless somebody acts before; nil if the chain has
    /// ended.
    package var nextTurn: (turn: Turn, at: Int64)? {
        switch phase {
        case .active:
            let renews = willRenew && consentsToPrice != false && newest.revocation == nil
            return (renews ? .renew : .expire, newest.expiresDate)
        case .retry:
            return graceEndsAt.map { (.endGrace, $0) } ?? (.expire, newest.expiresDate + Self.longestRetry)
        case .ended: return nil
        }
    }
}
