/// The purchases that give device seats at one instant, and the seats that they make together (`semantics.md` §8).
struct SeatSources {
    /// Coverage, as far as seats are concerned.
    struct Giver: Hashable {
        /// Nil for a plan that no product sells, which has seats of its own.
        let tier: TierID?
        let rank: Int
        /// The product's own seats, which go before its tier's.
        let seats: Int?
    }

    /// All versions, for tiers that the one in force has dropped and for the ranks that add-ons require.
    let versions: CatalogueVersions
    /// The catalogue in force.
    var catalogue: Catalogue
    /// How often each kind of giver covers; few kinds, however many pieces.
    private var givers: [Giver: Int] = [:]
    /// The seats of the add-ons that the user has, by the tier that they require.
    private var addOnSeats: [TierID?: Int] = [:]

    init(in versions: CatalogueVersions, catalogue: Catalogue) {
        self.versions = versions
        self.catalogue = catalogue
    }

    /// Coverage begins (1) or ends (-1).
    mutating func count(_ giver: Giver, _ change: Int) {
        let count = givers[giver, default: 0] + change
        givers[giver] = count == 0 ? nil : count
    }

    /// Seats of an add-on come, or go.
    mutating func count(addOnRequiring tier: TierID?, seats: Int) {
        addOnSeats[tier, default: 0] += seats
    }

    /// The largest seat count over what covers, else the default tier's, and the seats of active add-ons; each purchase
    /// counts, so a seat bought twice is two seats.
    var allowed: Int {
        let covered = givers.keys.reduce(nil) { largest, giver in max(largest ?? 0, seats(of: giver)) }
        let base = covered ?? catalogue.defaultTier.flatMap { tier($0)?.devices } ?? 0
        let topRank = givers.keys.lazy.map(\.rank).max()
        return addOnSeats.reduce(base) { sum, addOn in
            isCovered(asRequired: addOn.key, upTo: topRank) ? sum + addOn.value : sum
        }
    }

    func seats(of giver: Giver) -> Int {
        giver.seats ?? giver.tier.flatMap { tier($0)?.devices } ?? 0
    }

    /// The tier in the catalogue in force, else in the newest version that names it.
    func tier(_ id: TierID) -> Tier? {
        catalogue.tiers.first { $0.id == id } ?? versions.tier(id)
    }

    /// True if coverage of at least the required rank is there (`semantics.md` §3).
    private func isCovered(asRequired requires: TierID?, upTo topRank: Int?) -> Bool {
        guard let requires else { return true }
        guard let rank = versions.tier(requires)?.rank, let topRank else { return false }
        return topRank >= rank
    }
}

extension SeatSources.Giver {
    init(_ piece: Coverage) {
        self.init(tier: piece.segment.tier, rank: piece.segment.tierRank, seats: piece.seats)
    }
}
