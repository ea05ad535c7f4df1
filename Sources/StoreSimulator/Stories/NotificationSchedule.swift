package import Entitlements

/// When the App Store delivers a notification again that the server did not take (`apple.md` §4.2).
package enum NotificationSchedule {
    private static let hours: [Int64] = [1, 12, 24, 48, 72]

    /// When it is tried again, in milliseconds since the epoch; nil when it is given up.
    ///
    /// - Parameters:
    ///   - attempts: How often it was tried.
    ///   - instant: When it was tried last.
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
