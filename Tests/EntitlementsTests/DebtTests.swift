import Entitlements
import Testing

/// What an erased person owed follows to whoever has a purchase of the same Apple account (`semantics.md` §5).
@Suite struct DebtTests {
    private static let bob: UserID = "bob"
    private static let gone = UserID.erased(pseudonym: 7)
    private static let p1 = VerifiedPurchase.state(of: "p1", at: "01-01", account: "A")
    private static let p2 = VerifiedPurchase.state(of: "p2", at: "01-10", account: "A")
    private static let coins = VerifiedPurchase.state(of: "c", .credits100, .consumable, at: "01-01", account: "A")
    private static let others = VerifiedPurchase.state(of: "d", .credits100, .consumable, at: "01-11", account: "B")

    /// Alice spends some of 100, all are refunded, and she is erased.
    private static func indebted(by units: Int = 40, _ states: [VerifiedPurchase] = []) -> Realm {
        var realm = Realm()
        for state in [coins] + states { realm.attach(state, to: .alice, at: state.purchasedAt) }
        realm.spend(units, of: .alice, at: "01-12")
        realm.record(refund(of: coins), at: "01-13")
        realm.erase(.alice, as: 7)
        return realm
    }

    private static func refund(of state: VerifiedPurchase, share: Int = 100_000) -> VerifiedPurchase {
        state.with(revocation: Revocation(revokedAt: "01-13", share: share), signedAt: "01-13")
    }

    /// What somebody can spend and what they owe, long after.
    private func purse(of user: UserID, in realm: Realm) -> [Int] {
        let state = realm.timeline(of: user).facts(of: .credit).state(at: "12-01")
        return [state.spendable, state.debt]
    }

    @Test func theDebtFollowsToWhoeverHasAnyPurchaseOfTheAppleAccount() {
        var realm = Self.indebted()
        #expect(realm.attach(Self.p2, to: Self.bob, at: "02-10") == .success(.unowned))
        #expect(purse(of: Self.bob, in: realm) == [0, 40] && purse(of: Self.gone, in: realm) == [0, 0])
        #expect(realm.owners[Self.coins.key] == Self.gone, "the lot stays where it was")
        let before = realm.ledgers
        #expect(realm.attach(Self.p1, to: "carl", at: "02-11") == .success(.unowned))
        #expect(purse(of: "carl", in: realm) == [0, 0], "it is owed once")
        #expect(realm.attach(Self.p2, to: Self.bob, at: "02-12") == .success(.alreadyTheirs))
        #expect(realm.ledgers[Self.bob] == before[Self.bob])
        realm.attach(.state(of: "e", .credits100, .consumable, at: "02-12"), to: Self.bob, at: "02-12")
        #expect(purse(of: Self.bob, in: realm) == [60, 0], "the next credits repay it")
    }

