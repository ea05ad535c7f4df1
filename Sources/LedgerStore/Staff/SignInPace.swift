package import Entitlements

/// The pace of tries to sign in. Tries slow down by account and network together, and by account alone only a little,
/// so that nobody can lock somebody else out.
package struct SignInPace: Sendable {
    /// A try that was let through to the password.
    package struct Try: Hashable, Sendable {
        package let at: Instant
        package let succeeded: Bool

        package init(at: Instant, succeeded: Bool) {
            self.at = at
            self.succeeded = succeeded
        }
    }

    /// The failures from one network that cost no pause.
    package static let freeHere = 5
    /// The failures from all networks within an hour that cost no pause.
    package static let freeAnywhere = 20
    /// The first pause, in milliseconds; it doubles with each further failure from the network.
    private static let firstPause: Int64 = 1_000
    private static let longestPause: Int64 = 15 * 60_000
    /// The pause by the account alone, in milliseconds.
    private static let pauseAnywhere: Int64 = 5_000
    private static let hour = Instant.millisecondsPerHour
    /// The time for which a failure from one network counts, in milliseconds.
    static let memory = 30 * Instant.millisecondsPerDay
    /// The time for which a success makes the network known to the account, in milliseconds.
    package static let knownFor = 90 * Instant.millisecondsPerDay

    /// The most tries that a decision needs.
    static let longestList = 32

    /// Returns the instant before which no try at the account from this network is let through; nil if it is over.
    ///
    /// - Parameter here: The tries at this account from this network, the last first.
    package static func allowedAt(here: [Try], now: Instant) -> Instant? {
        let failures = here.prefix { now - $0.at < memory && !$0.succeeded }
        guard failures.count >= freeHere, let last = failures.first else { return nil }
        let doublings = min(failures.count - freeHere, 20)
        let allowedAt = last.at + min(longestPause, firstPause << Int64(doublings))
        return allowedAt > now ? allowedAt : nil
    }

    /// Returns the time in milliseconds for which a try is held before it is let through, because of failures from
    /// other networks. No try is refused for them, so whoever has many networks cannot lock anybody out.
    ///
    /// - Parameters:
    ///   - isKnown: True if this network is known to the account.
    ///   - anywhere: The failures at this account from all networks, the last first.
    package static func pause(isKnown: Bool, anywhere: [Instant], now: Instant) -> Int64 {
        !isKnown && anywhere.count(where: { now - $0 < hour }) >= freeAnywhere ? pauseAnywhere : 0
    }
}
