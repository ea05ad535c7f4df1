import Entitlements

/// A random history of a few users, told to the product's decisions and to `QuarterByQuarter` alike: what either
/// answers is compared at once, and what either says of a user now and then.
struct WholeWalk {
    /// What a store sold, and everything that it has signed of it.
    struct Sale {
        let id: String
        let product: ProductID
        let madeAt: Int
        let quantity: Int
        /// The Apple account that bought it, where its states tell.
        let account: String?
        let environment: StoreEnvironment
        var signed: [VerifiedPurchase] = []
        var periods: [Range<Int>] = []
    }

    /// What was said of a user at an instant, and is to be said whenever it is asked as known then.
    struct Saying {
        let user: UserID
        let at: Int
        let knownAt: Instant
        let lines: [String]
    }

    let seed: UInt64
    let users: [UserID]
    var erased: [UserID] = []
    let catalogue: CatalogueVersions
    let settings: EntitlementSettings
    var random: SplitMix64
    var world = World()
    var model: QuarterByQuarter
    var now = 8
    var sales: [Sale] = []
    /// `user|id` of reservations, and ids of grants.
    var reservations: [(user: UserID, id: String)] = []
    var grants: [(user: UserID, id: String)] = []
    var sayings: [Saying] = []
    /// What was done, in order, for whoever looks into a divergence.
    private(set) var trail: [String] = []
    /// What was said of users.
    private(set) var answers: [String] = []
    /// The first difference.
    private(set) var divergence: String?

    init(seed: UInt64) {
        self.seed = seed
        random = SplitMix64(seed: seed)
        users = Bool.random(using: &random) ? ["alice", "bob"] : ["alice", "bob", "carol"]
        let pauses = Bool.random(using: &random)
        let policy = OwnershipPolicies.Policy.allCases.randomElement(using: &random) ?? .keep
        catalogue = CatalogueVersions(.short(pausing: pauses, policy: policy))
        let access = EntitlementSettings.SandboxAccess.allCases.randomElement(using: &random) ?? .everyone
        settings = EntitlementSettings(sandboxAccess: access)
        model = QuarterByQuarter(pauses: pauses, policy: policy, access: access)
    }

    /// A history of `count` operations that ends with the first difference, if there is one.
    static func history(seed: UInt64, of count: Int) -> WholeWalk {
        var walk = WholeWalk(seed: seed)
        for _ in 0..<count where walk.divergence == nil {
            walk.step()
            if walk.chance(of: 5) {
                let people = walk.users + walk.erased
                walk.look(
                    at: people.randomElement(using: &walk.random) ?? .alice,
                    walk.now + Int.random(in: -12...12, using: &walk.random))
            }
        }
        guard walk.divergence == nil else { return walk }
        for user in walk.users + walk.erased {
            for at in [walk.now, walk.now + Int.random(in: -20...40, using: &walk.random)] { walk.look(at: user, at) }
        }
        for saying in walk.sayings {
            walk.compare(
                "\(saying.user) at \(saying.at) as known at \(saying.knownAt.text)",
                walk.timeline(of: walk.world.ledger(of: saying.user).known(at: saying.knownAt))
                    .told(at: QuarterByQuarter.instant(saying.at)), saying.lines)
        }
        return walk
    }

    // MARK: Comparing

    var fold: FoldContext { FoldContext(catalogue: catalogue, settings: settings) }
    var instant: Instant { QuarterByQuarter.instant(now) }
    var claims: ClaimContext {
        ClaimContext(
            rules: ClaimRules(cooldownDays: 2, transfersPerYear: QuarterByQuarter.movesPerYear), fold: fold)
    }
    var anyone: UserID { mutating get { users.randomElement(using: &random) ?? .alice } }

    mutating func chance(of many: Int) -> Bool { Int.random(in: 0..<many, using: &random) == 0 }

    func timeline(of ledger: UserLedger) -> Timeline {
        Timeline(folding: ledger, given: catalogue, settings: settings)
    }

    var anyAccount: String? {
        mutating get { [nil, "apple", "apple", "pear"].randomElement(using: &random) ?? nil }
    }

    var anyProof: AccountProof? {
        mutating get {
            let environment = chance(of: 5) ? StoreEnvironment.sandbox : .production
            return anyAccount.map { AccountProof(of: Label($0), in: .vpn, environment) }
        }
    }

