/// The clock and the randomness of a pool, which tests can replace.
package struct PoolSurroundings: Sendable {
    /// The time since some fixed start; it never goes backwards.
    package let now: @Sendable () -> Duration
    /// A random number from 0 to 1, different at each call.
    package let jitter: @Sendable () -> Double

    /// Surroundings with a monotonic clock and a source of random numbers.
    package init(now: @escaping @Sendable () -> Duration, jitter: @escaping @Sendable () -> Double) {
        self.now = now
        self.jitter = jitter
    }
}
