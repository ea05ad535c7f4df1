import Entitlements
import Testing

/// What an operator moves by transfer and merge (`semantics.md` §5).
@Suite struct TransferTests {
    private static let bob: UserID = "bob"

    private static let world: World = {
        var world = World()
        world.attach(.state(of: "1", at: "01-01"), to: .alice, at: "01-01")
        world.attach(.state(of: "1", environment: .sandbox, at: "01-01"), to: .alice, at: "01-01")
        world.attach(
            .state(of: "1", .proMonthly, .plan, source: .stripe, at: "01-01", until: "02-01"), to: .alice,
            at: "01-01")
        world.attach(.state(of: "2", .xyz, .addOn, at: "01-02"), to: .alice, at: "01-02")
        world.attach(.state(of: "3", at: "01-03"), to: bob, at: "01-03")
        return world
    }()

    private func transfer(
        _ selection: Transfer.Selection, from giver: UserID = .alice, to receiver: UserID = "carol"
    ) -> Decision<[PurchaseKey], TransferRefusal> {
        Transfer(selection, from: giver, to: receiver, note: .support, in: .example)
            .decide(given: Self.world.history(at: "01-10"))
    }

    private func texts(_ answer: Result<[PurchaseKey], TransferRefusal>) -> [String]? {
        try? answer.get().map { "\($0.source.text) \($0.environment.rawValue) \($0.externalID)" }
    }

    @Test func `one purchase moves to anybody who has not been seen before`() {
        let decision = transfer(.one(.named("2")))
        #expect(texts(decision.answer) == ["apple_iap Production 2"])
        #expect(decision.moves.values.map(\.receiver) == ["carol"])
        #expect(decision.moves.values.map(\.note) == [.support])
        #expect(decision.moves.values.map(\.handover.cause) == [.operator])
        #expect(decision.bindings.isEmpty && decision.drafts.isEmpty)
    }

