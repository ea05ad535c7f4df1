import Entitlements
import LedgerStore
import MariaDB
import Support
import Testing

/// People buy, spend, hand over, are erased and come back by chance; after each erasure nothing names them, no entry of
/// anybody's is another, and chains, trail and projections are whole.
@Suite(.serialized) struct ErasureWalkTests {
    private static let types: [(product: String, type: StatedType)] = [
        ("pass.30", .pass), ("coins.100", .consumable), ("vault", .addOn),
    ]

    /// What has happened so far.
    private struct World {
        var random: SeededChance
        let accounts: [String]
        var living: [UserID] = []
        var gone: [UserID] = []
        var named = 0
        var sold: [VerifiedPurchase] = []
        var keys = 0
        /// The tokens of those who are gone.
        var tokens: [String] = []

        /// Of whom a sale is, in plain.
        func account(of sale: VerifiedPurchase) -> String? { accounts.first { Sample.label(of: $0) == sale.account } }

        mutating func pick<Element>(_ elements: [Element]) -> Element? { elements.randomElement(using: &random) }

        mutating func arrive() {
            named += 1
            living.append(Sample.user("person\(named)"))
        }
    }

    @Test func `whatever happens, nothing names the erased, and all that was recorded stays`() async throws {
        try await TestStore.open(instances: 2) { store in
            for walk in 0..<TestRun.rounds(2, soak: 60) {
                var world = World(
                    random: SeededChance("erasure walk \(walk)"), accounts: ["7\(1_000 + walk)1", "7\(1_000 + walk)2"])
                world.named = walk * 1_000
                for _ in 0..<3 { world.arrive() }
                for _ in 0..<40 { try await step(&world, in: store, walk: walk) }
                try await store.expectWhole()
                try await expectSoundCoins(of: world.living + world.gone, in: store)
                for user in world.living { try await erase(user, noting: &world, in: store) }
                try await store.expectNothing(
                    of: ["person", "order-", "ticket 1"] + world.tokens)
                try await store.expectWhole()
            }
        }
    }

    private func step(_ world: inout World, in store: TestStore, walk: Int) async throws {
        store.clock.now = store.clock.now + Int64.random(in: 1...86_400_000, using: &world.random)
        guard let user = world.pick(world.living), let other = world.pick(world.living) else { return world.arrive() }
        let instance = Int.random(in: 0...1, using: &world.random)
        switch Int.random(in: 0..<12, using: &world.random) {
        case 0...2: try await store.attach(buy(&world, walk: walk), to: user, via: instance)
        case 3, 4:
            guard let sold = world.pick(world.sold) else { return }
            let proof = Bool.random(using: &world.random) ? world.account(of: sold) : nil
            try await store.attach(changed(sold, in: &world), to: user, proof: proof, via: instance)
        case 5:
            let proof = world.pick(world.accounts)
            try await store.restore(world.sold.shuffled(using: &world.random), to: user, proof: proof, via: instance)
        case 6, 7:
            world.keys += 1
            _ = try await store.spend(
                Int.random(in: 1...80, using: &world.random), of: user, under: "order-\(walk)-\(1_000 + world.keys)",
                via: instance)
        case 8:
            let sold = world.pick(world.sold)
            let selection = sold.map { OperatorAct.Selection.one(PurchaseName($0.key.externalID)) } ?? .all
            _ = try await store.transfer(
                Int.random(in: 0..<4, using: &world.random) == 0 ? .all : selection, from: user, to: other,
                via: instance)
        case 9:
            world.keys += 1
            try await store.grant(.addDays(3, of: TierID("pro")), as: "given \(walk) \(1_000 + world.keys)", to: user)
        default:
            let (entries, states) = try await (store.schema.dump("ledger_entries"), store.schema.dump(Self.states))
            world.gone.append(try await erase(user, noting: &world, in: store, via: instance))
            #expect(try await store.schema.dump("ledger_entries") == entries)
            #expect(try await store.schema.dump(Self.states) == states)
            try await store.expectNothing(of: ["\"\(user.text)\"", "\(user.text) "] + world.tokens)
            try await store.expectWhole()
            world.living.removeAll { $0 == user }
            world.arrive()
        }
    }

    private static let states = "apple_iap_transactions"

    /// Whether or not they were ever seen.
    @discardableResult
    private func erase(
        _ user: UserID, noting world: inout World, in store: TestStore, via instance: Int = 0
    ) async throws -> UserID {
        world.tokens.append(try await store.instances[0].tokens.token(of: user).description)
        return try await store.erase(user, via: instance)
    }

    /// All people together hold every lot once, and give up of it exactly what is refunded.
    private func expectSoundCoins(of people: [UserID], in store: TestStore) async throws {
        var (held, given) = ([0, 0], [0, 0])
        for person in people {
            let timeline = Timeline(
                folding: try await store.ledger(of: person), given: store.instances[0].versionCache.snapshot,
                settings: Sample.settings)
            for case .credits(let lot) in timeline.purchases.lazy.filter(\.isHeld).map(\.benefit) {
                held = [held[0] + lot.credited, held[1] + lot.refunded(at: store.clock.now)]
            }
            for balance in timeline.creditBalances(at: store.clock.now) {
                given = [given[0] + balance.credited, given[1] + balance.refunded]
            }
        }
        #expect(given == held)
    }

    private func buy(_ world: inout World, walk: Int) -> VerifiedPurchase {
        let sold = Self.types.randomElement(using: &world.random) ?? Self.types[0]
        let purchase = Sample.sale(
            "\(777_000_000_000 + walk * 10_000 + world.sold.count)", of: sold.product, sold.type,
            day: world.sold.count, account: world.pick(world.accounts))
        world.sold.append(purchase)
        return purchase
    }

    /// A state of what was sold: the first one, or one that shows a refund or none.
    private func changed(_ sold: VerifiedPurchase, in world: inout World) -> VerifiedPurchase {
        let day = Int.random(in: 42...60, using: &world.random)
        guard Bool.random(using: &world.random) else { return sold }
        let boughtDay = Int((sold.purchasedAt - Sample.epoch) / Instant.millisecondsPerDay)
        return Sample.sale(
            sold.key.externalID.text, of: sold.productID.text, sold.type, day: boughtDay,
            account: world.account(of: sold), signedDay: day,
            revokedDay: Bool.random(using: &world.random) ? day - 1 : nil,
            share: [30_000, Revocation.fullShare].randomElement(using: &world.random) ?? Revocation.fullShare)
    }
}
