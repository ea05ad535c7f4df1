/// What somebody has by a reading of signed texts, the product's or the document's, in terms that both can say.
struct ReadAnswer: Hashable {
    /// What one purchase covers without a gap; milliseconds since the epoch.
    struct Piece: Hashable {
        let id: String
        let tier: String
        let from: Int64
        let until: Int64
    }

    /// What is told of a plan at an instant.
    struct Plan: Hashable {
        let product: String
        let state: String
        let willRenew: Bool
        let renewsAs: String?
        let graceEndsAt: Int64?
        let isInRetry: Bool
        let reason: String?
        let consent: String?
    }

    /// What is told of everything at an instant.
    struct Moment: Hashable {
        let at: Int64
        let isActive: Bool
        let tier: String?
        let state: String
        let expiresAt: Int64?
        let accessExpiresAt: Int64?
        let plan: Plan?
    }

    /// Of passes and periods, past and planned, by start and then by purchase.
    let pieces: [Piece]
    let moments: [Moment]

    init(pieces: [Piece], moments: [Moment]) {
        self.pieces = pieces.sorted { ($0.from, $0.id) < ($1.from, $1.id) }
        self.moments = moments
    }

    /// The first thing that the two say differently, in words; nil when there is none.
    func difference(from other: ReadAnswer) -> String? {
        guard pieces == other.pieces else { return "\(pieces)\n is not \(other.pieces)" }
        return zip(moments, other.moments).first { $0 != $1 }.map { "\($0)\n is not \($1)" }
    }
}
