import Entitlements
import Testing

/// The owner of a delivered purchase, by account tokens, customers and what events name (`semantics.md` §5, §7).
struct DeliveryOwnerTests {
    private static let key = PurchaseKey.pass("p")
    private static let month = VerifiedPurchase.state(of: "sub", .proMonthly, .plan, at: "01-01", until: "02-01")
    private static let ben: UserID = "ben"

    private static func news(about key: PurchaseKey) -> DeliveryNews {
        var news = DeliveryNews(in: NumberSpace(source: key.source, app: key.app, environment: key.environment))
        news.about = key
        return news
    }

    // MARK: Account tokens

    /// The user who gets a purchase with `token`, delivered with the token `shown`.
    private func check(
        token: Label?, shown: Label? = "t", of holder: UserID? = .alice, decodesLegacyTokens: Bool = false,
        owner: UserID? = nil, gives user: UserID?, because reason: DeliveryReason? = nil,
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        let states = [VerifiedPurchase.state(of: "p", at: "01-01", accountToken: token)]
        let holders = [token, shown].reduce(into: [Label: UserID]()) { holders, label in
            if let label { holders[label] = holder }
        }
        let history = PurchaseHistory(
            now: "01-02", ledgers: [:], purchases: [Self.key: .init(owner: owner, states: states)],
            tokenHolders: holders)
        var news = Self.news(about: Self.key)
        news.token = shown
        let rules = ClaimRules(decodesLegacyTokens: decodesLegacyTokens)
        let decision = PlaceDelivery(news, as: 1, under: rules).decide(given: history)
        #expect(decision.bindings == [Self.key: user].compactMapValues(\.self), sourceLocation: sourceLocation)
        let isOwned = user != nil || owner != nil
        let outcome = decision.answer.get()
        #expect(outcome.result == (isOwned ? user == nil ? .duplicate : .applied : .parked))
        #expect(outcome.reason == (isOwned ? reason : .noUser), sourceLocation: sourceLocation)
    }

    @Test func `a token gives what nobody has to the user whom it names`() {
        check(token: "t", gives: .alice)
        check(token: "t", decodesLegacyTokens: true, gives: .alice)
        check(token: "t", of: nil, gives: nil)
        check(token: "t", shown: nil, gives: nil)
        check(token: "t", of: .erased(pseudonym: 7), gives: nil)
    }

    @Test func `a token of another known user contradicts who has the purchase, and gives nothing`() {
        check(token: "t", owner: Self.ben, gives: nil, because: .contradicted)
        check(token: nil, owner: Self.ben, gives: nil, because: .contradicted)
        check(token: "t", owner: .alice, gives: nil)
        check(token: "t", of: nil, owner: Self.ben, gives: nil)
        check(token: "t", of: .erased(pseudonym: 7), owner: Self.ben, gives: nil)
        check(token: "t", owner: .erased(pseudonym: 7), gives: nil)
        check(token: "legacy:x", shown: "legacy:x", owner: Self.ben, gives: nil)
        check(
            token: "legacy:x", shown: "legacy:x", decodesLegacyTokens: true, owner: Self.ben, gives: nil,
            because: .contradicted)
    }

    @Test func `a token of the legacy form gives where such tokens are decoded, and nowhere else`() {
        check(token: "legacy:x", shown: "legacy:x", decodesLegacyTokens: true, gives: .alice)
        check(token: "legacy:x", shown: "legacy:x", gives: nil)
    }

    @Test func `a purchase without a token, and one that was never seen, is given to nobody`() {
        check(token: nil, gives: nil)
        check(token: nil, decodesLegacyTokens: true, gives: nil)
        let nothing = PurchaseHistory(now: "01-02", ledgers: [:], purchases: [:], tokenHolders: ["t": .alice])
        var news = Self.news(about: Self.key)
        news.token = "t"
        let decision = PlaceDelivery(news, as: 1, under: ClaimRules()).decide(given: nothing)
        #expect(decision.bindings.isEmpty && decision.answer == .success(.init(.parked, because: .noUser)))
    }

    // MARK: Users and customers

    /// Places an event about a month, and applies it.
    private static func place(
        for users: UserID..., customer: Label? = nil, holder: UserID? = nil, erased: Set<UserID> = [],
        in world: inout World, at now: Instant
    ) -> (owner: UserID?, outcome: DeliveryOutcome, placement: Placement?) {
        var news = news(about: month.key)
        (news.users, news.customer) = (users, customer)
        let known = world.history(at: now)
        let history = PurchaseHistory(
            now: now, ledgers: known.ledgers, purchases: known.purchases,
            tokenHolders: customer.flatMap { customer in holder.map { [customer: $0] } } ?? [:], erased: erased)
        let decision = PlaceDelivery(news, as: 1, under: ClaimRules()).decide(given: history)
        let outcome = world.apply(decision, at: now).get()
        return (world.owners[month.key], outcome, decision.placement)
    }

