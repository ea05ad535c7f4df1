/// How large a pool may grow and how patient it is.
package struct PoolLimits: Sendable {
    /// Kept open even when nobody asks, so that the pool heals by itself.
    package var minConnections = 1
    /// Never exceeded, connections being opened and closed included.
    package var maxConnections = 8
    /// More callers than this do not wait: they are refused.
    package var maxWaiters = 1024
    /// A caller that waited this long is refused.
    package var waitTimeout = Duration.seconds(2)
    /// A connection idle for longer is asked for a sign of life before it is lent.
    package var pingAfterIdle = Duration.seconds(30)
    /// Openings may fail for this long before callers are refused at once.
    package var circuitDelay = Duration.seconds(1)
    /// The pause after the first failed opening; it doubles with each further one.
    package var minBackOff = Duration.milliseconds(25)
    /// The longest pause between two openings, and so the time to notice that the server is back.
    package var maxBackOff = Duration.milliseconds(400)

    /// The defaults.
    package init() {}

    /// The pause before the next opening, after `failures` earlier ones in a row.
    func backOff(afterFailures failures: Int) -> Duration {
        min(maxBackOff, minBackOff * (1 << min(failures, 16)))
    }
}
