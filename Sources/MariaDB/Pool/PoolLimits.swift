/// The limits of a pool: its size and its waiting times.
package struct PoolLimits: Sendable {
    /// The connections that are kept open even when nobody asks for one, so that the pool recovers by itself.
    package var minConnections = 1
    /// The most connections, including those that are being opened or closed.
    package var maxConnections = 8
    /// The most callers that may wait; a further caller is refused.
    package var maxWaiters = 1024
    /// The time after which a waiting caller is refused.
    package var waitTimeout = Duration.seconds(2)
    /// The idle time after which a connection is pinged before it is lent.
    package var pingAfterIdle = Duration.seconds(30)
    /// The time for which openings may fail before callers are refused at once.
    package var circuitDelay = Duration.seconds(1)
    /// The pause after the first failed opening; it doubles with each further one.
    package var minBackOff = Duration.milliseconds(25)
    /// The longest pause between two openings. A server that is back is noticed within this time.
    package var maxBackOff = Duration.milliseconds(400)

    /// Limits with the default values.
    package init() {}

    /// The pause after a failed opening, if `failures` openings in a row failed before it.
    func backOff(afterFailures failures: Int) -> Duration {
        min(maxBackOff, minBackOff * (1 << min(failures, 16)))
    }
}