    private static func world() -> World {
        var world = World()
        world.record(month, at: "01-01")
        return world
    }

    @Test func `who was named first keeps it, and whoever else is named is a contradiction`() {
        var world = Self.world()
        #expect(Self.place(in: &world, at: "01-01").outcome == .init(.parked, because: .noUser))
        #expect(Self.place(for: .alice, in: &world, at: "01-02").owner == .alice)
        let ledger = world.ledger(of: .alice)
        #expect(ledger.entries.map(\.fact.kindText) == ["state", "bound"])
        #expect(Self.place(for: .alice, in: &world, at: "01-04").outcome == .init(.duplicate), "once is enough")
        let other = Self.place(for: Self.ben, customer: "c", in: &world, at: "01-05")
        #expect(other.owner == .alice && other.outcome == .init(.duplicate, because: .contradicted))
        #expect(other.placement?.customer == nil, "an event about what another has names nobody anew")
        #expect(Self.place(in: &world, at: "01-07").outcome == .init(.duplicate))
        #expect(world.ledger(of: .alice) == ledger && world.ledger(of: Self.ben).entries.isEmpty)
        #expect(world.segments(of: .alice) == ["sub 01-01..02-01"])
    }

    @Test func `a purchase of nobody waits for its customer, and goes to whom that is`() {
        var world = Self.world()
        let waiting = Self.place(customer: "c", in: &world, at: "01-02")
        #expect(waiting.owner == nil && waiting.placement?.awaited == ["c"])
        let erased = Self.place(customer: "c", holder: .erased(pseudonym: 7), in: &world, at: "01-02")
        #expect(erased.owner == nil)
        #expect(Self.place(customer: "c", holder: .alice, in: &world, at: "01-03").owner == .alice)
    }

    @Test func `the first user of a customer stays, and another who is named is a contradiction`() {
        var first = Self.world()
        let named = Self.place(for: .alice, customer: "c", in: &first, at: "01-02")
        #expect(named.placement?.customer?.user == .alice && named.outcome == .init(.applied))
        var second = Self.world()
        let other = Self.place(for: Self.ben, customer: "c", holder: .alice, in: &second, at: "01-02")
        #expect(other.owner == Self.ben, "its own event says whose it is")
        #expect(other.placement?.customer == nil && other.outcome == .init(.applied, because: .contradicted))
    }

    @Test(arguments: [([], "alice"), (["alice"], "ben"), (["ben"], "alice"), (["alice", "ben"], nil)])
    func `of several users whom an event names the first who was not erased counts`(
        erased: [String], owner: String?
    ) {
        var world = Self.world()
        let (erased, owner) = (Set(erased.compactMap { UserID($0) }), owner.flatMap { UserID($0) })
        let placed = Self.place(for: .alice, Self.ben, customer: "c", erased: erased, in: &world, at: "01-02")
        #expect(placed.owner == owner && placed.placement?.customer?.user == owner)
        #expect(placed.outcome == (owner == nil ? .init(.parked, because: .noUser) : .init(.applied)))
    }

    @Test func `an event of the owner's purchase names a new customer, and nobody takes that of an erased person`() {
        var world = Self.world()
        #expect(Self.place(for: .alice, in: &world, at: "01-02").owner == .alice)
        let renamed = Self.place(for: .alice, customer: "c", in: &world, at: "01-03")
        #expect(renamed.placement?.customer?.user == .alice && renamed.outcome == .init(.applied))
        var other = Self.world()
        let erased = Self.place(for: Self.ben, customer: "c", holder: .erased(pseudonym: 7), in: &other, at: "01-02")
        #expect(erased.owner == Self.ben && erased.placement?.customer == nil)
        #expect(erased.outcome == .init(.applied), "an erased person contradicts nobody")
    }

    @Test func `what an operator moved stays with whom has it, and with them when they are erased`() {
        var world = Self.world()
        #expect(Self.place(for: .alice, in: &world, at: "01-02").owner == .alice)
        world.move("sub", from: .alice, to: "carl", at: "01-10")
        #expect(Self.place(for: Self.ben, in: &world, at: "01-11").owner == "carl")
        world.erase("carl", as: 9)
        let late = Self.place(for: Self.ben, customer: "c", in: &world, at: "01-12")
        #expect(late.owner == .erased(pseudonym: 9) && late.outcome == .init(.duplicate))
        #expect(late.placement?.customer == nil)
    }
}
