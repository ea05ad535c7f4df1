import Foundation

/// The answer that counts, until a newer one, a sign-out, or its own end.
struct Kept: Sendable {
    let status: Status
    /// The number of the request that it answers; 0 for an offline token that was kept from an earlier start.
    let asked: Int
    /// The end of an offline token, exclusive; nil for an answer in this run of the app, which ends as it says.
    let endsAt: Date?

    /// Whether an answer to the request `asked` is newer than this one.
    func isOlder(than answer: Status, asked other: Int) -> Bool {
        if answer.userID == status.userID, let theirs = answer.sequence, let ours = status.sequence, theirs != ours {
            return theirs > ours
        }
        return other > asked
    }

    func counting(at now: Date) -> Status? {
        if let endsAt, now >= endsAt { return nil }
        return status.counting(at: now)
    }

    /// The next instant at which less of it counts.
    func nextEnd(after now: Date) -> Date? { (status.ends + [endsAt].compactMap(\.self)).filter { $0 > now }.min() }
}

/// What outlives the process: only what is signed can unlock after a new start.
struct Record: Codable, Sendable {
    /// The subject of the bearer under which the rest came: another one's is forgotten.
    var subject: String?
    var user: String?
    var token: String?
    var keys = OfflineToken.KeySet()
    var accountToken: UUID?
    /// The latest time that was seen, against a clock that is set back.
    var latest = Date.distantPast
}

/// A token of this server for an Apple account, and which account and environment that is.
struct Session: Codable, Sendable {
    let account: String
    let token: String
    let expiresAt: Date
}

/// The time by which things end. From an answer on it is the server's, so a device whose clock is wrong loses nothing.
/// Before the first answer it is the device's, but never earlier than what an earlier run has seen. Either goes on with
/// a clock that nobody can set.
struct TrustedClock: Sendable {
    private let date: Date
    private let mark = ContinuousClock.now

    init(at date: Date) { self.date = date }

    var now: Date {
        let (seconds, attoseconds) = mark.duration(to: .now).components
        return date + (Double(seconds) + Double(attoseconds) / 1e18)
    }
}
