package import Entitlements

/// The schedule by which the App Store retries a notification that the server did not accept (`apple.md` §4.2).
package enum NotificationSchedule {
    private static let hours: [Int64] = [1, 12, 24, 48, 72]

    /// The instant of the next retry in milliseconds since the epoch; nil if there is none.
    ///
    /// - Parameters:
    ///   - attempts: The number of attempts so far.
    ///   - instant: The instant of the last attempt, in milliseconds since the epoch.
    package static func nextAttempt(
        after attempts: Int, at instant: Int64, in environment: StoreEnvironment
    ) -> Int64? {
        switch environment {
        case .production where hours.indices.contains(attempts - 1):
            instant + hours[attempts - 1] * Instant.millisecondsPerHour
        case .production, .sandbox: nil
        }
    }
}
