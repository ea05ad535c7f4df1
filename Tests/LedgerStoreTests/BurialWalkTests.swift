import Entitlements
import LedgerStore
import MariaDB
import Support
import Testing

/// People buy, spend, hand over, are erased and come back by chance; after each erasure nothing of theirs is left but what the
/// living have, and chains, trail and projection are whole.
@Suite(.serialized) struct BurialWalkTests {
    private static let types: [(product: String, type: StoreProductType)] = [
        ("pass.30", .nonRenewing), ("coins.100", .consumable), ("vault", .nonConsumable),
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

        mutating func pick<Element>(_ elements: [Element]) -> Element? { elements.randomElement(using: &random) }

        mutating func arrive() {
            named += 1
            living.append(Books.user("person\(named)"))
        }
    }

    @Test func `whatever happens, numbers stand where somebody who lives has or had them`() async throws {
        try await Shop.open(instances: 2) { shop in
            for walk in 0..<TestRun.rounds(2, soak: 60) {
                var world = World(
                    random: SeededChance("burial walk \(walk)"), accounts: ["7\(1_000 + walk)1", "7\(1_000 + walk)2"])
                world.named = walk * 1_000
                for _ in 0..<3 { world.arrive() }
                for _ in 0..<40 { try await step(&world, in: shop, walk: walk) }
                try await shop.expectWhole()
                try await expectSoundCoins(of: world.living + world.gone, in: shop)
                for user in world.living { try await erase(user, in: shop) }
                try await shop.expectNothing(
                    of: ["person", "order-", "given "] + world.sold.map(\.key.externalID.text), nor: world.sold)
                try await shop.expectWhole()
            }
        }
    }

    private func step(_ world: inout World, in shop: Shop, walk: Int) async throws {
        shop.clock.now = shop.clock.now + Int64.random(in: 1...86_400_000, using: &world.random)
        guard let user = world.pick(world.living), let other = world.pick(world.living) else { return world.arrive() }
        let instance = Int.random(in: 0...1, using: &world.random)
        switch Int.random(in: 0..<12, using: &world.random) {
        case 0...2: try await shop.attach(buy(&world, walk: walk), to: user, via: instance)
        case 3, 4:
            guard let sold = world.pick(world.sold) else { return }
            let proof = Bool.random(using: &world.random) ? sold.appTransactionID?.text : nil
            try await shop.attach(changed(sold, in: &world), to: user, proof: proof, via: instance)
        case 5:
            let proof = world.pick(world.accounts)
            try await shop.restore(world.sold.shuffled(using: &world.random), to: user, proof: proof, via: instance)
        case 6, 7:
            world.keys += 1
            _ = try await shop.spend(
                Int.random(in: 1...80, using: &world.random), of: user, under: "order-\(walk)-\(1_000 + world.keys)",
                via: instance)
        case 8:
            // One at a time: of two that came at one instant and are not buried together the order may change.
            guard let sold = world.pick(world.sold) else { return }
            _ = try await shop.transfer(
                .one(PurchaseName(sold.key.externalID)), from: user, to: other, via: instance)
        case 9:
            world.keys += 1
            try await shop.grant(.addDays(3, of: TierID("pro")), as: "given \(walk) \(1_000 + world.keys)", to: user)
        default:
            let traces = try await onlyTheirs(user, in: shop)
            world.gone.append(try await erase(user, in: shop, via: instance))
            try await shop.expectNothing(of: ["\(user.text)\""] + traces)
            try await shop.expectWhole()
            world.living.removeAll { $0 == user }
            world.arrive()
        }
    }

    /// Whether or not they were ever seen.
    @discardableResult
    private func erase(_ user: UserID, in shop: Shop, via instance: Int = 0) async throws -> UserID {
        _ = try await shop.instances[0].tokens.token(of: user)
        return try await shop.erase(user, via: instance)
    }

    /// All people together hold every lot once, and give up of it exactly what is refunded.
    private func expectSoundCoins(of people: [UserID], in shop: Shop) async throws {
        var (held, given) = ([0, 0], [0, 0])
        for person in people {
            let timeline = Timeline(
                folding: try await shop.ledger(of: person), given: shop.instances[0].shelf.snapshot,
                settings: Books.settings)
            for case .credits(let lot) in timeline.purchases.lazy.filter(\.isHeld).map(\.worth) {
                held = [held[0] + lot.credited, held[1] + lot.refunded(at: shop.clock.now)]
            }
            for balance in timeline.creditBalances(at: shop.clock.now) {
                given = [given[0] + balance.credited, given[1] + balance.refunded]
            }
        }
        #expect(given == held)
    }

    private func buy(_ world: inout World, walk: Int) -> VerifiedPurchase {
        let sold = Self.types.randomElement(using: &world.random) ?? Self.types[0]
        let purchase = Books.sale(
            "\(777_000_000_000 + walk * 10_000 + world.sold.count)", of: sold.product, sold.type,
            day: world.sold.count, account: world.pick(world.accounts))
        world.sold.append(purchase)
        return purchase
    }

    /// A state of what was sold: the first one, or one that shows a refund or none.
    private func changed(_ sold: VerifiedPurchase, in world: inout World) -> VerifiedPurchase {
        let day = Int.random(in: 42...60, using: &world.random)
        guard Bool.random(using: &world.random) else { return sold }
        let boughtDay = Int((sold.purchasedAt - Books.opening) / Instant.millisecondsPerDay)
        return Books.sale(
            sold.key.externalID.text, of: sold.productID.text, sold.type, day: boughtDay,
            account: sold.appTransactionID?.text, signedDay: day,
            revokedDay: Bool.random(using: &world.random) ? day - 1 : nil,
            share: [30_000, Revocation.fullShare].randomElement(using: &world.random) ?? Revocation.fullShare)
    }

    /// The numbers of what `user` owns and no other living person had.
    private func onlyTheirs(_ user: UserID, in shop: Shop) async throws -> [String] {
        let rows = try await shop.schema.rows(
            """
            SELECT COALESCE(p.known_as, p.external_id) FROM purchases p JOIN users u ON u.pseudonym = p.user_id
            WHERE u.user_id = ? AND p.external_id NOT LIKE 'hmac:%' OR u.user_id = ? AND p.known_as IS NOT NULL
            """, [.text(user.text), .text(user.text)])
        let held = try await shop.schema.rows(
            """
            SELECT DISTINCT COALESCE(p.known_as, p.external_id) FROM purchases p
            JOIN purchase_holders h ON h.purchase_id = p.id
            JOIN users u ON u.pseudonym = h.user_id WHERE u.user_id IS NOT NULL AND u.user_id <> ?
            """, [.text(user.text)])
        let texts = { (rows: [[Value]]) in
            rows.compactMap { row -> String? in if case .text(let text) = row[0] { text } else { nil } }
        }
        return Set(texts(rows)).subtracting(texts(held)).sorted()
    }
}
