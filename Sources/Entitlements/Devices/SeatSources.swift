/// The coverage and add-ons that give device seats at an instant, and the seats that they give together (`semantics.md`
/// §8).
struct SeatSources {
    /// The properties of coverage on which seats depend.
    struct Giver: Hashable {
        /// The tier; nil for a plan id that no product has.
        let tier: TierID?
        let rank: Int
        /// The device seats that the product itself gives; nil if its tier says how many.
        let seats: Int?
    }

    /// All versions of the catalogue. They are needed for tiers that are no longer in the version in force, and for the
    /// ranks that add-ons require.
    let versions: CatalogueVersions
    /// The version of the catalogue in force.
    var catalogue: Catalogue
    /// The number of covering pieces for each kind of giver. There are few kinds, however many pieces there are.
    private var givers: [Giver: Int] = [:]
    /// The seats of the add-ons that the user has, added up by the tier that they require.
    private var addOnSeats: [TierID?: Int] = [:]

    init(in versions: CatalogueVersions, catalogue: Catalogue) {
        self.versions = versions
        self.catalogue = catalogue
    }

    /// Counts coverage that begins (`change` is 1) or ends (-1).
    mutating func count(_ giver: Giver, _ change: Int) {
        let count = givers[giver, default: 0] + change
        givers[giver] = count == 0 ? nil : count
    }

    /// Counts the seats of an add-on that comes, or of one that goes (`seats` is negative).
    mutating func count(addOnRequiring tier: TierID?, seats: Int) {
        addOnSeats[tier, default: 0] += seats
    }

    /// The seats that are allowed: the largest number that any coverage gives, else the default tier's, plus the seats
    /// of active add-ons. Each purchase of an add-on counts, so a seat that was bought twice is two seats.
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

    /// Returns the tier, taken from the version in force, else from the newest version that names it.
    func tier(_ id: TierID) -> Tier? {
        catalogue.tiers.first { $0.id == id } ?? versions.tier(id)
    }

    /// True if `topRank`, the highest rank of the present coverage, is at least the rank of the required tier
    /// (`semantics.md` §3). True if no tier is required.
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
