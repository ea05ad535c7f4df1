import AppStore
import Entitlements
import StoreSimulator
import Support

/// A user of both stores, drawn from a seed: what was bought and became of it, in which order the server learns it, and
/// which instants to ask about.
struct OraclePerson {
    /// One thing that the server is told, as it is sent.
    enum Telling: Sendable {
        case attach(String)
        case notification(String)
        case card(CardAccount.Event)
        /// The members of a grant's request.
        case grant(String)
        /// The grant that was given last.
        case revokeGrant
        case revokePurchase(String)
        case spend(Int64)
        case nameTester
        /// Somebody else shows a text that this user showed.
        case theft(String)
    }

    let name: String
    /// The present, in milliseconds. Nothing is signed later.
    let now: Int64
    let accountToken: String?
    let authority: DevelopmentAuthority
    var chance: SeededChance
    private let number: Int
    private var ids = 0
    private var evidence: [Telling] = []
    /// What tells whose a purchase of Apple is.
    private var claims: [Telling] = []
    private(set) var purchases: [String] = []
    private(set) var instants: Set<Int64> = []

    /// What is told first; the rest is told once all that has settled.
    private(set) var early: [Telling] = []
    private(set) var late: [Telling] = []

    static func name(_ number: Int) -> String { "person-\(number)" }

    /// Person `number` of the run's seed. Throws never with the tests' authority.
    init(_ number: Int, at now: Int64, accountToken: String?, signedBy authority: DevelopmentAuthority) throws {
        self.number = number
        self.now = now
        self.accountToken = accountToken
        self.authority = authority
        name = Self.name(number)
        chance = SeededChance("oracle person \(number)")
        for _ in 0..<between(1, 4) { try buySomething() }
        order()
    }

    private mutating func buySomething() throws {
        switch between(0, 11) {
        case 0...2: try buyPasses()
        case 3: try buyAddOn()
        case 4: try buyCoins()
        case 5, 6: try subscribe()
        case 7, 8: payByCard()
        default: subscribeByCard()
        }
    }

    /// Shuffles what stores tell, doubles some of it, holds some back, and puts what operators do between.
    private mutating func order() {
        var first = claims
        for telling in evidence {
            if oneIn(6) { late.append(telling) } else { first.append(telling) }
            if oneIn(4) { late.append(telling) }
            if oneIn(4) { first.append(telling) }
        }
        first.shuffle(using: &chance)
        let givesGrants = oneIn(3)
        var acts = givesGrants ? [grant(), grant()] : []
        if oneIn(3) { acts.append(.nameTester) }
        for act in acts { first.insert(act, at: between(0, first.count)) }
        if case .attach(let text)? = claims.first, oneIn(3) { late.append(.theft(text)) }
        if oneIn(6), let purchase = purchases.randomElement(using: &chance) { late.append(.revokePurchase(purchase)) }
        for _ in 0..<between(0, 2) { late.append(.spend(Int64(between(1, 90)))) }
        late.shuffle(using: &chance)
        if givesGrants, oneIn(3) { late.append(.revokeGrant) }
        early = first
    }

    private mutating func grant() -> Telling {
        let tier = pick(["basic", "pro", "ebb", "flood"])
        let until = EndToEnd.rfc3339(second(now + days(between(2, 40))))
        let gifts = [
            #""kind":"add_days","tier":"\#(tier)","days":\#(between(1, 40))"#,
            #""kind":"until","tier":"\#(tier)","until":"\#(until)""#,
            #""kind":"add_on","product_id":"\#(pick(["addon.maps", "addon.night"]))""#,
            #""kind":"credits","unit":"coin","amount":\#(between(1, 60))"#,
        ]
        return .grant(pick(gifts))
    }

    // MARK: Chance

    mutating func between(_ low: Int, _ high: Int) -> Int { Int.random(in: low...max(low, high), using: &chance) }
    mutating func oneIn(_ count: Int) -> Bool { between(1, count) == 1 }
    mutating func pick<Element>(_ elements: [Element]) -> Element { elements[between(0, elements.count - 1)] }

    /// So many days to the millisecond.
    func days(_ count: Int) -> Int64 { Int64(count) * EndToEnd.day }

    /// A length of time between so many hours, to the millisecond.
    mutating func hours(_ low: Int, _ high: Int) -> Int64 {
        Int64.random(in: Int64(low) * 3_600_000...Int64(high) * 3_600_000, using: &chance)
    }

    /// Some time in the last five months.
    mutating func past() -> Int64 { now - hours(6, 150 * 24) }

    func second(_ instant: Int64) -> Int64 { instant / 1_000 * 1_000 }

    /// A number that nobody else has.
    mutating func newID() -> String {
        ids += 1
        return String(7_000_000_000 + number * 1_000 + ids)
    }

    // MARK: Telling

    /// The user shows a transaction.
    mutating func claim(_ transaction: SimulatedTransaction) throws {
        claims.append(.attach(try authority.sign(transaction).text))
    }

    mutating func note(_ purchase: String) { purchases.append(purchase) }

    /// An instant at which something may change.
    mutating func mention(_ instants: Int64...) { self.instants.formUnion(instants) }

    mutating func tell(_ event: CardAccount.Event) { evidence.append(.card(event)) }

    /// Lets the store, the app or both tell an event; `claims` if it is to say whose the purchase is.
    mutating func tell(_ event: SimulatedEvent, claims isClaim: Bool = false) throws {
        guard let transaction = event.transaction else { return }
        mention(transaction.purchaseDate, transaction.signedDate, transaction.expiresDate ?? transaction.purchaseDate)
        let text = try authority.sign(transaction).text
        let notification = try event.notification(uuid: newID(), appAppleId: 1_234_567_890, signedBy: authority)
        let payload = try authority.sign(notification).text
        if isClaim {
            claims.append(accountToken == nil || oneIn(2) ? .attach(text) : .notification(payload))
        } else if event.renewalInfo == nil, oneIn(2) {
            evidence.append(.attach(text))
            return
        } else if oneIn(4) {
            evidence.append(.attach(text))
        }
        evidence.append(.notification(payload))
    }
}
