import Entitlements
import Testing

/// A lot that goes from user to user: what was spent stays, and a later refund reaches all of them (`semantics.md` §5).
@Suite struct LotHandoverTests {
    /// The ledgers of three users and the lot `c`, of 100 units, which one of them has.
    private struct Town {
        var ledgers = ["a", "b", "c"].compactMap { UserID($0).map { UserLedger(user: $0) } }
        var owner = 0
        let catalogue: CatalogueVersions
        private var state: VerifiedPurchase

        init(_ product: ProductID = .credits100) {
            catalogue = Story.catalogue
            state = .state(of: "c", product, .consumable, at: "01-01")
            learn(state, at: "01-01")
            ledgers[0].append([LedgerEntry.Draft(.bound(state.key), at: "01-01")], at: "01-01")
        }

        var key: PurchaseKey { state.key }

        func timeline(_ user: Int) -> Timeline {
            Timeline(folding: ledgers[user], given: catalogue, settings: .everyone)
        }

        /// Every ledger that has or had the lot learns of its states.
        private mutating func learn(_ state: VerifiedPurchase, at instant: Instant) {
            for index in ledgers.indices {
                ledgers[index].append([LedgerEntry.Draft(.stated(.purchase(state)), at: state.signedAt)], at: instant)
            }
        }

        mutating func refund(_ share: Int, at instant: Instant) {
            learn(state.with(revocation: Revocation(revokedAt: instant, share: share), signedAt: instant), at: instant)
        }

        mutating func reverse(at instant: Instant) {
            learn(state.with(revocation: nil, signedAt: instant), at: instant)
        }

        mutating func spend(_ amount: Int, at instant: Instant) {
            let history = PurchaseHistory(
                now: instant, ledgers: [ledgers[owner].user: ledgers[owner]], purchases: [:], tokenHolders: [:])
            let decision = DrawCredits(
                .of(amount), from: .credit, of: ledgers[owner].user, idempotencyKey: "\(instant)", request: ""
            ).spend(given: history, in: catalogue, under: .everyone)
            ledgers[owner].append(decision.drafts[ledgers[owner].user] ?? [], at: instant)
        }

        mutating func move(to receiver: Int, at instant: Instant, _ cause: Handover.Cause = .operator) {
            let handover = timeline(owner).handover(of: 0, at: instant, cause: cause)
            ledgers[owner].append([LedgerEntry.Draft(.gaveAway(key, handover), at: instant)], at: instant)
            ledgers[receiver].append([LedgerEntry.Draft(.received(key, handover), at: instant)], at: instant)
            owner = receiver
        }

        func balances(at instant: Instant) -> [String] {
            ledgers.indices.flatMap { timeline($0).creditBalances(at: instant).map(\.text) }
        }

        /// What all users together were credited, and gave up of it.
        func sums(at instant: Instant) -> [Int] {
            let balances = ledgers.indices.flatMap { timeline($0).creditBalances(at: instant) }
            return [
                balances.reduce(0) { $0 + $1.credited }, balances.reduce(0) { $0 + $1.refunded + $1.writtenOff },
            ]
        }
    }

    /// The lot of 100 units, of which 30 were spent, at its second owner.
    private static func moved(_ product: ProductID = .credits100) -> Town {
        var town = Town(product)
        town.spend(30, at: "01-02")
        town.move(to: 1, at: "01-03")
        return town
    }

    @Test func `what was spent stays and the rest moves`() {
        let town = Self.moved()
        #expect(town.balances(at: "01-02") == ["70 = 100 credited − 30 spent"], "the past stays as it was")
        #expect(town.balances(at: "01-03") == ["0 = 30 credited − 30 spent", "70 = 70 credited"])
    }

    @Test(arguments: [
        (50000, ["0 = 30 credited − 30 spent", "20 = 70 credited − 50 refunded"]),
        (70000, ["0 = 30 credited − 30 spent", "0 = 70 credited − 70 refunded"]),
        (80000, ["−10 = 30 credited − 10 refunded − 30 spent", "0 = 70 credited − 70 refunded"]),
        (100_000, ["−30 = 30 credited − 30 refunded − 30 spent", "0 = 70 credited − 70 refunded"]),
    ])
    func `a later refund takes first what moved`(_ share: Int, balances: [String]) {
        var town = Self.moved()
        town.refund(share, at: "01-04")
        #expect(town.balances(at: "01-04") == balances)
        town.reverse(at: "01-05")
        #expect(town.balances(at: "01-05") == ["0 = 30 credited − 30 spent", "70 = 70 credited"])
    }