    mutating func note(_ deed: String) { trail.append("\(now): \(deed)") }

    mutating func compare(_ what: String, _ told: [String], _ expected: [String]) {
        guard told != expected, divergence == nil else { return }
        let differences = zip(told, expected).filter { $0 != $1 }.map { "\($0)\n  instead of\n  \($1)" }
        divergence = "\(what)\n  \(differences.joined(separator: "\n  "))"
    }

    mutating func compare(_ deed: String, _ told: String, _ expected: String) {
        note("\(deed): \(expected)")
        compare(deed, [told], [expected])
    }

    mutating func look(at user: UserID, _ quarter: Int) {
        let expected = model.answer(to: user, at: quarter)
        answers += expected
        let late = Int64.random(in: 0..<QuarterByQuarter.length, using: &random)
        let told = timeline(of: world.ledger(of: user)).told(at: QuarterByQuarter.instant(quarter) + late)
        compare("\(user) at \(quarter)", told, expected)
    }

    /// Whether it is noticed that somebody's ledger is not theirs.
    mutating func notices(_ ledger: UserLedger) -> Bool {
        let timeline = timeline(of: ledger)
        return [now - 16, now - 8, now, now + 8].contains { quarter in
            timeline.told(at: QuarterByQuarter.instant(quarter)) != model.answer(to: ledger.user, at: quarter)
        }
    }

    /// The seed, what differs, and what led there.
    var report: String {
        "GATEPASS_WALK_SEED=\(seed): \(divergence ?? "nothing differs")\n" + trail.joined(separator: "\n")
    }

    // MARK: Walking

    private mutating func step() {
        if seed.isMultiple(of: 2) { world.keepFolds(given: catalogue, settings: settings) }
        switch Int.random(in: 0..<100, using: &random) {
        case 0..<14: sell()
        case 14..<18: attachAgain()
        case 18..<22: restore()
        case 22..<29: refund()
        case 29..<33: reverse()
        case 33..<36: renew()
        case 36: upgrade()
        case 37..<42: spend()
        case 42..<46: reserve()
        case 46..<52: endReservation()
        case 52..<65: touchDevice()
        case 65..<71: grant()
        case 71..<73: withdrawGrant()
        case 73..<75: withdrawPurchase()
        case 75..<82: move()
        case 82: moveAll()
        case 83: merge()
        case 84: nameTester()
        case 85, 86: erase()
        default: wait()
        }
    }

    private mutating func wait() {
        if chance(of: 3) {
            let (user, at) = (anyone, now + Int.random(in: -8...8, using: &random))
            sayings.append(
                Saying(
                    user: user, at: at, knownAt: instant + Instant.millisecondsPerHour,
                    lines: model.answer(to: user, at: at)))
        }
        now += Int.random(in: 1...4, using: &random)
    }
}

extension Catalogue {
    /// The example with passes of days and lots of few units, so that a few weeks see them end.
    static func short(pausing: Bool, policy: OwnershipPolicies.Policy) -> Catalogue {
        .example(
            pausing: pausing,
            adding: [
                Product(id: .pro2, app: .vpn, terms: .pass(tier: "pro", days: 2)),
                Product(id: .basic3, app: .vpn, terms: .pass(tier: "basic", days: 3)),
                Product(id: .eyes2, app: .vpn, terms: .pass(tier: "eyes", days: 2)),
                Product(
                    id: .proSeats, app: .vpn,
                    terms: .addOn(features: [], requires: "pro", seats: 3, familyShareable: false)),
                Product(id: .credits6, app: .vpn, terms: .consumable(unit: "credit", amount: 6, onShortfall: .debt)),
                Product(
                    id: .lenient4, app: .vpn, terms: .consumable(unit: "credit", amount: 4, onShortfall: .writeOff)),
            ], ownership: OwnershipPolicies([.pass: policy, .addOn: policy, .consumable: policy, .plan: policy]))
    }
}

extension ProductID {
    static let pro2: ProductID = "pro.2"
    static let basic3: ProductID = "basic.3"
    static let eyes2: ProductID = "eyes.2"
    static let credits6: ProductID = "credits.6"
    static let lenient4: ProductID = "credits.lenient.4"
}
