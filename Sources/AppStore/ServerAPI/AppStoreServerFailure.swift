package import Entitlements
import StrictJSON

/// The reason why Apple gave no answer to a question.
package enum AppStoreServerFailure: Error, Hashable, Sendable {
    /// No whole answer came, or Apple's server failed, or something else answered in its place.
    case unreachable(String)
    /// Apple does not accept the In-App Purchase key (401).
    case keyNotAccepted
    /// Apple or this server's own rate lets nothing be asked until the instant.
    case paused(until: Instant)
    /// Apple refused, with the error's code (`apple.md` §10.4).
    case refused(code: Int)
    /// The answer is not what Apple documents.
    case unreadable

    /// The codes of refusals after which the same question may be answered later.
    private static let retryable: Set<Int> = [4_040_002, 4_040_004, 4_040_006]

    /// True if Apple is away, so that the failure says nothing about the question.
    package var isPassing: Bool {
        switch self {
        case .unreachable, .keyNotAccepted, .paused: true
        case .refused, .unreadable: false
        }
    }

    /// True if the same question will never be answered.
    package var isFinal: Bool {
        switch self {
        case .unreachable, .keyNotAccepted, .paused, .unreadable: false
        case .refused(let code): !Self.retryable.contains(code)
        }
    }

    /// The failure in an answer that is not 200. A 429 says when to ask again, as milliseconds since the epoch
    /// (`apple.md` §10.4); the pause is at least a second and at most an hour, a minute where Apple names no instant.
    package init(status: Int, retryAfter: String?, body: [UInt8], at now: Instant) {
        switch status {
        case 401: self = .keyNotAccepted
        case 429:
            let named = retryAfter.flatMap { Int64($0) }.map { Instant(milliseconds: $0) }
            self = .paused(until: min(max(named ?? now + 60_000, now + 1_000), now + 3_600_000))
        default:
            // `try?` drops the defect: the status alone says enough.
            let code = (try? JSONValue(StrictJSON(body, boundsNames: false)))?["errorCode"]?.integer.flatMap { Int($0) }
            if let code, status < 500 {
                self = .refused(code: code)
            } else {
                self = .unreachable("it answered \(status)" + (code.map { ", \($0)" } ?? ""))
            }
        }
    }
}
