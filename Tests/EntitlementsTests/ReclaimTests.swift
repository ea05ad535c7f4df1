import Entitlements
import Testing

/// What an erased person had may be claimed by the same Apple account under a new user (`semantics.md` §5).
@Suite struct ReclaimTests {
    private static let bob: UserID = "bob"
    private static let p1 = VerifiedPurchase.state(of: "p1", at: "01-01", account: "A")
    private static let p2 = VerifiedPurchase.state(of: "p2", at: "01-10", account: "A")
    private static let other = VerifiedPurchase.state(of: "o", .xyz, .nonConsumable, at: "01-05", account: "B")
    private static let unnamed = VerifiedPurchase.state(of: "u", .seats, .nonConsumable, at: "01-05")

    private static let erased: Realm = {
        var realm = Realm()
        for state in [p1, p2, other, unnamed] { realm.attach(state, to: .alice, at: state.purchasedAt) }
        realm.apply(
            GiveGrant(.credits(50, unit: "credit"), as: ExternalID("g"), to: .alice, note: .support, from: .example)
                .decide(given: realm.history(at: "01-11")), at: "01-11")
        realm.erase(.alice, as: 7)
        return realm
    }()

    @Test func noLoginNamesAnErasedPerson() {
        let erased = UserID.erased(pseudonym: .max)
        #expect(erased.text == "#18446744073709551615" && erased.isErased && !Self.bob.isErased)
        #expect(UserID(erased.text) == nil)
        #expect(UserID.erased(pseudonym: 1) != UserID.erased(pseudonym: 2))
    }

    @Test(arguments: [nil, "B", "C"]) func withoutTheProofItIsAnothersLikeAnyOther(_ proof: String?) {
        var realm = Self.erased
        #expect(realm.attach(Self.p1, to: Self.bob, proof: proof, at: "02-10") == .failure(.ownedByAnotherUser))
        #expect(realm.ledgers == Self.erased.ledgers)
    }

    @Test func theSameAppleAccountGetsAllThatIsLeftAndTheClocksRanOn() {
        var realm = Self.erased
        #expect(realm.attach(Self.p2, to: Self.bob, proof: "A", at: "02-10") == .success(.transferred))
        #expect(realm.segments(of: Self.bob) == ["p2 02-10..03-02"])
        #expect(realm.segments(of: .erased(pseudonym: 7)) == ["p1 01-01..01-31", "p2 01-31..02-10"])
        let status = realm.status(of: Self.bob, at: "02-11")
        #expect(status.entitlements.map(\.key.externalID.text) == ["p1", "u", "p2", "g"])
        #expect(status.entitlements.map(\.state) == [.finished, .running, .running, .running])
        #expect(realm.owners[Self.other.key]?.isErased == true, "another Apple account's stays")
        #expect(realm.attach(Self.p1, to: Self.bob, proof: "A", at: "02-12") == .success(.alreadyTheirs))
    }

    @Test func policiesAndLimitsDoNotHoldItBackAndItIsAsCauseOfItsOwn() {
        let strict = ClaimContext(rules: ClaimRules(transfersPerYear: 0), fold: .example)
        var realm = Self.erased
        #expect(realm.attach(Self.p1, to: Self.bob, proof: "A", at: "01-20", in: strict) == .success(.transferred))
        let causes = realm.ledger(of: Self.bob).entries.compactMap { entry -> Handover.Cause? in
            guard case .received(_, let handover) = entry.fact else { return nil }
            return handover.cause
        }
        #expect(Set(causes) == [.reclaim] && causes.count == 4)
    }

