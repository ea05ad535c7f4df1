import HTTPTypes
import Synchronization

/// The state of an asker's rate limit, as the headers `RateLimit` and `RateLimit-Policy` give it
/// (draft-ietf-httpapi-ratelimit-headers).
struct RateQuota: Hashable, Sendable {
    /// The name of the rate, the same in both fields.
    let policy: String
    let limit: Int
    /// The seconds for which the limit counts requests; nil for a limit on concurrent requests.
    let windowSeconds: Int?
    /// The number of further requests that would be answered now.
    var remaining = 0
    /// The seconds until one more request would be answered.
    let resetSeconds: Int
    /// True if this request exceeded the limit.
    var isExceeded = true
}

extension HTTPFields {
    /// Adds a rate to the headers `RateLimit` and `RateLimit-Policy`, after the rates that they already list.
    mutating func tell(_ quota: RateQuota) {
        let window = quota.windowSeconds.map { "w=\($0)" } ?? "qu=\"concurrent-requests\""
        add("\"\(quota.policy)\";r=\(quota.remaining);t=\(quota.resetSeconds)", to: .rateLimit)
        add("\"\(quota.policy)\";q=\(quota.limit);\(window)", to: .rateLimitPolicy)
    }

    /// Adds an item to a list.
    private mutating func add(_ item: String, to name: HTTPField.Name) {
        self[name] = self[name].map { $0 + ", " + item } ?? item
    }
}

/// The rate limit that a request was counted under. A class, because all copies of the request's context must share it.
final class CountedRate: Sendable {
    private let kept = Mutex<RateQuota?>(nil)

    var quota: RateQuota? {
        get { kept.withLock { $0 } }
        set { kept.withLock { $0 = newValue } }
    }
}
