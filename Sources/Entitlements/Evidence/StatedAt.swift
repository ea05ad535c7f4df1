/// When a source stated something: by time and, of events of one time, by the event's id, the larger being the newer
/// (`semantics.md` §7).
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
