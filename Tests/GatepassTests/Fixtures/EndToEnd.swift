import FoundationEssentials
import Support
import Synchronization
import Testing

/// The whole program over real HTTP and a real MariaDB: each test is a conversation with the built binary.
///
/// One after the other, because they share one machine and some of them kill what they talk to.
@Suite(.serialized) enum EndToEnd {
    /// Transaction ids that no two tests share.
    static func newID() -> String {
        String(
            ids.withLock { next in
                next += 1
                return next
            })
    }

    private static let ids = Mutex(2_000_001_000_000)

    /// The wall clock in milliseconds.
    static var now: Int64 { Int64(Date().timeIntervalSince1970 * 1_000) }

    static let day: Int64 = 86_400_000

    /// An instant as the API reads it, with milliseconds.
    static func rfc3339(_ milliseconds: Int64) -> String {
        // Whole seconds alone are exact as a `Double`.
        let (seconds, rest) = milliseconds.quotientAndRemainder(dividingBy: 1_000)
        let text = Date(timeIntervalSince1970: Double(seconds)).formatted(.iso8601)
        return text.dropLast() + "." + String(String(1_000 + rest).dropFirst()) + "Z"
    }
}