    @Test func aRestoreOfSeveralClaimsThemOnce() {
        let items = [Self.p1, Self.p2, Self.other].enumerated().map { Restore.Item(index: $0, purchase: $1) }
        let decision = Restore(items, to: Self.bob, proof: AppTransactionID("A"), in: .example)
            .decide(given: Self.erased.history(at: "02-10"))
        #expect(
            decision.answer
                == .success([
                    0: .claimed(.transferred), 1: .claimed(.transferred), 2: .refused(.ownedByAnotherUser),
                ]))
        #expect(decision.moves.keys.map(\.externalID.text).sorted() == ["g", "p1", "p2", "u"])
    }

    @Test func aRefundReachesBothLedgers() {
        var realm = Self.erased
        realm.attach(Self.p2, to: Self.bob, proof: "A", at: "02-10")
        realm.record(
            Self.p2.with(revocation: Revocation(revokedAt: "02-05", share: 100_000), signedAt: "02-15"), at: "02-15")
        #expect(realm.segments(of: Self.bob) == [])
        #expect(realm.segments(of: .erased(pseudonym: 7)) == ["p1 01-01..01-31", "p2 01-31..02-05"])
    }

    // MARK: What is owed

    private static let coins = VerifiedPurchase.state(of: "c", .credits100, .consumable, at: "01-01", account: "A")

    /// Alice spends some of 100, all are refunded, and she is erased.
    private static func indebted(by units: Int = 40, _ states: [VerifiedPurchase] = []) -> Realm {
        var realm = Realm()
        for state in [coins] + states { realm.attach(state, to: .alice, at: state.purchasedAt) }
        realm.spend(units, of: .alice, at: "01-12")
        realm.record(refund(of: coins), at: "01-13")
        realm.erase(.alice, as: 7)
        return realm
    }

    private static func refund(of state: VerifiedPurchase) -> VerifiedPurchase {
        state.with(revocation: Revocation(revokedAt: "01-13", share: 100_000), signedAt: "01-13")
    }

    private func purse(of user: UserID, in realm: Realm) -> [Int] {
        let state = realm.timeline(of: user).facts(of: .credit).state(at: "12-01")
        return [state.spendable, state.debt]
    }

    @Test func theDebtFollowsToWhoeverHasAnyPurchaseOfTheAppleAccount() {
        var realm = Self.indebted()
        #expect(realm.attach(Self.p2, to: Self.bob, at: "02-10") == .success(.unowned))
        #expect(purse(of: Self.bob, in: realm) == [0, 40])
        #expect(purse(of: .erased(pseudonym: 7), in: realm) == [0, 0])
        let before = realm.ledgers
        #expect(realm.attach(Self.p1, to: "carl", at: "02-11") == .success(.unowned))
        #expect(purse(of: "carl", in: realm) == [0, 0], "it is owed once")
        #expect(realm.attach(Self.p2, to: Self.bob, at: "02-12") == .success(.alreadyTheirs))
        #expect(realm.ledgers[Self.bob] == before[Self.bob])
        realm.record(Self.coins.with(revocation: nil, signedAt: "02-13"), at: "02-13")
        #expect(purse(of: Self.bob, in: realm) == [60, 0], "the refund is reversed where the debt is")
    }

    @Test func aRefundAfterTheErasureFollowsAsSoonAsTheAccountIsShownAgain() {
        var realm = Realm()
        realm.attach(Self.coins, to: .alice, at: "01-01")
        realm.spend(40, of: .alice, at: "01-12")
        realm.erase(.alice, as: 7)
        realm.attach(Self.p2, to: Self.bob, at: "01-12")
        #expect(purse(of: Self.bob, in: realm) == [0, 0], "what is left needs the proof")
        realm.record(Self.refund(of: Self.coins), at: "01-13")
        let answer = realm.restore([Self.p2], to: Self.bob, at: "01-14")
        #expect(answer == .success([0: .claimed(.alreadyTheirs)]))
        #expect(purse(of: Self.bob, in: realm) == [0, 40])
    }

    @Test(arguments: [nil, "B"]) func anotherAppleAccountOwesNothingOfIt(_ account: String?) {
        var realm = Self.indebted()
        let state = VerifiedPurchase.state(of: "o", at: "01-20", account: account)
        #expect(realm.attach(state, to: Self.bob, proof: account, at: "02-10") == .success(.unowned))
        #expect(purse(of: Self.bob, in: realm) == [0, 0])
        #expect(purse(of: .erased(pseudonym: 7), in: realm) == [0, 40])
    }

    @Test func aRefusedPurchaseBringsNoDebt() {
        var realm = Self.indebted()
        realm.attach(Self.p2, to: "carl", at: "01-20")
        #expect(realm.attach(Self.p2, to: Self.bob, at: "02-10") == .failure(.ownedByAnotherUser))
        #expect(purse(of: Self.bob, in: realm) == [0, 0])
    }

    @Test func theLivingKeepTheirDebts() {
        var realm = Realm()
        realm.attach(Self.coins, to: .alice, at: "01-01")
        realm.spend(40, of: .alice, at: "01-12")
        realm.record(Self.refund(of: Self.coins), at: "01-13")
        realm.attach(Self.p2, to: Self.bob, at: "02-10")
        #expect(purse(of: .alice, in: realm) == [0, 40] && purse(of: Self.bob, in: realm) == [0, 0])
    }

    /// What repays goes along with what it repays, and nothing that could be spent does.
    @Test func noUnitComesWithADebtThatIsRepaidInPart() {
        let more = VerifiedPurchase.state(of: "d", .credits1, .consumable, at: "01-11", account: "A")
        let few = VerifiedPurchase.state(of: "e", .credits100, .consumable, at: "01-11", account: "A")
            .with(revocation: Revocation(revokedAt: "01-11", share: 75_000), signedAt: "01-11")
        var realm = Self.indebted(by: 40, [more, few])
        #expect(purse(of: .erased(pseudonym: 7), in: realm) == [0, 15], "25 repay 40")
        realm.attach(Self.p2, to: Self.bob, at: "02-10")
        #expect(purse(of: Self.bob, in: realm) == [0, 15])
        #expect(purse(of: .erased(pseudonym: 7), in: realm) == [0, 0])
        #expect(realm.owners[more.key]?.isErased == true, "another purse stays")
        #expect(realm.owners[few.key] == Self.bob)
    }

    @Test func anAccountThatOwesNothingItselfBringsNoUnitsAlong() {
        let others = VerifiedPurchase.state(of: "d", .credits100, .consumable, at: "01-11", account: "B")
            .with(revocation: Revocation(revokedAt: "01-11", share: 40_000), signedAt: "01-11")
        var realm = Self.indebted(by: 100, [others])
        #expect(purse(of: .erased(pseudonym: 7), in: realm) == [0, 40], "60 repay 100")
        realm.attach(.state(of: "o", at: "01-20", account: "B"), to: "carl", at: "02-10")
        #expect(realm.owners[others.key]?.isErased == true && purse(of: "carl", in: realm) == [0, 0])
        realm.attach(Self.p2, to: Self.bob, at: "02-10")
        #expect(purse(of: Self.bob, in: realm) == [0, 100])
        #expect(purse(of: .erased(pseudonym: 7), in: realm) == [60, 0])
    }

    @Test func anErasedPersonsTokenVetoesAllButTheSameAppleAccount() throws {
        let token = try #require(AccountToken("00000000-0000-4000-8000-00000000000a"))
        let state = VerifiedPurchase.state(of: "late", at: "02-01", accountToken: token, account: "A")
        for (proof, answer) in [
            (nil, .failure(.accountTokenMismatch)), ("B", .failure(.accountTokenMismatch)), ("A", .success(.unowned)),
        ] as [(String?, Result<Claim, AttachRefusal>)] {
            var realm = Self.erased
            realm.tokenHolders[token] = .erased(pseudonym: 7)
            #expect(realm.attach(state, to: Self.bob, proof: proof, at: "02-10") == answer)
        }
        var realm = Self.erased
        realm.tokenHolders[token] = .alice
        #expect(realm.attach(state, to: Self.bob, proof: "A", at: "02-10") == .failure(.accountTokenMismatch))
    }
}
