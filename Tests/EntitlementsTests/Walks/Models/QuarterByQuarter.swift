import Entitlements

/// `semantics.md` taken literally for a few users at once, for histories in which everything happens at quarters of a
/// day: whatever is asked is made anew from all that happened, quarter by quarter and unit by unit.
///
/// Slow, and written without a look at the fold and the decisions that are held against it. Of the product it uses
/// values that hold something, and nothing that works anything out.
struct QuarterByQuarter {
    /// What covers, and how high it stands.
    enum Tier: String {
        case basic, pro, eyes

        var rank: Int { self == .basic ? 1 : 2 }
        var lane: String { self == .eyes ? "art" : "main" }
        var devices: Int { self == .basic ? 1 : self == .pro ? 5 : 0 }
    }

    /// What a purchase or a grant is worth; lengths and ends are in quarters.
    enum Worth {
        case pass(Tier, length: Int)
        case plan(Tier, seats: Int?)
        case window(Tier, until: Int)
        case addOn(ProductID)
        case lot(units: Int, expiresAt: Int?, onShortfall: Terms.OnShortfall)
    }

    /// A state, and who was told of it.
    struct Told {
        let state: VerifiedPurchase
        var users: Set<UserID> = []
    }

    /// The time in which one user has a purchase, and what came with it and went with it.
    struct Stay {
        var user: UserID
        let from: Int
        let ran: Int
        let units: Int
        let isByPolicy: Bool
        var until: Int?
        var leftRan = 0
        var leftUnits = 0

        func holds(_ quarter: Int) -> Bool { from <= quarter && quarter < until ?? .max }
    }

    /// A purchase or a grant.
    struct Thing {
        let key: PurchaseKey
        let worth: Worth
        let madeAt: Int
        var told: [Told] = []
        var withdrawnAt: Int?
        var stays: [Stay] = []
        /// The share that is refunded in each quarter from 0 on, the last one for ever.
        var shares = [0]

        func share(_ quarter: Int) -> Int { shares[min(quarter, shares.count - 1)] }

        var id: String { key.externalID.text }
        var owner: UserID? { stays.last?.user }
    }

    /// An uninterrupted stretch that one thing covers.
    struct Piece {
        let id: String
        let environment: StoreEnvironment
        let tier: Tier
        let seats: Int?
        let isGrace: Bool
        let quarters: Range<Int>
        /// In which stay of its thing.
        let stay: Int
    }

    /// In the order in which they were first heard of.
    var things: [Thing] = []
    var credits: [UserID: [CreditEntry]] = [:]
    var devices: [UserID: [HourByHour.Act]] = [:]
    /// Whether windows of higher rank pause the passes of `main`.
    let pauses: Bool
    /// Of every kind.
    let policy: OwnershipPolicies.Policy
    /// For whom sandbox purchases count.
    let access: EntitlementSettings.SandboxAccess
    /// Who was put on the list of testers, or taken off.
    var testers: [UserID: Bool] = [:]
    /// What was worked out since something changed.
    private var coverage: [UserID: [Piece]] = [:]

    init(pauses: Bool, policy: OwnershipPolicies.Policy, access: EntitlementSettings.SandboxAccess) {
        self.pauses = pauses
        self.policy = policy
        self.access = access
    }

    func counts(_ environment: StoreEnvironment, for user: UserID) -> Bool {
        switch access {
        case .nobody: environment == .production
        case .testers: environment == .production || testers[user] == true
        case .everyone: true
        }
    }

    static let leeway = 4
    static let grace = 4
    static let length = Instant.millisecondsPerDay / 4

    static func instant(_ quarter: Int) -> Instant { Instant("01-01") + Int64(quarter) * length }

    static func quarter(of instant: Instant) -> Int { Int((instant - Instant("01-01")) / length) }

    func position(_ id: String) -> Int? { things.firstIndex { $0.id == id } }

    /// Changes a thing, and with it everybody's coverage.
    mutating func change(_ position: Int, _ change: (inout Thing) -> Void) {
        change(&things[position])
        let thing = things[position]
        things[position].shares = Self.shares(thing.told.map(\.state), withdrawnAt: thing.withdrawnAt)
        coverage = [:]
    }

    mutating func add(_ thing: Thing) {
        things.append(thing)
        coverage = [:]
    }

    // MARK: What is refunded

    /// The largest share that any transaction shows, or everything once an operator took it back.
    private static func shares(_ states: [VerifiedPurchase], withdrawnAt: Int?) -> [Int] {
        let last = max(states.map { quarter(of: $0.signedAt) }.max() ?? 0, withdrawnAt ?? 0)
        var shares = (0...last).map { $0 >= withdrawnAt ?? .max ? 100_000 : 0 }
        for (_, copies) in Dictionary(grouping: states, by: \.transactionID)
        where copies.contains(where: { $0.revocation != nil }) {
            let taken = TickByTick.shares(of: copies, at: shares.indices.map { instant($0).milliseconds })
            for index in shares.indices { shares[index] = max(shares[index], taken[index]) }
        }
        return shares
    }

    // MARK: What covers

