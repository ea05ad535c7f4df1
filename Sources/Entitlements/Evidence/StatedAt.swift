/// The time at which a source stated something. Events of one time are ordered by their ids: the larger id is the newer
/// event (`semantics.md` §7).
struct StatedAt: Comparable {
    let signedAt: Instant
    let eventID: String?

    static func < (left: StatedAt, right: StatedAt) -> Bool {
        if left.signedAt != right.signedAt { return left.signedAt < right.signedAt }
        return (left.eventID ?? "").utf8.lexicographicallyPrecedes((right.eventID ?? "").utf8)
    }
}

extension VerifiedPurchase {
    var statedAt: StatedAt { StatedAt(signedAt: signedAt, eventID: eventID) }
}
