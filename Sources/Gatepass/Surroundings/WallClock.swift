import Entitlements

/// The server's clock, by which purchases run and end and facts are recorded.
///
/// The real time stays for the tokens of the login and the keys of servers, TLS, leases and pauses of jobs, rates and
/// the lines of the log.
struct WallClock: Sendable {
    /// The process's own, which tells the real time.
    static let real = WallClock(now: Surroundings.now)

    let now: @Sendable () -> Instant
}
