import Entitlements
import Testing

/// What an erased person had may be claimed by the same Apple account under a new user (`semantics.md` §5).
@Suite struct ReclaimTests {
    private static let bob: UserID = "bob"
    private static let p1 = VerifiedPurchase.state(of: "p1", at: "01-01", account: "A")
    private static let p2 = VerifiedPurchase.state(of: "p2", at: "01-10", account: "A")
    private static let other = VerifiedPurchase.state(of: "o", .xyz, .addOn, at: "01-05", account: "B")
    private static let unnamed = VerifiedPurchase.state(of: "u", .seats, .addOn, at: "01-05")

    private static let erased: World = {
        var world = World()
        for state in [p1, p2, other, unnamed] { world.attach(state, to: .alice, at: state.purchasedAt) }
        world.apply(
            OperatorAct(on: .alice, note: .support).give(
                .credits(50, unit: "credit"), as: ExternalID("g"), given: world.history(at: "01-11"), in: .example),
            at: "01-11")
        world.erase(.alice, as: 7)
        return world
    }()

    @Test func `no login names an erased person`() {
        let erased = UserID.erased(pseudonym: .max)
        #expect(erased.text == "#18446744073709551615" && erased.isErased && !Self.bob.isErased)
        #expect(UserID(erased.text) == nil)
        #expect(UserID.erased(pseudonym: 1) != UserID.erased(pseudonym: 2))
    }

    @Test(arguments: [
        nil, "B", "C", AccountProof(of: Label("A"), in: .vpn, .sandbox),
        AccountProof(of: Label("A"), in: AppID("com.other"), .production),
    ]) func `without the proof, it is another's, like any other`(_ proof: AccountProof?) {
        var world = Self.erased
        #expect(world.attach(Self.p1, to: Self.bob, proof: proof, at: "02-10") == .failure(.ownedByAnotherUser))
        #expect(world.ledgers == Self.erased.ledgers)
    }

    @Test func `the same Apple account gets all that is left, and the clocks ran on`() {
        var world = Self.erased
        #expect(world.attach(Self.p2, to: Self.bob, proof: "A", at: "02-10") == .success(.transferred))
        #expect(world.segments(of: Self.bob) == ["p2 02-10..03-02"])
        #expect(world.segments(of: .erased(pseudonym: 7)) == ["p1 01-01..01-31", "p2 01-31..02-10"])
        let status = world.status(of: Self.bob, at: "02-11")
        #expect(status.entitlements.map(\.key.externalID.text) == ["p1", "u", "p2", "g"])
        #expect(status.entitlements.map(\.state) == [.finished, .running, .running, .running])
        #expect(world.owners[Self.other.key]?.isErased == true, "another Apple account's stays")
        #expect(world.attach(Self.p1, to: Self.bob, proof: "A", at: "02-12") == .success(.alreadyTheirs))
    }

    @Test func `what the account of one environment bought does not come with the proof of another`() {
        var world = World()
        let tried = VerifiedPurchase.state(of: "t", environment: .sandbox, at: "01-05", account: "A")
        for state in [Self.p1, tried] { world.attach(state, to: .alice, at: state.purchasedAt) }
        world.erase(.alice, as: 7)
        #expect(world.attach(Self.p1, to: Self.bob, proof: "A", at: "01-20") == .success(.transferred))
        #expect(world.owners[tried.key]?.isErased == true)
        let proof = AccountProof(of: Label("A"), in: .vpn, .sandbox)
        #expect(world.attach(tried, to: Self.bob, proof: proof, at: "01-21") == .success(.transferred))
    }

    @Test func `policies and limits do not hold it back, and it is a cause of its own`() {
        let strict = ClaimContext(rules: ClaimRules(transfersPerYear: 0), fold: .example)
        var world = Self.erased
        #expect(world.attach(Self.p1, to: Self.bob, proof: "A", at: "01-20", in: strict) == .success(.transferred))
        let causes = world.ledger(of: Self.bob).entries.compactMap { entry -> Handover.Cause? in
            guard case .received(_, let handover) = entry.fact else { return nil }
            return handover.cause
        }
        #expect(Set(causes) == [.reclaim] && causes.count == 4)
    }

    @Test func `a restore of several claims them once`() {
        let decision = Restore([Self.p1, Self.p2, Self.other], to: Self.bob, proof: "A", in: .example)
            .decide(given: Self.erased.history(at: "02-10"))
        #expect(
            decision.answer
                == .success([.claimed(.transferred), .claimed(.transferred), .refused(.ownedByAnotherUser)]))
        #expect(decision.moves.keys.map(\.externalID.text).sorted() == ["g", "p1", "p2", "u"])
    }

    @Test func `a refund reaches both ledgers`() {
        var world = Self.erased
        world.attach(Self.p2, to: Self.bob, proof: "A", at: "02-10")
        world.record(
            Self.p2.with(revocation: Revocation(revokedAt: "02-05", share: 100_000), signedAt: "02-15"), at: "02-15")
        #expect(world.segments(of: Self.bob) == [])
        #expect(world.segments(of: .erased(pseudonym: 7)) == ["p1 01-01..01-31", "p2 01-31..02-05"])
    }

    @Test func `an erased person's token vetoes all but the same Apple account`() throws {
        let token = Label("00000000-0000-4000-8000-00000000000a")
        let state = VerifiedPurchase.state(of: "late", at: "02-01", accountToken: token, account: "A")
        for (proof, answer) in [
            (nil, .failure(.accountTokenMismatch)), ("B", .failure(.accountTokenMismatch)), ("A", .success(.unowned)),
            (AccountProof(of: Label("A"), in: .vpn, .sandbox), .failure(.accountTokenMismatch)),
        ] as [(AccountProof?, Result<Claim, AttachRefusal>)] {
            var world = Self.erased
            world.tokenHolders[token] = .erased(pseudonym: 7)
            #expect(world.attach(state, to: Self.bob, proof: proof, at: "02-10") == answer)
        }
        var world = Self.erased
        world.tokenHolders[token] = .alice
        #expect(world.attach(state, to: Self.bob, proof: "A", at: "02-10") == .failure(.accountTokenMismatch))
    }
}
