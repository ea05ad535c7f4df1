import Entitlements
import Testing

/// What an erased person had may be claimed by the same Apple account under a new user (`semantics.md` §5).
@Suite struct ReclaimTests {
    private static let bob: UserID = "bob"
    private static let p1 = VerifiedPurchase.state(of: "p1", at: "01-01", account: "A")
    private static let p2 = VerifiedPurchase.state(of: "p2", at: "01-10", account: "A")
    private static let other = VerifiedPurchase.state(of: "o", .xyz, .addOn, at: "01-05", account: "B")
    private static let unnamed = VerifiedPurchase.state(of: "u", .seats, .addOn, at: "01-05")

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

    @Test(arguments: [
        nil, "B", "C", AccountProof(of: Label("A"), in: .vpn, .sandbox),
        AccountProof(of: Label("A"), in: AppID("com.other"), .production),
    ]) func withoutTheProofItIsAnothersLikeAnyOther(_ proof: AccountProof?) {
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

    @Test func whatTheAccountOfOneEnvironmentBoughtDoesNotComeWithTheProofOfAnother() {
        var realm = Realm()
        let tried = VerifiedPurchase.state(of: "t", environment: .sandbox, at: "01-05", account: "A")
        for state in [Self.p1, tried] { realm.attach(state, to: .alice, at: state.purchasedAt) }
        realm.erase(.alice, as: 7)
        #expect(realm.attach(Self.p1, to: Self.bob, proof: "A", at: "01-20") == .success(.transferred))
        #expect(realm.owners[tried.key]?.isErased == true)
        let proof = AccountProof(of: Label("A"), in: .vpn, .sandbox)
        #expect(realm.attach(tried, to: Self.bob, proof: proof, at: "01-21") == .success(.transferred))
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
        let decision = Restore([Self.p1, Self.p2, Self.other], to: Self.bob, proof: "A", in: .example)
            .decide(given: Self.erased.history(at: "02-10"))
        #expect(
            decision.answer
                == .success([.claimed(.transferred), .claimed(.transferred), .refused(.ownedByAnotherUser)]))
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

    @Test func anErasedPersonsTokenVetoesAllButTheSameAppleAccount() throws {
        let token = Label("00000000-0000-4000-8000-00000000000a")
        let state = VerifiedPurchase.state(of: "late", at: "02-01", accountToken: token, account: "A")
        for (proof, answer) in [
            (nil, .failure(.accountTokenMismatch)), ("B", .failure(.accountTokenMismatch)), ("A", .success(.unowned)),
            (AccountProof(of: Label("A"), in: .vpn, .sandbox), .failure(.accountTokenMismatch)),
        ] as [(AccountProof?, Result<Claim, AttachRefusal>)] {
            var realm = Self.erased
            realm.tokenHolders[token] = .erased(pseudonym: 7)
            #expect(realm.attach(state, to: Self.bob, proof: proof, at: "02-10") == answer)
        }
        var realm = Self.erased
        realm.tokenHolders[token] = .alice
        #expect(realm.attach(state, to: Self.bob, proof: "A", at: "02-10") == .failure(.accountTokenMismatch))
    }
}
