import Entitlements
import LedgerStore
import MariaDB
import Support
import Synchronization
import Testing

/// Two deliveries that need each other: the second sees the first, wherever the first pauses.
@Suite(.serialized) struct DeliveryPairTests {
    /// Two deliveries, and the deliveries that came before them.
    private struct Pair {
        let name: String
        var before: [ReadDelivery] = []
        let deliveries: [ReadDelivery]
        var isContradiction = false
        /// The number of facts that the first user has in the end.
        let entries: Int
    }

    /// Every pair of which one waits for the other, or contradicts it.
    private static func pairs(_ tag: String) -> [Pair] {
        let (charge, payment, invoice, ticket) = ("ch" + tag, "pi" + tag, "in" + tag, "s" + tag)
        let (customer, anna, ben) = (Label("c" + tag), Sample.user("anna" + tag), Sample.user("ben" + tag))
        let month = Vouchers.month("m" + tag, of: ticket, from: 0)
        let stated = TestStore.news(about: ticket, naming: anna, stating: month)
        let unnamed = TestStore.news(about: ticket, customer: customer, stating: month)
        let pays = TestStore.news(telling: PurchaseNumber(payment, meaning: invoice))
        let line = TestStore.news(
            telling: PurchaseNumber(invoice, meaning: TransactionID("m" + tag), of: ExternalID(ticket)))
        let refund = TestStore.refund(charge, of: payment)
        return [
            Pair(name: "refund and payment", before: [stated, line], deliveries: [refund, pays], entries: 3),
            Pair(name: "refund and invoice", before: [stated, pays], deliveries: [refund, line], entries: 3),
            Pair(name: "refund and purchase", before: [pays, line], deliveries: [refund, stated], entries: 3),
            Pair(
                name: "purchase and customer",
                deliveries: [unnamed, TestStore.news(naming: anna, customer: customer)], entries: 2),
            Pair(
                name: "purchase and session",
                deliveries: [unnamed, TestStore.news(about: ticket, naming: anna)], entries: 2),
            Pair(
                name: "two names of a customer",
                deliveries: [
                    TestStore.news(naming: anna, customer: customer), TestStore.news(naming: ben, customer: customer),
                ], isContradiction: true, entries: 0),
        ]
    }

    /// The end of the first delivery's placing.
    private final class End: Sendable {
        let hasCome = Mutex(false)
    }

    /// A pair in one of its two orders, and how many statements the first sends before it pauses.
    private struct Draw {
        let pair: Int
        let isReversed: Bool
        let statements: Int
    }

    private static let draws = (0..<pairs("").count).flatMap { pair in
        [false, true].flatMap { isReversed in
            (0..<30).map { Draw(pair: pair, isReversed: isReversed, statements: $0) }
        }
    }

    @Test func `two deliveries that need each other are both placed, wherever the first pauses`() async throws {
        try await TestStore.openBehindProxy(instances: 2) { store, proxy in
            _ = try await CatalogueVersionCache.apply(
                "vouchers", to: store.pool, at: Sample.epoch, isSame: { $0 == "vouchers" })
            var chance = SeededChance("delivery pairs")
            let drawn = Self.draws.shuffled(using: &chance).prefix(TestRun.rounds(20, soak: Self.draws.count))
            for (round, draw) in drawn.enumerated() {
                let pair = Self.pairs("\(round)")[draw.pair]
                try await run(pair, "\(round)", draw, in: store, behind: proxy)
                let words = "\(pair.name) \(draw) GATEPASS_TEST_SEED=\(TestRun.seed)"
                let parked = "SELECT COUNT(*) FROM inbox_deliveries WHERE state = 'parked'"
                #expect(try await store.schema.number(parked) == 0, "\(words)")
                let contradicted =
                    "SELECT COUNT(*) FROM inbox_deliveries WHERE reason = 'contradicted' AND id > "
                    + "(SELECT MAX(id) - 2 FROM inbox_deliveries)"
                #expect(try await store.schema.number(contradicted) == (pair.isContradiction ? 1 : 0), "\(words)")
                #expect(try await store.schema.counts()["mentions"] == 0, "\(words)")
                let held = try await store.ledger(of: Sample.user("anna\(round)")).entries.count
                #expect(held == pair.entries, "\(words)")
            }
        }
    }

    /// Places the first delivery, which pauses, then the second through another instance, and then what was woken.
    /// Throws when the database is away.
    private func run(
        _ pair: Pair, _ tag: String, _ draw: Draw, in store: TestStore, behind proxy: PacketProxy
    ) async throws {
        var news: [UInt64: ReadDelivery] = [:]
        var ids: [UInt64] = []
        for (place, read) in (pair.before + pair.deliveries).enumerated() {
            ids.append(try await store.receive("\(tag) \(place)"))
            news[ids[place]] = read
            if place < pair.before.count { try await store.place(read, as: ids[place]) }
        }
        let (told, both) = (news, draw.isReversed ? ids.suffix(2).reversed() : Array(ids.suffix(2)))
        let end = End()
        try await withThrowingTaskGroup(of: Void.self) { group in
            proxy.hold(after: draw.statements)
            group.addTask {
                defer { end.hasCome.withLock { $0 = true } }
                if let read = told[both[0]] { try await store.place(read, as: both[0]) }
            }
            while !proxy.isHolding, !end.hasCome.withLock({ $0 }) { try await Task.sleep(for: .milliseconds(1)) }
            group.addTask { if let read = told[both[1]] { try await store.place(read, as: both[1], via: 1) } }
            // The second comes to its end meanwhile, or to a lock of the first.
            try await Task.sleep(for: .milliseconds(30))
            proxy.release()
            try await group.waitForAll()
        }
        try await store.placeWoken(told)
    }
}