    @Test func `source and environment are needed only where the id is not unique`() {
        #expect(transfer(.one(.named("1"))).answer == .failure(.name(.ambiguousPurchase)))
        #expect(transfer(.one(.named("1", source: .appleIAP))).answer == .failure(.name(.ambiguousPurchase)))
        #expect(transfer(.one(.named("1", environment: .production))).answer == .failure(.name(.ambiguousPurchase)))
        #expect(texts(transfer(.one(.named("1", source: .stripe))).answer) == ["stripe Production 1"])
        #expect(texts(transfer(.one(.named("1", environment: .sandbox))).answer) == ["apple_iap Sandbox 1"])
        #expect(
            texts(transfer(.one(.named("1", source: .appleIAP, environment: .production))).answer) == [
                "apple_iap Production 1"
            ])
    }

    @Test func `refusals come in their order`() {
        #expect(transfer(.one(.named("9")), to: .alice).answer == .failure(.sameUser))
        #expect(transfer(.all, to: .alice).answer == .failure(.sameUser))
        #expect(transfer(.one(.named("9"))).answer == .failure(.name(.unknownPurchase)))
        #expect(transfer(.one(.named("3"))).answer == .failure(.name(.unknownPurchase)), "it is another user's")
        #expect(transfer(.one(.named("2", source: .stripe))).answer == .failure(.name(.unknownPurchase)))
        #expect(transfer(.one(.named("2")), from: "nobody").answer == .failure(.name(.unknownPurchase)))
        #expect(transfer(.all, from: "nobody").answer == .failure(.name(.unknownPurchase)), "a slip of the pen")
    }

    @Test func `a transfer of all moves what the giver has`() {
        #expect(transfer(.all).moves.count == 4)
        var world = Self.world
        world.apply(transfer(.all), at: "01-10")
        let again = Transfer(.all, from: .alice, to: Self.bob, note: .support, in: .example)
        #expect(again.decide(given: world.history(at: "01-11")).answer == .success([]), "what went is theirs no more")
    }

    @Test func `a repeat of the request finds what it did and moves nothing more`() {
        var world = Self.world
        let transfer = Transfer(.all, from: .alice, to: "carol", note: .support, request: "r1", in: .example)
        let first = transfer.decide(given: world.history(at: "01-10"))
        world.apply(first, at: "01-10")
        world.attach(.state(of: "5", at: "01-11"), to: .alice, at: "01-11")
        let repeated = transfer.decide(given: world.history(at: "01-12"))
        #expect(repeated.answer == first.answer && repeated.moves.isEmpty)
        let other = Transfer(.all, from: .alice, to: "carol", note: .support, request: "r2", in: .example)
        #expect(other.decide(given: world.history(at: "01-12")).moves.count == 1)
    }

    /// The second move is decided by a clock that is behind the first one's.
    @Test func `what ran before is not given again by a clock that is behind`() {
        var world = Self.world
        world.apply(transfer(.one(.named("1", source: .appleIAP, environment: .production))), at: "01-10")
        let onward = Transfer(
            .one(.named("1", source: .appleIAP, environment: .production)), from: "carol", to: Self.bob,
            note: .support,
            in: .example)
        let decision = onward.decide(given: world.history(at: "01-09"))
        #expect(decision.moves.values.map(\.handover.ran) == [9 * Instant.millisecondsPerDay])
        #expect(decision.moves.values.map(\.effectiveAt) == ["01-10"])
    }

    @Test func `neither policies nor a cool-down hold an operator back`() {
        var world = Self.world
        for (giver, receiver, at) in [
            (.alice, Self.bob, "01-10"), (Self.bob, "carol", "01-11"), ("carol", .alice, "01-12"),
        ]
            as [(UserID, UserID, Instant)]
        {
            #expect((try? world.move("2", from: giver, to: receiver, at: at).get())?.count == 1)
        }
        #expect(world.status(of: .alice, at: "01-12").features.contains("xyz"))
    }

    @Test func `a merge takes everything of the guest`() {
        var world = Self.world
        let merge = Merge(.alice, into: Self.bob, note: .support, mentionedAs: "guest", in: .example)
        let decision = merge.decide(given: world.history(at: "01-11"))
        #expect(decision.moves.count == 4 && Set(decision.moves.values.map(\.handover.cause)) == [.merge])
        world.apply(decision, at: "01-11")
        #expect(world.timeline(of: Self.bob).planned.map(\.segment.text).contains("1 02-02..02-22"))
        #expect(world.status(of: .alice, at: "01-11").active == false)
        #expect(merge.decide(given: world.history(at: "01-12")).answer == .success([]))
    }

    @Test func `a merge takes the tokens along that were issued to the guest`() throws {
        let token = Label("00000000-0000-4000-8000-00000000000a")
        let bobs = Label("00000000-0000-4000-8000-00000000000b")
        let legacy = Label("legacy:42")
        var world = Self.world
        world.tokenHolders = [token: .alice, bobs: Self.bob, legacy: .alice]
        let merge = Merge(.alice, into: Self.bob, note: .support, mentionedAs: "guest", in: .example)
        #expect(merge.decide(given: world.history(at: "01-11")).tokens == [token: Self.bob, "guest": Self.bob])
        world.tokenHolders["guest"] = .alice
        #expect(
            merge.decide(given: world.history(at: "01-11")).tokens == [token: Self.bob, "guest": Self.bob],
            "bob was merged into the guest before")
        let unknown = Merge("carol", into: Self.bob, note: .support, mentionedAs: "guest", in: .example)
        #expect(unknown.decide(given: world.history(at: "01-11")).changesNothing)
    }

    @Test func `a guest must be somebody else who is known`() {
        let history = Self.world.history(at: "01-11")
        let merge = { (guest: UserID, user: UserID) in
            Merge(guest, into: user, note: .support, mentionedAs: "guest", in: .example).decide(given: history).answer
        }
        #expect(merge("nobody", "nobody") == .failure(.sameUser))
        #expect(merge("nobody", .alice) == .failure(.unknownGuest))
        #expect(merge(.alice, "nobody") != .failure(.unknownGuest), "the account may be new")
    }
}
