/// The time and chance that a pool would otherwise take from the system.
package struct PoolSurroundings: Sendable {
    /// The time since some fixed start; it never goes back.
    package let now: @Sendable () -> Duration
    /// A number from 0 up to 1, different each time.
    package let jitter: @Sendable () -> Double

    /// Surroundings made of a monotonic clock and a source of chance.
    package init(now: @escaping @Sendable () -> Duration, jitter: @escaping @Sendable () -> Double) {
        self.now = now
        self.jitter = jitter
    }
}