    @Test func `what the receiver spent is their debt`() {
        var town = Self.moved()
        town.spend(60, at: "01-04")
        town.refund(100_000, at: "01-05")
        #expect(
            town.balances(at: "01-05") == [
                "−30 = 30 credited − 30 refunded − 30 spent", "−60 = 70 credited − 70 refunded − 60 spent",
            ])
    }

    @Test func `what is refunded already goes along, so that the reversal finds its owner`() {
        var town = Town()
        town.spend(30, at: "01-02")
        town.refund(50000, at: "01-03")
        town.move(to: 1, at: "01-04")
        #expect(town.balances(at: "01-04") == ["0 = 30 credited − 30 spent", "20 = 70 credited − 50 refunded"])
        town.reverse(at: "01-05")
        #expect(town.balances(at: "01-05") == ["0 = 30 credited − 30 spent", "70 = 70 credited"])
    }

    @Test func `under write-off, each side writes off its own`() {
        var town = Self.moved(.lenient100)
        town.spend(60, at: "01-04")
        town.refund(100_000, at: "01-05")
        #expect(
            town.balances(at: "01-05") == [
                "0 = 30 credited − 30 spent, 30 written off",
                "0 = 70 credited − 10 refunded − 60 spent, 60 written off",
            ])
    }

    @Test func `a lot may come back`() {
        var town = Self.moved()
        town.spend(20, at: "01-04")
        town.move(to: 0, at: "01-05")
        #expect(town.balances(at: "01-05") == ["50 = 80 credited − 30 spent", "0 = 20 credited − 20 spent"])
        town.refund(60000, at: "01-06")
        #expect(
            town.balances(at: "01-06") == [
                "0 = 80 credited − 50 refunded − 30 spent", "−10 = 20 credited − 10 refunded − 20 spent",
            ])
        town.refund(100_000, at: "01-07")
        #expect(
            town.balances(at: "01-07") == [
                "−30 = 80 credited − 80 refunded − 30 spent", "−20 = 20 credited − 20 refunded − 20 spent",
            ])
    }

    @Test func `a reservation stays with the one who made it`() {
        let story = Story().credits("c", at: "01-01").reserves("r", 40, at: "01-02")
        let key = Story().credits("c", at: "01-01").timeline().purchases[0].key
        #expect(story.timeline().unitsToMove(of: key, at: "01-03") == 60)
        #expect(story.timeline().isTouched(key, at: "01-03"))
        let given = story.adding([.gaveAway(key, Handover(cause: .operator, units: 60))], at: "01-03")
        #expect(given.balances(at: "01-03") == ["0 = 40 credited − 40 reserved"])
        #expect(given.releases("r", at: "01-04").balances(at: "01-04") == ["40 = 40 credited"])
        #expect(!story.releases("r", at: "01-04").timeline().isTouched(key, at: "01-04"))
    }

    @Test func `units that repay stay and their debt stays paid`() throws {
        let story = Story().credits("c", at: "01-01").spends(70, at: "01-02").refunds("c", at: "01-03")
            .credits("d", at: "01-04")
        let key = try #require(story.timeline().purchases.first { $0.key.externalID.text == "d" }?.key)
        #expect(story.timeline().unitsToMove(of: key, at: "01-05") == 30)
        #expect(story.timeline().isTouched(key, at: "01-05"))
        let given = story.adding([.gaveAway(key, Handover(cause: .operator, units: 30))], at: "01-05")
        #expect(given.balances(at: "01-05") == ["0 = 170 credited − 100 refunded − 70 spent"])
        #expect(given.reverses("c", signedAt: "01-06").balances(at: "01-06") == ["100 = 170 credited − 70 spent"])
    }

    @Test func `an untouched lot moves whole`() {
        var town = Town()
        #expect(!town.timeline(0).isTouched(town.key, at: "01-02"))
        town.move(to: 1, at: "01-02")
        #expect(town.balances(at: "01-02") == ["0 = 0 credited", "100 = 100 credited"])
    }

    @Test func `promotional units expire at their new owners too`() {
        let handover = Handover(cause: .merge, units: 50)
        let key = Grant.key(ExternalID("promo"))
        let gift = Grant.Gift.credits(unit: "credit", amount: 80, expiresAt: "01-10")
        let granted = Fact.granted(Grant(key: key, gift: gift, grantedAt: "01-01"))
        let received = Story().adding([granted], at: "01-01").adding([.received(key, handover)], at: "01-05")
        #expect(received.balances(at: "01-04") == [])
        #expect(received.balances(at: "01-05") == ["50 = 50 credited"])
        #expect(received.balances(at: "01-10") == ["0 = 50 credited − 50 expired"])
    }

    @Test func `what outlived its expiry lives on at its new owners`() {
        let story = Story().credits("c", at: "01-01").spends(70, at: "01-02").refunds("c", at: "01-03")
            .grants("promo", 80, until: "01-10", at: "01-04").reverses("c", signedAt: "01-12")
        let key = Grant.key(ExternalID("promo"))
        #expect(story.balances(at: "01-11") == ["0 = 180 credited − 100 refunded − 10 expired − 70 spent"])
        #expect(story.timeline().unitsToMove(of: key, at: "01-13") == 70)
        let handover = Handover(cause: .operator, units: 70)
        let given = story.adding([.gaveAway(key, handover)], at: "01-13")
        #expect(given.balances(at: "01-13") == ["30 = 110 credited − 10 expired − 70 spent"])
        let gift = Grant.Gift.credits(unit: "credit", amount: 80, expiresAt: "01-10")
        let granted = Fact.granted(Grant(key: key, gift: gift, grantedAt: "01-04"))
        let received = Story().adding([granted, .received(key, handover)], at: "01-13")
        #expect(received.balances(at: "01-13") == ["70 = 70 credited"])
    }

    /// What names its owner itself is a subscription, and was never the earlier one's.
    @Test(arguments: Handover.Cause.allCases)
    func `whoever gets it and why, the debt stays where it was spent`(
        _ cause: Handover.Cause
    ) {
        var town = Self.moved()
        town.spend(50, at: "01-04")
        town.refund(100_000, at: "01-05")
        town.move(to: 2, at: "01-06", cause)
        #expect(
            town.balances(at: "01-06") == [
                "−30 = 30 credited − 30 refunded − 30 spent", "−50 = 50 credited − 50 refunded − 50 spent",
                "0 = 20 credited − 20 refunded",
            ])
        town.reverse(at: "01-07")
        #expect(
            town.balances(at: "01-07") == [
                "0 = 30 credited − 30 spent", "0 = 50 credited − 50 spent", "20 = 20 credited",
            ])
    }

    @Test func `whoever holds what, all sides together give up the whole refund`() {
        for seed in UInt64(0)..<200 {
            var random = SplitMix64(seed: seed)
            var town = Town(Bool.random(using: &random) ? .credits100 : .lenient100)
            var share = 0
            for day in Int64(1)...12 {
                let at = Instant("01-01") + day * Instant.millisecondsPerDay
                switch Int.random(in: 0..<5, using: &random) {
                case 0:
                    share = Int.random(in: 1...100_000, using: &random)
                    town.refund(share, at: at)
                case 1:
                    share = 0
                    town.reverse(at: at)
                case 2, 3: town.spend(Int.random(in: 1...40, using: &random), at: at)
                default:
                    let receiver = (town.owner + Int.random(in: 1...2, using: &random)) % 3
                    town.move(to: receiver, at: at, Bool.random(using: &random) ? .operator : .reclaim)
                }
                #expect(
                    town.sums(at: at) == [100, CreditLot.refunded(of: 100, share: share)], "seed \(seed), day \(day)")
                let balances = town.ledgers.indices.flatMap { town.timeline($0).creditBalances(at: at) }
                #expect(balances.allSatisfy { $0.isSound }, "seed \(seed), day \(day)")
            }
        }
    }
}
