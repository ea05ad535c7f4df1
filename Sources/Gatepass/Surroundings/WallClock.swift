import Entitlements

/// The server's clock. Purchases run and end by it, and facts are recorded by it.
///
/// These use the real time instead: sign-in tokens and API keys, TLS, leases and pauses of jobs, rate limits and log
/// lines.
struct WallClock: Sendable {
    /// The real time of the process.
    static let real = WallClock(now: Surroundings.now)

    let now: @Sendable () -> Instant
}
