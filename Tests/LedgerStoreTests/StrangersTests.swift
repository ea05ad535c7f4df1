import Entitlements
import LedgerStore
import MariaDB
import Support
import Testing

/// A mistyped user id makes nobody: a row in `users` comes with the first thing that is held of a person.
@Suite(.serialized) struct StrangersTests {
    private let anna = Books.user("anna")
    private let nobody = Books.user("nobody")
    private let noone = Books.user("noone")

    @Test func `writes that are refused, or change nothing, and reads make nobody`() async throws {
        try await Shop.open { shop in
            try await shop.attach(Books.pass("annas"), to: anna)
            let before = try await shop.schema.dump("users")
            try await beRefused(shop)
            #expect(try await shop.schema.dump("users") == before)
            #expect(try await shop.timeline(of: nobody).purchases.isEmpty)
            #expect(try await Export(pool: shop.pool).document(of: nobody) == nil)
            #expect(try await Desk(shop).reader.search("nobody", under: Books.labels).isEmpty)
            #expect(
                try await Desk(shop).erasure(at: shop.clock.now).erase(nobody, by: .commandLine, reason: "r") == nil)
            #expect(try await shop.schema.dump("users") == before)
            #expect(try await Desk(shop).told() == [])
            try await shop.expectWhole()
        }
    }

    private func beRefused(_ shop: Shop) async throws {
        let revoked = try await shop.ledger.record(
            for: [nobody], keys: [Grant.key(ExternalID("g"))],
            audit: AuditedAct(by: .commandLine, .revokeGrant, to: nobody)
        ) { [nobody] in
            RevokeGrant(ExternalID("g"), of: nobody, note: Books.note, in: Shop.fold($1)).decide(given: $0)
        }.answer
        #expect(revoked == .failure(.unknownGrant))
        let spent = try await shop.spend(1, of: nobody, under: "k")
        #expect(throws: DrawRefusal.self) { try spent.get() }
        #expect(try await shop.grant(.addDays(1, of: TierID("gold")), as: "g", to: nobody) == .failure(.unknownTier))
        #expect(try await shop.attach(Books.pass("annas"), to: nobody) == .failure(.ownedByAnotherUser))
        let removed = try await shop.ledger.record(for: [nobody]) { [nobody] in
            RemoveDevice(Books.label(of: Books.device("d"), of: nobody), of: nobody).decide(
                given: $0, in: $1, under: Books.settings)
        }.answer
        #expect(throws: DeviceRefusal.self) { try removed.get() }
        for (giver, receiver) in [(nobody, anna), (nobody, noone)] {
            let moved = try await shop.transfer(
                .one(PurchaseName(ExternalID("none"))), from: giver, to: receiver)
            #expect(throws: TransferRefusal.self) { try moved.get() }
        }
        let taken = try await shop.transfer(.one(PurchaseName(ExternalID("none"))), from: anna, to: nobody)
        #expect(throws: TransferRefusal.self) { try taken.get() }
        // Lost: which refusal it is; only that nothing comes of it matters here.
        _ = try? await shop.merge(nobody, into: noone).get()
        let unnamed = try await shop.ledger.record(for: [nobody]) { [nobody] history -> Decision<Bool, Never> in
            NameSandboxTester(nobody, isTester: false, note: Books.note).decide(given: history)
        }.answer.get()
        #expect(!unnamed)
    }

    @Test func `what succeeds makes whom it is about, and whoever receives something`() async throws {
        try await Shop.open { shop in
            try await shop.grant(.addDays(3, of: TierID("pro")), as: "g", to: anna)
            #expect(try await shop.transfer(.all, from: anna, to: nobody).get().count == 1)
            #expect(try await names(shop) == ["anna", "nobody"])
            try await shop.expectWhole()
        }
    }

    @Test func `evidence of a refused request is kept, and nobody with it`() async throws {
        try await Shop.open { shop in
            let token = try await shop.instances[0].tokens.token(of: anna)
            #expect(try await shop.attach(Books.pass("1", token: token), to: nobody) == .failure(.accountTokenMismatch))
            #expect(try await shop.schema.counts()["apple_iap_transactions"] == 1)
            #expect(try await names(shop) == ["anna"])
            #expect(try await shop.attach(Books.pass("1", token: token), to: anna) == .success(.unowned))
        }
    }

    @Test func `whoever has an account token stays, whatever is refused them`() async throws {
        try await Shop.open { shop in
            let token = try await shop.instances[0].tokens.token(of: anna)
            let spent = try await shop.spend(1, of: anna, under: "k")
            #expect(throws: DrawRefusal.self) { try spent.get() }
            #expect(try await shop.instances[0].tokens.token(of: anna) == token)
            #expect(try await names(shop) == ["anna"])
            // A guest whose token went to somebody else when they were merged stays as well.
            let guest = Books.user("guest")
            _ = try await shop.instances[0].tokens.token(of: guest)
            _ = try await shop.merge(guest, into: nobody)
            #expect(try await names(shop) == ["anna", "guest", "nobody"])
        }
    }

    @Test func `a request that is refused takes nobody along who comes in the same batch`() async throws {
        try await Shop.open(instances: 2) { shop in
            for round in 0..<TestRun.rounds(10, soak: 300) {
                let user = Books.user("r\(round)")
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for racer in 0..<24 {
                        group.addTask {
                            let spent = try await shop.spend(1, of: user, under: "\(racer)", via: racer % 2)
                            #expect(throws: DrawRefusal.self) { try spent.get() }
                        }
                    }
                    if round % 2 == 0 {
                        group.addTask { try await shop.attach(Books.pass("\(round)"), to: user, via: round / 2 % 2) }
                    }
                    try await group.waitForAll()
                }
            }
            #expect(
                try await names(shop) == (0..<TestRun.rounds(10, soak: 300)).filter { $0 % 2 == 0 }.map { "r\($0)" })
            try await shop.expectWhole()
        }
    }

    private func names(_ shop: Shop) async throws -> [String] {
        try await shop.schema.rows("SELECT user_id FROM users ORDER BY LENGTH(user_id), user_id").compactMap { row in
            if case .text(let name) = row[0] { name } else { nil }
        }
    }
}
