import Entitlements

/// What time it is for the server: what it sells runs, ends and is written down by this clock.
///
/// The real time stays for the tokens of the login and the keys of servers, TLS, leases and pauses of jobs, rates and
/// the lines of the log.
struct WallClock: Sendable {
    /// The process's own, which tells the real time.
    static let real = WallClock(now: Surroundings.now)

    let now: @Sendable () -> Instant
}
