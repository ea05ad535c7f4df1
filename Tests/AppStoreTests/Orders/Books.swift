import Entitlements

/// One customer's ledger as it grows by what arrives: kept as `Workspace` keeps it, without a database.
struct Books {
    /// How a purchase becomes the customer's.
    enum Way: Sendable {
        /// By the account token in what Apple tells.
        case token
        /// The app attaches the first text of each purchase before Apple tells of it.
        case attachedFirst
        /// The app attaches what waited for somebody.
        case attachedLast
    }

    private(set) var ledger: UserLedger
    private var statements: [Statement] = []
    private var owned: Set<PurchaseKey> = []
    private let now: Instant

    static let settings = EntitlementSettings(sandboxAccess: .everyone)

    static let catalogue = CatalogueVersions(
        first: .init(
            number: 1, effectiveAt: .distantPast,
            catalogue: Catalogue(
                apps: [.init(id: app)], defaultTier: TierID("free"),
                tiers: [
                    Tier(id: TierID("free"), rank: 0), Tier(id: TierID("basic"), rank: 1),
                    Tier(id: TierID("pro"), rank: 2),
                ],
                products: [
                    Product(id: ProductID("pass.30"), app: app, terms: .pass(tier: TierID("pro"), days: 30)),
                    Product(id: ProductID("basic.30"), app: app, terms: .pass(tier: TierID("basic"), days: 30)),
                    Product(
                        id: ProductID("annual.3"), app: app,
                        terms: .plan(tier: TierID("pro"), planID: nil, familyShareable: false)),
                    Product(
                        id: ProductID("monthly.1"), app: app,
                        terms: .plan(tier: TierID("basic"), planID: nil, familyShareable: true)),
                ])))

    private static let app = AppID("com.airport.vpn")

    init(of customer: UserID, at now: Instant) {
        ledger = UserLedger(user: customer)
        self.now = now
    }

    /// What the ledger gives.
    var timeline: Timeline { Timeline(folding: ledger, given: Self.catalogue, settings: Self.settings) }

    /// Takes what one notification states of one purchase.
    mutating func take(_ told: [Statement], by way: Way) {
        if way == .attachedFirst { for state in told.compactMap(\.state) { attach(state) } }
        for statement in told { record(statement) }
        guard let key = told.first?.key else { return }
        var news = DeliveryNews(
            in: NumberSpace(source: key.source, app: key.app, environment: key.environment))
        news.about = key
        if way == .token { news.token = told.compactMap(\.state?.accountToken).first }
        apply(PlaceDelivery(news, as: 1, under: ClaimRules()).decide(given: history))
    }

    /// The app shows a text.
    mutating func attach(_ state: VerifiedPurchase) {
        record(.purchase(state))
        let context = ClaimContext(
            rules: ClaimRules(), fold: FoldContext(catalogue: Self.catalogue, settings: Self.settings))
        apply(Attach(state, to: ledger.user, proof: nil, in: context).decide(given: history))
    }

    private var history: PurchaseHistory {
        let states = Dictionary(grouping: statements.compactMap(\.state), by: \.key)
        let tokens = Set(statements.compactMap { $0.state?.accountToken })
        return PurchaseHistory(
            now: now, ledgers: [ledger.user: ledger],
            purchases: states.reduce(into: [:]) { known, states in
                known[states.key] = .init(
                    owner: owned.contains(states.key) ? ledger.user : nil, states: states.value)
            }, tokenHolders: tokens.reduce(into: [:]) { $0[$1] = ledger.user })
    }

    /// What is known already is not kept again, and a repeat waits for what makes it none (`semantics.md` §1).
    private mutating func record(_ statement: Statement) {
        guard !statements.contains(statement) else { return }
        let known = statements
        statements.append(statement)
        guard owned.contains(statement.key) else { return }
        guard statement.state != nil else { return enter([statement]) }
        guard !statement.isRepeat(among: known) else { return }
        enter([statement] + statement.endingRepeats(among: known))
    }

    private mutating func apply<Reply, Refusal>(_ decision: Decision<Reply, Refusal>) {
        for key in decision.bindings.keys where !owned.contains(key) {
            owned.insert(key)
            let known = statements.filter { $0.key == key }
            enter(known.filter { $0.state == nil || !$0.isRepeat(among: known) })
            ledger.append([.init(.bound(key), at: now)], at: now)
        }
    }

    private mutating func enter(_ entering: [Statement]) {
        let held = Set(ledger.entries.map(\.fact))
        let facts = entering.map { LedgerEntry.Draft(.stated($0), at: $0.signedAt) }
        ledger.append(facts.filter { !held.contains($0.fact) }, at: now)
    }
}