    @Test func itIsAnAmountInBothLedgersAndAboutNoPurchase() {
        var realm = Self.indebted()
        realm.attach(Self.p2, to: Self.bob, at: "02-10")
        let debt = Debt(of: Label("A"), in: .vpn, .production, 40, unit: "credit")
        #expect(realm.ledger(of: Self.gone).entries.last?.fact == .debtPassedOn(debt))
        #expect(realm.ledger(of: Self.bob).entries.last?.fact == .debtTakenOver(debt))
        let balances = [Self.gone, Self.bob].flatMap { realm.timeline(of: $0).creditBalances(at: "02-10") }
        #expect(
            balances.map(\.text) == [
                "0 = 100 credited − 100 refunded − 40 spent + 40 passed on", "−40 = 0 credited − 40 taken over",
            ])
        #expect(realm.timeline(of: Self.gone).creditBalances(at: "02-09").map(\.debt) == [40], "the past stays")
        #expect(realm.status(of: Self.bob, at: "02-09").credits == [])
    }

    @Test func aLaterReversalStaysOnTheErasedSide() {
        var realm = Self.indebted()
        realm.attach(Self.p2, to: Self.bob, at: "02-10")
        realm.record(
            Self.coins.with(revocation: Revocation(revokedAt: "01-13", share: 80_000), signedAt: "02-11"), at: "02-11")
        #expect(purse(of: Self.bob, in: realm) == [0, 40] && purse(of: Self.gone, in: realm) == [20, 0])
        realm.record(Self.coins.with(revocation: nil, signedAt: "02-13"), at: "02-13")
        #expect(purse(of: Self.bob, in: realm) == [0, 40] && purse(of: Self.gone, in: realm) == [100, 0])
        realm.record(
            Self.refund(of: Self.coins).with(revocation: .init(revokedAt: "01-13", share: 100_000), signedAt: "02-14"),
            at: "02-14")
        #expect(realm.restore([Self.p2], to: Self.bob, at: "02-15") == .success([.claimed(.alreadyTheirs)]))
        #expect(purse(of: Self.bob, in: realm) == [0, 40] && purse(of: Self.gone, in: realm) == [0, 0])
    }

    @Test func theProofBringsWhatIsLeftLaterAndNothingIsOwedTwice() {
        var realm = Self.indebted()
        realm.attach(Self.p2, to: "carl", at: "02-10")
        #expect(purse(of: "carl", in: realm) == [0, 40])
        #expect(realm.attach(Self.coins, to: Self.bob, proof: "A", at: "02-11") == .success(.transferred))
        #expect(purse(of: "carl", in: realm) == [0, 40] && purse(of: Self.bob, in: realm) == [0, 0])
        realm.record(Self.coins.with(revocation: nil, signedAt: "02-13"), at: "02-13")
        #expect(purse(of: "carl", in: realm) == [0, 40] && purse(of: Self.bob, in: realm) == [60, 0])
        #expect(purse(of: Self.gone, in: realm) == [40, 0])
        realm.erase("carl", as: 8)
        realm.record(
            Self.refund(of: Self.coins).with(revocation: .init(revokedAt: "02-14", share: 100_000), signedAt: "02-14"),
            at: "02-14")
        #expect(purse(of: .erased(pseudonym: 8), in: realm) == [0, 40])
        realm.attach(Self.p1, to: "dora", at: "02-15")
        #expect(purse(of: "dora", in: realm) == [0, 40] && purse(of: .erased(pseudonym: 8), in: realm) == [0, 0])
        #expect(purse(of: Self.bob, in: realm) == [0, 0] && purse(of: Self.gone, in: realm) == [0, 0])
    }

    @Test func whatWasRepaidByWhoeverTookItOverIsOwedNoMore() {
        var realm = Self.indebted()
        realm.attach(Self.p2, to: Self.bob, at: "02-10")
        realm.attach(.state(of: "e", .credits100, .consumable, at: "02-11", account: "B"), to: Self.bob, at: "02-11")
        realm.erase(Self.bob, as: 8)
        realm.attach(Self.p1, to: "carl", at: "02-12")
        #expect(purse(of: "carl", in: realm) == [0, 0] && purse(of: .erased(pseudonym: 8), in: realm) == [60, 0])
    }

    @Test func theRefundOfALotWithoutAnAppleAccountStaysWhereItIs() {
        let unnamed = VerifiedPurchase.state(of: "u", .credits100, .consumable, at: "01-02")
        var realm = Realm()
        for state in [unnamed, Self.p1] { realm.attach(state, to: .alice, at: state.purchasedAt) }
        realm.spend(40, of: .alice, at: "01-12")
        realm.record(Self.refund(of: unnamed), at: "01-13")
        realm.erase(.alice, as: 7)
        #expect(realm.attach(Self.p1, to: Self.bob, proof: "A", at: "02-10") == .success(.transferred))
        #expect(realm.owners[unnamed.key] == Self.bob)
        #expect(purse(of: Self.bob, in: realm) == [0, 0] && purse(of: Self.gone, in: realm) == [0, 40])
        let named = VerifiedPurchase.state(
            of: "u", .credits100, .consumable, at: "01-02", revocation: .init(revokedAt: "01-13", share: 100_000),
            account: "A", signedAt: "02-11")
        realm.attach(named, to: Self.bob, at: "02-11")
        #expect(purse(of: Self.bob, in: realm) == [0, 40], "until a newer state names one")
    }

    @Test func aRefundAfterTheErasureFollowsAsSoonAsTheAccountIsShownAgain() {
        var realm = Realm()
        realm.attach(Self.coins, to: .alice, at: "01-01")
        realm.spend(40, of: .alice, at: "01-12")
        realm.erase(.alice, as: 7)
        realm.attach(Self.p2, to: Self.bob, at: "01-12")
        #expect(purse(of: Self.bob, in: realm) == [0, 0], "what is left needs the proof")
        for (share, owed) in [(80_000, 20), (100_000, 40)] {
            realm.record(Self.refund(of: Self.coins, share: share), at: "01-13")
            let answer = realm.restore([Self.p2], to: Self.bob, at: "01-14")
            #expect(answer == .success([.claimed(.alreadyTheirs)]))
            #expect(purse(of: Self.bob, in: realm) == [0, owed] && purse(of: Self.gone, in: realm) == [0, 0])
        }
    }

    @Test func aRestoreSaysTheSameInWhicheverOrderItsItemsStand() {
        for pass in ["a", "z"] {
            var realm = Self.indebted()
            let state = VerifiedPurchase.state(of: pass, at: "01-20", account: "A")
            let answer = realm.restore([Self.refund(of: Self.coins), state], to: Self.bob, at: "02-10")
            #expect(answer == .success([.refused(.ownedByAnotherUser), .claimed(.unowned)]))
            #expect(purse(of: Self.bob, in: realm) == [0, 40])
        }
    }

    @Test(arguments: [nil, "B"]) func anotherAppleAccountOwesNothingOfIt(_ account: String?) {
        var realm = Self.indebted()
        let state = VerifiedPurchase.state(of: "o", at: "01-20", account: account)
        let proof = account.map { AccountProof(stringLiteral: $0) }
        #expect(realm.attach(state, to: Self.bob, proof: proof, at: "02-10") == .success(.unowned))
        #expect(purse(of: Self.bob, in: realm) == [0, 0] && purse(of: Self.gone, in: realm) == [0, 40])
    }

    @Test func theSandboxAndARefusedPurchaseBringNoDebt() {
        var realm = Self.indebted()
        let sandbox = VerifiedPurchase.state(of: "s", environment: .sandbox, at: "01-20", account: "A")
        #expect(realm.attach(sandbox, to: Self.bob, at: "02-10") == .success(.unowned))
        realm.attach(Self.p2, to: "carl", at: "01-20")
        #expect(realm.attach(Self.p2, to: Self.bob, at: "02-10") == .failure(.ownedByAnotherUser))
        #expect(purse(of: Self.bob, in: realm) == [0, 0])
    }

    @Test func onlyTheAppleAccountThatTheRequestShowsCounts() {
        var realm = Self.indebted()
        realm.record(Self.p2, at: "02-09")
        let unnamed = VerifiedPurchase.state(of: "p2", at: "01-10", signedAt: "01-11")
        #expect(realm.attach(unnamed, to: Self.bob, at: "02-10") == .success(.unowned))
        #expect(purse(of: Self.bob, in: realm) == [0, 0], "whoever else's request locks the debtor decides nothing")
        #expect(realm.attach(Self.p2, to: Self.bob, at: "02-11") == .success(.alreadyTheirs))
        #expect(purse(of: Self.bob, in: realm) == [0, 40])
    }

    @Test func aDebtThatComesByAClockAheadOfOursStopsTheNextSpend() {
        var realm = Realm()
        let ahead = VerifiedPurchase.state(of: "c", .credits100, .consumable, at: "01-01 00:03:00", account: "A")
        realm.attach(ahead, to: .alice, at: "01-01")
        realm.spend(40, of: .alice, at: "01-01")
        realm.record(
            ahead.with(revocation: .init(revokedAt: "01-01 00:03:00", share: 100_000), signedAt: "01-01 00:03:01"),
            at: "01-01")
        realm.erase(.alice, as: 7)
        realm.attach(
            .state(of: "d", .credits100, .consumable, at: "01-01", account: "A"), to: Self.bob, at: "01-01 00:01:00")
        let spend = SpendCredits(
            .of(70), from: .credit, of: Self.bob, idempotencyKey: "k", request: "r", in: .example, settings: .everyone)
        #expect(
            spend.decide(given: realm.history(at: "01-01 00:02:00")).answer == .failure(.insufficientCredits),
            "60 are left")
    }

    @Test func theLivingKeepTheirDebts() {
        var realm = Realm()
        realm.attach(Self.coins, to: .alice, at: "01-01")
        realm.spend(40, of: .alice, at: "01-12")
        realm.record(Self.refund(of: Self.coins), at: "01-13")
        realm.attach(Self.p2, to: Self.bob, at: "02-10")
        #expect(purse(of: .alice, in: realm) == [0, 40] && purse(of: Self.bob, in: realm) == [0, 0])
    }

    @Test(arguments: [false, true]) func theDebtOfALotThatWentOnFollowsToo(comesBack: Bool) {
        var realm = Realm()
        realm.attach(Self.coins, to: .alice, at: "01-01")
        realm.spend(70, of: .alice, at: "01-10")
        realm.move("c", from: .alice, to: "w", at: "01-11")
        if comesBack { realm.move("c", from: "w", to: .alice, at: "01-12") }
        realm.record(Self.refund(of: Self.coins), at: "01-13")
        realm.erase(.alice, as: 7)
        #expect(purse(of: Self.gone, in: realm) == [0, 70])
        realm.attach(Self.p2, to: Self.bob, at: "02-10")
        #expect(purse(of: Self.bob, in: realm) == [0, 70] && purse(of: Self.gone, in: realm) == [0, 0])
        realm.record(Self.coins.with(revocation: nil, signedAt: "02-13"), at: "02-13")
        #expect(purse(of: Self.bob, in: realm) == [0, 70])
        #expect(purse(of: Self.gone, in: realm) == [comesBack ? 100 : 70, 0])
        #expect(purse(of: "w", in: realm) == [comesBack ? 0 : 30, 0])
    }

    @Test func whatWasReservedIsFreeAgainForNobodyCanCommitIt() {
        var realm = Realm()
        realm.attach(Self.coins, to: .alice, at: "01-01")
        realm.reserve(60, of: .alice, at: "01-12 12:00:00")
        realm.erase(.alice, as: 7)
        var refunded = realm
        refunded.record(Self.refund(of: Self.coins), at: "01-12 12:10:00")
        refunded.attach(Self.p2, to: Self.bob, at: "01-12 12:20:00")
        #expect(purse(of: Self.bob, in: refunded) == [0, 0] && purse(of: Self.gone, in: refunded) == [0, 0])
        #expect(refunded.ledger(of: Self.gone).entries.last?.fact.purchase != nil, "nothing is owed, nothing is done")
        realm.attach(Self.coins, to: Self.bob, proof: "A", at: "01-12 12:20:00")
        #expect(purse(of: Self.bob, in: realm) == [100, 0] && purse(of: Self.gone, in: realm) == [0, 0])
    }

    @Test func noMoreFollowsThanIsOwedInAll() {
        var realm = Self.indebted(by: 100, [Self.refund(of: Self.others, share: 40_000)])
        #expect(purse(of: Self.gone, in: realm) == [0, 40], "60 repay 100")
        realm.attach(.state(of: "o", at: "01-20", account: "B"), to: "carl", at: "02-10")
        #expect(purse(of: "carl", in: realm) == [0, 0], "the account that repays owes nothing")
        realm.attach(Self.p2, to: Self.bob, at: "02-10")
        #expect(purse(of: Self.bob, in: realm) == [0, 40] && purse(of: Self.gone, in: realm) == [0, 0])
    }

    @Test func whatTwoAccountsOweTogetherIsOwedOnce() {
        var realm = Realm()
        for state in [Self.coins, Self.others] { realm.attach(state, to: .alice, at: state.purchasedAt) }
        realm.spend(160, of: .alice, at: "01-12")
        realm.apply(
            GiveGrant(.credits(105, unit: "credit"), as: ExternalID("g"), to: .alice, note: .support, from: .example)
                .decide(given: realm.history(at: "01-12")), at: "01-12")
        for state in [Self.coins, Self.others] { realm.record(Self.refund(of: state), at: "01-13") }
        realm.erase(.alice, as: 7)
        #expect(purse(of: Self.gone, in: realm) == [0, 55])
        #expect(
            realm.timeline(of: Self.gone).openDebts(at: "02-10")
                == [Debt(of: Label("A"), in: .vpn, .production, 55, unit: "credit")])
        realm.attach(.state(of: "o", at: "01-20", account: "B"), to: "carl", at: "02-10")
        #expect(purse(of: "carl", in: realm) == [0, 0])
        realm.attach(Self.p2, to: Self.bob, at: "02-10")
        #expect(purse(of: Self.bob, in: realm) == [0, 55] && purse(of: Self.gone, in: realm) == [0, 0])
    }

    @Test func unitsThatRepayAnotherAccountsDebtStayWithIt() {
        var realm = Self.indebted(by: 70, [Self.others])
        #expect(purse(of: Self.gone, in: realm) == [30, 0])
        #expect(realm.attach(Self.others, to: "carl", proof: "B", at: "02-10") == .success(.transferred))
        #expect(purse(of: "carl", in: realm) == [30, 0] && purse(of: Self.gone, in: realm) == [0, 0])
        realm.attach(Self.p2, to: Self.bob, at: "02-10")
        #expect(purse(of: Self.bob, in: realm) == [0, 0])
    }

    @Test func whoTookTheDebtAndProvedTheAccountLeavesBothBehind() {
        var realm = Self.indebted()
        realm.attach(Self.p2, to: Self.bob, at: "02-10")
        realm.attach(Self.coins, to: Self.bob, proof: "A", at: "02-11")
        #expect(purse(of: Self.bob, in: realm) == [0, 40])
        realm.erase(Self.bob, as: 8)
        realm.attach(Self.coins, to: "eve", proof: "A", at: "02-12")
        #expect(purse(of: "eve", in: realm) == [0, 40] && purse(of: .erased(pseudonym: 8), in: realm) == [0, 0])
        realm.record(Self.coins.with(revocation: nil, signedAt: "02-13"), at: "02-13")
        #expect(purse(of: "eve", in: realm) == [20, 0], "60 came back, 40 of them repay")
    }

    @Test func whoeverGetsTheLotByAnOperatorTakesTheDebtLikeAnyOther() {
        var realm = Self.indebted()
        realm.attach(Self.p2, to: "carl", at: "02-10")
        realm.attach(Self.coins, to: Self.bob, proof: "A", at: "02-11")
        realm.move("c", from: Self.bob, to: "w", at: "02-12")
        realm.erase("carl", as: 8)
        realm.attach(Self.coins, to: "w", at: "02-13")
        #expect(purse(of: "w", in: realm) == [0, 40] && purse(of: .erased(pseudonym: 8), in: realm) == [0, 0])
    }

    @Test func theProofChangesNothingOfWhatWasRepaidBefore() {
        var realm = Self.indebted()
        realm.attach(Self.p2, to: Self.bob, at: "02-10")
        realm.apply(
            GiveGrant(
                .credits(50, unit: "credit", expiresAt: "02-12"), as: ExternalID("g"), to: Self.bob, note: .support,
                from: .example
            ).decide(given: realm.history(at: "02-11")), at: "02-11")
        #expect(purse(of: Self.bob, in: realm) == [0, 0], "40 repay and outlive the rest")
        realm.attach(Self.coins, to: Self.bob, proof: "A", at: "02-14")
        #expect(purse(of: Self.bob, in: realm) == [0, 0])
    }

    @Test func theProofBringsNoLessDebtThanNoProof() {
        var realm = Realm()
        realm.attach(Self.coins, to: .alice, at: "01-01")
        realm.spend(40, of: .alice, at: "01-10")
        realm.move("c", from: .alice, to: "w", at: "01-11")
        realm.record(Self.refund(of: Self.coins), at: "01-13")
        realm.erase(.alice, as: 7)
        realm.erase("w", as: 8)
        realm.attach(Self.coins, to: Self.bob, proof: "A", at: "02-10")
        #expect(purse(of: Self.bob, in: realm) == [0, 40] && purse(of: Self.gone, in: realm) == [0, 0])
    }

    @Test func whatRepaysStaysAndNothingIsOwed() {
        let more = VerifiedPurchase.state(of: "w", .credits100, .consumable, at: "01-12", account: "A")
        var realm = Realm()
        realm.attach(Self.coins, to: .alice, at: "01-01")
        realm.spend(70, of: .alice, at: "01-10")
        realm.move("c", from: .alice, to: "w", at: "01-11")
        realm.attach(more, to: .alice, at: "01-12")
        realm.record(Self.refund(of: Self.coins), at: "01-13")
        realm.erase(.alice, as: 7)
        realm.attach(more, to: Self.bob, proof: "A", at: "02-10")
        #expect(purse(of: Self.bob, in: realm) == [30, 0] && purse(of: Self.gone, in: realm) == [0, 0])
        realm.record(Self.coins.with(revocation: nil, signedAt: "02-13"), at: "02-13")
        #expect(purse(of: Self.gone, in: realm) == [70, 0], "a later reversal stays on the erased side")
        #expect(purse(of: Self.bob, in: realm) == [30, 0] && purse(of: "w", in: realm) == [30, 0])
    }
}
