import Entitlements
import LedgerStore
import MariaDB
import Support
import Testing

/// A mistyped user id makes nobody: a row in `users` comes with the first thing that is held of a person.
@Suite(.serialized) struct UnknownUserTests {
    private let anna = Sample.user("anna")
    private let nobody = Sample.user("nobody")
    private let noone = Sample.user("noone")

    @Test func `writes that are refused, or change nothing, and reads make nobody`() async throws {
        try await TestStore.open { store in
            try await store.attach(Sample.pass("annas"), to: anna)
            let before = try await store.schema.dump("users")
            try await beRefused(store)
            #expect(try await store.schema.dump("users") == before)
            #expect(try await store.timeline(of: nobody).purchases.isEmpty)
            #expect(try await Export(pool: store.pool, labels: Sample.labels).document(of: nobody) == nil)
            #expect(try await TestOperators(store).reader.search("nobody", under: Sample.labels).isEmpty)
            #expect(
                try await TestOperators(store).erasure(at: store.clock.now).erase(nobody, by: .commandLine, reason: "r")
                    == nil)
            #expect(try await store.schema.dump("users") == before)
            #expect(try await TestOperators(store).told() == [])
            try await store.expectWhole()
        }
    }

    private func beRefused(_ store: TestStore) async throws {
        let revoked = try await store.ledger.record(
            for: [nobody], keys: [Grant.key(ExternalID("g"))],
            audit: AuditedAct(by: .commandLine, .withdrawGrant, to: nobody)
        ) { [nobody] in
            OperatorAct(on: nobody, note: Sample.note).withdraw(Grant.key(ExternalID("g")), given: $0, in: $1)
        }.answer
        #expect(revoked == .failure(.unknownGrant))
        let spent = try await store.spend(1, of: nobody, under: "k")
        #expect(throws: DrawRefusal.self) { try spent.get() }
        #expect(try await store.grant(.addDays(1, of: TierID("gold")), as: "g", to: nobody) == .failure(.unknownTier))
        #expect(try await store.attach(Sample.pass("annas"), to: nobody) == .failure(.ownedByAnotherUser))
        let removed = try await store.ledger.record(for: [nobody]) { [nobody] in
            ChangeDevice(.remove, of: Sample.label(of: Sample.device("d"), of: nobody), of: nobody).decide(
                given: $0, in: $1.catalogue, under: Sample.settings)
        }.answer
        #expect(throws: DeviceRefusal.self) { try removed.get() }
        for (giver, receiver) in [(nobody, anna), (nobody, noone)] {
            let moved = try await store.transfer(
                .one(PurchaseName(ExternalID("none"))), from: giver, to: receiver)
            #expect(throws: OperatorRefusal.self) { try moved.get() }
        }
        let taken = try await store.transfer(.one(PurchaseName(ExternalID("none"))), from: anna, to: nobody)
        #expect(throws: OperatorRefusal.self) { try taken.get() }
        // Lost: which refusal it is; only that nothing comes of it matters here.
        _ = try? await store.merge(nobody, into: noone).get()
        let unnamed = try await store.ledger.record(for: [nobody]) { [nobody] in
            OperatorAct(on: nobody, note: Sample.note).nameSandboxTester(false, given: $0)
        }.answer.get()
        #expect(!unnamed)
    }

    @Test func `what succeeds makes whom it is about, and whoever receives something`() async throws {
        try await TestStore.open { store in
            try await store.grant(.addDays(3, of: TierID("pro")), as: "g", to: anna)
            #expect(try await store.transfer(.all, from: anna, to: nobody).get().count == 1)
            #expect(try await names(store) == ["anna", "nobody"])
            try await store.expectWhole()
        }
    }

    @Test func `evidence of a refused request is kept, and nobody with it`() async throws {
        try await TestStore.open { store in
            let token = try await store.instances[0].tokens.token(of: anna)
            #expect(
                try await store.attach(Sample.pass("1", token: token), to: nobody) == .failure(.accountTokenMismatch))
            #expect(try await store.schema.counts()["apple_iap_transactions"] == 1)
            #expect(try await names(store) == ["anna"])
            #expect(try await store.attach(Sample.pass("1", token: token), to: anna) == .success(.unowned))
        }
    }

    @Test func `whoever has an account token stays, whatever is refused them`() async throws {
        try await TestStore.open { store in
            let token = try await store.instances[0].tokens.token(of: anna)
            let spent = try await store.spend(1, of: anna, under: "k")
            #expect(throws: DrawRefusal.self) { try spent.get() }
            #expect(try await store.instances[0].tokens.token(of: anna) == token)
            #expect(try await names(store) == ["anna"])
            // A guest whose token went to somebody else when they were merged stays as well.
            let guest = Sample.user("guest")
            _ = try await store.instances[0].tokens.token(of: guest)
            _ = try await store.merge(guest, into: nobody)
            #expect(try await names(store) == ["anna", "guest", "nobody"])
        }
    }

    @Test func `a request that is refused takes nobody along who comes in the same batch`() async throws {
        try await TestStore.open(instances: 2) { store in
            for round in 0..<TestRun.rounds(10, soak: 300) {
                let user = Sample.user("r\(round)")
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for racer in 0..<24 {
                        group.addTask {
                            let spent = try await store.spend(1, of: user, under: "\(racer)", via: racer % 2)
                            #expect(throws: DrawRefusal.self) { try spent.get() }
                        }
                    }
                    if round % 2 == 0 {
                        group.addTask { try await store.attach(Sample.pass("\(round)"), to: user, via: round / 2 % 2) }
                    }
                    try await group.waitForAll()
                }
            }
            #expect(
                try await names(store) == (0..<TestRun.rounds(10, soak: 300)).filter { $0 % 2 == 0 }.map { "r\($0)" })
            try await store.expectWhole()
        }
    }

    private func names(_ store: TestStore) async throws -> [String] {
        try await store.schema.rows("SELECT user_id FROM users ORDER BY LENGTH(user_id), user_id").compactMap { row in
            if case .text(let name) = row[0] { name } else { nil }
        }
    }
}