    /// What covers a user, by start and then by id; the graces are there whether or not they will be entered.
    mutating func pieces(of user: UserID) -> [Piece] {
        if let known = coverage[user] { return known }
        let windows = things.flatMap { Self.windows(of: $0, user) }
        var pieces = windows
        for environment in [StoreEnvironment.production, .sandbox] {
            let pausing = windows.filter {
                pauses && $0.environment == environment && !$0.isGrace && $0.tier.lane == "main"
            }
            let stretches = pausing.map {
                PassClock.Pause(
                    rank: $0.tier.rank, startsAt: Self.tick($0.quarters.lowerBound),
                    endsAt: Self.tick($0.quarters.upperBound))
            }
            pieces += passes(of: user, environment, in: "main", pausedBy: stretches)
            pieces += passes(of: user, environment, in: "art", pausedBy: [])
        }
        let inOrder = pieces.sorted { ($0.quarters.lowerBound, $0.id) < ($1.quarters.lowerBound, $1.id) }
        coverage[user] = inOrder
        return inOrder
    }

    /// A quarter as `TickByTick` counts.
    private static func tick(_ quarter: Int) -> Instant { Instant(milliseconds: Int64(quarter)) }

    private func passes(
        of user: UserID, _ environment: StoreEnvironment, in lane: String, pausedBy pauses: [PassClock.Pause]
    ) -> [Piece] {
        var subjects: [TickByTick.Subject] = []
        var origins: [(thing: Thing, tier: Tier, stay: Int)] = []
        var end = pauses.map { Int($0.endsAt.milliseconds) }.max() ?? 0
        var lengths = 0
        for thing in things where thing.key.environment == environment {
            guard case .pass(let tier, let length) = thing.worth, tier.lane == lane else { continue }
            for (index, stay) in thing.stays.enumerated() where stay.user == user {
                let anchor = max(stay.from, thing.madeAt)
                subjects.append(
                    TickByTick.Subject(
                        key: thing.key, anchor: Int64(anchor), length: Int64(length), rank: tier.rank, states: [],
                        ranBefore: Int64(stay.ran),
                        departure: stay.until.map { Pass.Departure(at: Self.tick($0), ran: Int64(stay.leftRan)) },
                        shares: thing.shares))
                origins.append((thing, tier, index))
                end = max(end, anchor, thing.shares.count)
                lengths += length
            }
        }
        guard !subjects.isEmpty else { return [] }
        let running = TickByTick.run(subjects, pausedBy: pauses, until: Int64(end + lengths + 1))
        return origins.indices.flatMap { index in
            let (thing, tier, stay) = origins[index]
            return Self.stretches(of: 0..<running.count) { running[$0] == index }.map {
                Piece(
                    id: thing.id, environment: thing.key.environment, tier: tier, seats: nil, isGrace: false,
                    quarters: $0, stay: stay)
            }
        }
    }

    /// What a plan or an operator's "until" covers while it is the user's.
    private static func windows(of thing: Thing, _ user: UserID) -> [Piece] {
        switch thing.worth {
        case .pass, .addOn, .lot: return []
        case .window(let tier, let end):
            return covered(thing.madeAt..<end, thing.shares, thing, user, tier, seats: nil)
        case .plan(let tier, let seats):
            let known = thing.told.filter { $0.users.contains(user) }.map(\.state)
            let periods = Dictionary(grouping: known) { $0.periodID ?? "" }.values.sorted {
                $0[0].purchasedAt < $1[0].purchasedAt
            }
            return periods.enumerated().flatMap { index, states in
                let shares = shares(states, withdrawnAt: thing.withdrawnAt)
                let start = quarter(of: states[0].purchasedAt)
                let expires = quarter(of: states[0].expiresAt ?? .distantPast)
                let next = index + 1 < periods.count ? quarter(of: periods[index + 1][0].purchasedAt) : nil
                let upgraded = states.filter(\.isUpgraded).map { quarter(of: $0.signedAt) }.min()
                let end = min(expires, next ?? upgraded ?? expires)
                let paid = covered(start..<end, shares, thing, user, tier, seats: seats)
                guard upgraded == nil, end == expires else { return paid }
                let late = end..<min(end + leeway, next ?? .max)
                return paid + covered(late, shares, thing, user, tier, seats: seats, isGrace: true)
            }
        }
    }

    private static func covered(
        _ quarters: Range<Int>, _ shares: [Int], _ thing: Thing, _ user: UserID, _ tier: Tier, seats: Int?,
        isGrace: Bool = false
    ) -> [Piece] {
        thing.stays.indices.filter { thing.stays[$0].user == user }.flatMap { index in
            stretches(of: quarters) { thing.stays[index].holds($0) && shares[min($0, shares.count - 1)] == 0 }.map {
                Piece(
                    id: thing.id, environment: thing.key.environment, tier: tier, seats: seats, isGrace: isGrace,
                    quarters: $0, stay: index)
            }
        }
    }

    /// The stretches of `quarters` in which something holds without a gap.
    private static func stretches(of quarters: Range<Int>, where holds: (Int) -> Bool) -> [Range<Int>] {
        var stretches: [Range<Int>] = []
        for quarter in quarters where holds(quarter) {
            if let last = stretches.last, last.upperBound == quarter {
                stretches[stretches.count - 1] = last.lowerBound..<quarter + 1
            } else {
                stretches.append(quarter..<quarter + 1)
            }
        }
        return stretches
    }
}
