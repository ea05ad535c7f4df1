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
        _ selection: OperatorAct.Selection, from giver: UserID = .alice, to receiver: UserID = "carol"
    ) -> Decision<[PurchaseKey], OperatorRefusal> {
        OperatorAct(on: giver, note: .support)
            .transfer(selection, to: receiver, given: Self.world.history(at: "01-10"), in: .example)
    }

    private func merge(
        _ history: PurchaseHistory, of guest: UserID = .alice, into user: UserID = bob
    ) -> Decision<[PurchaseKey], OperatorRefusal> {
        OperatorAct(on: user, note: .support).merge(guest, mentionedAs: "guest", given: history, in: .example)
    }

    private func texts(_ answer: Result<[PurchaseKey], OperatorRefusal>) -> [String]? {
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
        #expect(transfer(.one(.named("1"))).answer == .failure(.ambiguousPurchase))
        #expect(transfer(.one(.named("1", source: .appleIAP))).answer == .failure(.ambiguousPurchase))
        #expect(transfer(.one(.named("1", environment: .production))).answer == .failure(.ambiguousPurchase))
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
        #expect(transfer(.one(.named("9"))).answer == .failure(.unknownPurchase))
        #expect(transfer(.one(.named("3"))).answer == .failure(.unknownPurchase), "it is another user's")
        #expect(transfer(.one(.named("2", source: .stripe))).answer == .failure(.unknownPurchase))
        #expect(transfer(.one(.named("2")), from: "nobody").answer == .failure(.unknownPurchase))
        #expect(transfer(.all, from: "nobody").answer == .failure(.unknownPurchase), "a slip of the pen")
    }

    @Test func `a transfer of all moves what the giver has`() {
        #expect(transfer(.all).moves.count == 4)
        var world = Self.world
        world.apply(transfer(.all), at: "01-10")
        let again = OperatorAct(on: .alice, note: .support)
            .transfer(.all, to: Self.bob, given: world.history(at: "01-11"), in: .example)
        #expect(again.answer == .success([]), "what went is theirs no more")
    }

    @Test func `a repeat of the request finds what it did and moves nothing more`() {
        var world = Self.world
        let transfer = { (request: Label, history: PurchaseHistory) in
            OperatorAct(on: .alice, note: .support)
                .transfer(.all, to: "carol", request: request, given: history, in: .example)
        }
        let first = transfer("r1", world.history(at: "01-10"))
        world.apply(first, at: "01-10")
        world.attach(.state(of: "5", at: "01-11"), to: .alice, at: "01-11")
        let repeated = transfer("r1", world.history(at: "01-12"))
        #expect(repeated.answer == first.answer && repeated.moves.isEmpty)
        #expect(transfer("r2", world.history(at: "01-12")).moves.count == 1)
    }

    /// The second move is decided by a clock that is behind the first one's.
    @Test func `what ran before is not given again by a clock that is behind`() {
        var world = Self.world
        world.apply(transfer(.one(.named("1", source: .appleIAP, environment: .production))), at: "01-10")
        let decision = OperatorAct(on: "carol", note: .support).transfer(
            .one(.named("1", source: .appleIAP, environment: .production)), to: Self.bob,
            given: world.history(at: "01-09"), in: .example)
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
        let decision = merge(world.history(at: "01-11"))
        #expect(decision.moves.count == 4 && Set(decision.moves.values.map(\.handover.cause)) == [.merge])
        world.apply(decision, at: "01-11")
        #expect(world.timeline(of: Self.bob).planned.map(\.segment.text).contains("1 02-02..02-22"))
        #expect(world.status(of: .alice, at: "01-11").active == false)
        #expect(merge(world.history(at: "01-12")).answer == .success([]))
    }

    @Test func `a merge takes the tokens along that were issued to the guest`() throws {
        let token = Label("00000000-0000-4000-8000-00000000000a")
        let bobs = Label("00000000-0000-4000-8000-00000000000b")
        let legacy = Label("legacy:42")
        var world = Self.world
        world.tokenHolders = [token: .alice, bobs: Self.bob, legacy: .alice]
        #expect(merge(world.history(at: "01-11")).tokens == [token: Self.bob, "guest": Self.bob])
        world.tokenHolders["guest"] = .alice
        #expect(
            merge(world.history(at: "01-11")).tokens == [token: Self.bob, "guest": Self.bob],
            "bob was merged into the guest before")
        #expect(merge(world.history(at: "01-11"), of: "carol").changesNothing)
    }

    @Test func `a guest must be somebody else who is known`() {
        let history = Self.world.history(at: "01-11")
        #expect(merge(history, of: "nobody", into: "nobody").answer == .failure(.sameUser))
        #expect(merge(history, of: "nobody", into: .alice).answer == .failure(.unknownGuest))
        #expect(merge(history, into: "nobody").answer != .failure(.unknownGuest), "the account may be new")
    }
}
