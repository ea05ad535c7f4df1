import HTTPTypes
import Synchronization

/// How an asker stands to a rate, as `RateLimit` and `RateLimit-Policy` tell it (draft-ietf-httpapi-ratelimit-headers).
struct RateStanding: Hashable, Sendable {
    /// The name of the rate, the same in both fields.
    let policy: String
    let limit: Int
    /// The seconds that the limit is for; nil where it counts what is under way at once.
    let windowSeconds: Int?
    /// How many requests more would be answered now.
    var remaining = 0
    /// The seconds until there is one more.
    let resetSeconds: Int
    /// True if the request itself was one too many.
    var isExceeded = true
}

extension HTTPFields {
    /// Tells of a rate, beside those that are told already.
    mutating func tell(_ standing: RateStanding) {
        let window = standing.windowSeconds.map { "w=\($0)" } ?? "qu=\"concurrent-requests\""
        add("\"\(standing.policy)\";r=\(standing.remaining);t=\(standing.resetSeconds)", to: .rateLimit)
        add("\"\(standing.policy)\";q=\(standing.limit);\(window)", to: .rateLimitPolicy)
    }

    /// Adds an item to a list.
    private mutating func add(_ item: String, to name: HTTPField.Name) {
        self[name] = self[name].map { $0 + ", " + item } ?? item
    }
}

/// The rate that a request was counted under. A context is copied on its way; this is the same in each copy.
final class CountedRate: Sendable {
    private let kept = Mutex<RateStanding?>(nil)

    var standing: RateStanding? {
        get { kept.withLock { $0 } }
        set { kept.withLock { $0 = newValue } }
    }
}
