import AppStore
import Entitlements

/// Changes of a chain by time alone.
extension SimulatedSubscription {
    /// A change that needs nobody's act.
    package enum Turn: Hashable, Sendable {
        /// The next period is charged.
        case renew
        /// Grace is over and Apple goes on trying.
        case endGrace
        /// The chain ends.
        case expire
    }

    /// For how long Apple tries to charge for the next period (`apple.md` §3.11).
    private static let longestRetry = 60 * Instant.millisecondsPerDay

    /// The next turn and its instant, in milliseconds since the epoch, unless somebody acts before; nil after the end.
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
