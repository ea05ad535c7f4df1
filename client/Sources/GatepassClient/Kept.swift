import Foundation

/// The answer that counts, until a newer one, a sign-out, or its own end.
struct Kept: Sendable {
    var status: Status
    /// The number of the request that it answers; 0 for an offline token that an earlier start kept.
    var number = 0
    /// The number of the last request that had begun when it came.
    var heard = 0
    /// The end of an offline token, exclusive; nil for an answer in this run of the app, which ends as it says.
    var endsAt: Date?

    /// True where an answer to the request `other` is newer than this one.
    func isOlder(than answer: Status, number other: Int) -> Bool {
        if answer.userID == status.userID, let theirs = answer.sequence, let ours = status.sequence, theirs != ours {
            return theirs > ours
        }
        return other > number
    }

    /// The part of it that still counts.
    func counting(at now: Date) -> Kept? {
        if let endsAt, now >= endsAt { return nil }
        var rest = self
        rest.status = status.counting(at: now)
        return rest
    }

    /// The next instant at which less of it counts.
    func nextEnd(after now: Date) -> Date? {
        [status.expiresAt, status.accessExpiresAt, endsAt].compactMap(\.self).filter { $0 > now }.min()
    }
}

/// The facts that outlive the process: of these only the token can unlock, because it is signed.
struct Record: Codable, Sendable {
    /// The subject of the bearer under which the rest came: another one's is forgotten.
    var subject: String?
    var user: String?
    var token: String?
    var keys = OfflineToken.KeySet()
    var session: Session?
    /// The latest time that was seen, against a clock that is set back.
    var latest = Date.distantPast
}

/// The time by which things end. From an answer on it is the server's, so a device whose clock is wrong loses nothing.
/// Before the first answer it is the device's, but never earlier than what an earlier run has seen. Either goes on with
/// a clock that nobody can set.
struct TrustedClock: Sendable {
    let date: Date
    let mark = ContinuousClock.now

    var now: Date { date + mark.duration(to: .now) / .seconds(1) }
}
