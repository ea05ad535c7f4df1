import Entitlements
import LedgerStore
import MariaDB
import Support
import Testing

/// The same Apple account claims what is buried, and has its numbers back as it shows them (`semantics.md` §5).
@Suite(.serialized) struct BuriedReclaimTests {
    private let anna = Books.user("anna")
    private let ben = Books.user("ben")
    private let cleo = Books.user("cleo")
    private let account = "70001"

    @Test func `a restore brings the whole lane back under its numbers, and a second erasure buries it again`()
        async throws
    {
        try await Shop.open(instances: 2) { shop in
            try await BurialTests.fill(shop, anna)
            let before = try await shop.status(of: anna)
            let erased = try await shop.erase(anna)
            shop.clock.now = shop.clock.now + Instant.millisecondsPerDay
            let verdicts = try await shop.restore(BurialTests.sales, to: cleo, proof: account, via: 1)
            #expect(
                verdicts.values.allSatisfy { $0 == .claimed(.transferred) || $0 == .duplicateInRequest })
            // The clock ran on: what is left ends when it would have ended.
            #expect(try await shop.status(of: cleo).accessExpiresAt == before.accessExpiresAt)
            #expect(try await !shop.status(of: erased).active)
            // What was spent stays spent, what was reserved went on.
            #expect(try await shop.coins(of: cleo)[0] + shop.coins(of: erased)[0] == 70)
            try await expectPlain(of: cleo, in: shop, except: 1)
            try await shop.expectWhole()
            let exports = try await (export(of: cleo, in: shop), export(of: erased, in: shop))
            for number in ["20001", "20002", "20003", "20004", "20005", "20006"] {
                #expect(exports.0.contains(number) && !exports.1.contains(number))
            }

            // What the reader says at any instance is what the tables have.
            for instance in shop.instances {
                let ledger = try await instance.reader.ledger(of: cleo)
                #expect(ledger == (try await shop.ledger(of: cleo)))
            }
            let counts = try await shop.schema.counts()
            for sale in BurialTests.sales {
                #expect(try await shop.attach(sale, to: cleo) == .success(.alreadyTheirs))
                #expect(try await shop.attach(sale, to: ben, via: 1) == .failure(.ownedByAnotherUser))
            }
            try await refundAndReverse(shop)
            #expect(try await shop.spend(10, of: cleo, under: "order-1", via: 1).get().spent == 10)
            try await shop.expectWhole()
            #expect(try await shop.schema.counts()["purchases"] == counts["purchases"])

            try await shop.erase(cleo)
            try await shop.expectNothing(of: BurialTests.traces + ["cleo", "order-3"], nor: BurialTests.sales)
            try await shop.expectWhole()
            #expect(try await shop.attach(BurialTests.refund, to: ben) == .failure(.ownedByAnotherUser))
            #expect(
                try await shop.restore(BurialTests.sales, to: ben, proof: account).values
                    .contains(.claimed(.transferred)))
            try await shop.expectWhole()
        }
    }

    @Test func `attached one by one, each gets its number back when it is shown and none is doubled`() async throws {
        try await Shop.open(instances: 2) { shop in
            try await BurialTests.fill(shop, anna)
            try await shop.erase(anna)
            let counts = try await shop.schema.counts()
            for (number, sale) in BurialTests.sales.enumerated() {
                let answer = try await shop.attach(sale, to: cleo, proof: account, via: number % 2)
                #expect(answer == .success(number == 0 ? .transferred : .alreadyTheirs))
                let shown = try await shop.ledger(of: cleo).entries.compactMap(\.fact.purchase)
                #expect(shown.contains(sale.key))
                for instance in shop.instances {
                    let ledger = try await instance.reader.ledger(of: cleo)
                    #expect(ledger == (try await shop.ledger(of: cleo)))
                }
                try await shop.expectWhole()
            }
            try await expectPlain(of: cleo, in: shop, except: 1)
            let after = try await shop.schema.counts()
            for table in ["purchases", "apple_iap_transactions"] { #expect(after[table] == counts[table]) }
        }
    }

    @Test func `coins that were spent before their number was shown are not spent again`() async throws {
        try await Shop.open(instances: 2) { shop in
            try await BurialTests.fill(shop, anna)
            let erased = try await shop.erase(anna)
            try await shop.attach(BurialTests.sales[0], to: cleo, proof: account)
            let had = try await shop.coins(of: cleo)[0]
            _ = try await shop.spend(had - 10, of: cleo, under: "order-3").get()
            _ = try await shop.ledger.record(for: [cleo]) { [cleo] in
                NameSandboxTester(cleo, isTester: true, note: Books.note).decide(given: $0)
            }
            try await shop.attach(BurialTests.sales[2], to: cleo, via: 1)
            #expect(try await shop.coins(of: cleo) == [10, 0])
            #expect(try await shop.spend(20, of: cleo, under: "order-4", via: 1) == .failure(.insufficientCredits))
            #expect(try await shop.spend(5, of: cleo, under: "order-4", via: 1).get().spent == 5)
            try await shop.expectWhole()
            let refund = Books.sale(
                "20003", of: "coins.100", .consumable, day: 31, account: account, signedDay: 39, revokedDay: 39)
            try await shop.attach(refund, to: cleo)
            // The debt follows the Apple account: the 30 units that were spent before the erasure too.
            let owed = try await [shop.coins(of: cleo), shop.coins(of: erased)]
            #expect(owed == [[0, had - 5 + 30], [0, 0]])
            try await shop.expectWhole()
            try await shop.erase(cleo)
            try await shop.expectNothing(of: BurialTests.traces + ["order-3", "order-4"], nor: [refund])
            try await shop.expectWhole()
        }
    }

    @Test func `a refund that came while nobody had it, and its reversal, count for who claims it`() async throws {
        try await Shop.open(instances: 2) { shop in
            try await BurialTests.fill(shop, anna)
            try await shop.erase(anna)
            try await shop.attach(BurialTests.refund, to: ben)
            try await shop.attach(BurialTests.sales[0], to: cleo, proof: account, via: 1)
            let copies = try await states(of: "20001", in: shop)
            let numbers = Set(copies.map(\.transactionID.text).filter { !$0.hasPrefix("hmac:") })
            #expect(numbers == ["20001"])
            // The refund was never shown by the claimant, and is of the same transaction.
            #expect(copies.contains { $0.revocation != nil && $0.transactionID == BurialTests.refund.transactionID })
            let reversal = Books.pass("20001", day: 30, account: account, signedDay: 43)
            try await shop.attach(reversal, to: cleo)
            let purchase = try await shop.timeline(of: cleo).purchases.first { $0.key == reversal.key }
            #expect(purchase != nil)
            try await shop.expectWhole()
            let counts = try await shop.schema.counts()
            for state in [BurialTests.refund, reversal, BurialTests.sales[0], BurialTests.sales[1]] {
                try await shop.attach(state, to: cleo)
            }
            #expect(try await shop.schema.counts()["apple_iap_transactions"] == counts["apple_iap_transactions"])
            try await shop.expectWhole()
        }
    }

    @Test func `what is claimed moves on like any other, known by its number or not`() async throws {
        try await Shop.open(instances: 2) { shop in
            try await BurialTests.fill(shop, anna)
            try await shop.erase(anna)
            try await shop.attach(BurialTests.sales[0], to: cleo, proof: account)
            let moved = try await shop.transfer(.all, from: cleo, to: ben, via: 1).get()
            #expect(moved.contains(BurialTests.sales[0].key) && moved.contains { $0.isTombstone })
            try await shop.expectWhole()
            #expect(try await shop.attach(BurialTests.sales[3], to: ben) == .success(.alreadyTheirs))
            try await shop.expectWhole()
            // Ben lives and has it: the claimant's erasure leaves him his numbers.
            try await shop.erase(cleo)
            #expect(try await shop.everything().contains("20004"))
            try await shop.expectWhole()
            try await shop.erase(ben)
            try await shop.expectNothing(of: BurialTests.traces + ["cleo", "ben"], nor: BurialTests.sales)
            try await shop.expectWhole()
        }
    }

    // MARK: What is owed

    private static let refund = Books.sale(
        "20003", of: "coins.100", .consumable, day: 31, account: "70001", signedDay: 39, revokedDay: 39)

    @Test func `what is owed follows to whoever has another purchase of the Apple account`() async throws {
        try await Shop.open(instances: 2) { shop in
            try await BurialTests.fill(shop, anna)
            try await shop.attach(Self.refund, to: anna)
            #expect(try await shop.coins(of: anna) == [0, 40])
            let erased = try await shop.erase(anna)
            let pass = { (number: String, account: String?) in Books.pass(number, day: 33, account: account) }
            for (number, account) in [("60001", nil), ("60002", "70002")] as [(String, String?)] {
                #expect(try await shop.attach(pass(number, account), to: ben) == .success(.unowned))
            }
            #expect(try await [shop.coins(of: ben), shop.coins(of: erased)] == [[0, 0], [0, 40]])

            #expect(try await shop.attach(pass("30003", account), to: cleo, via: 1) == .success(.unowned))
            // Of the 40 only what was spent: nobody can commit what she reserved.
            #expect(try await [shop.coins(of: cleo), shop.coins(of: erased)] == [[0, 30], [0, 0]])
            try await shop.expectNothing(of: ["anna", "20001", "20003"], nor: BurialTests.sales)
            try await shop.expectWhole()
            let counts = try await shop.schema.counts()
            let verdicts = try await shop.restore([pass("30003", account)], to: cleo)
            #expect(verdicts == [0: .claimed(.alreadyTheirs)])
            #expect(try await shop.schema.counts() == counts)
            #expect(try await shop.attach(pass("60004", account), to: ben, via: 1) == .success(.unowned))
            #expect(try await shop.coins(of: ben) == [0, 0])

            // The rest comes with the proof, and the reversal ends the debt where it is.
            let rest = try await shop.restore(BurialTests.sales, to: cleo, proof: account)
            #expect(rest.values.allSatisfy { if case .claimed = $0 { true } else { $0 == .duplicateInRequest } })
            let reversal = Books.sale(
                "20003", of: "coins.100", .consumable, day: 31, account: account, signedDay: 40)
            try await shop.attach(reversal, to: ben)
            #expect(try await shop.coins(of: cleo) == [70, 0])
            try await shop.expectWhole()
            for user in [cleo, ben] { try await shop.erase(user) }
            try await shop.expectNothing(of: BurialTests.traces + ["cleo", "30003"], nor: [Self.refund])
            try await shop.expectWhole()
        }
    }

    @Test func `a refund that comes after the erasure is owed by whoever shows the Apple account next`() async throws {
        try await Shop.open(instances: 2) { shop in
            try await BurialTests.fill(shop, anna)
            try await shop.erase(anna)
            let pass = Books.pass("30003", day: 33, account: account)
            try await shop.restore([pass], to: cleo)
            try await shop.attach(Self.refund, to: ben)
            #expect(try await shop.coins(of: cleo) == [0, 0])
            try await shop.restore([pass], to: cleo, via: 1)
            #expect(try await shop.coins(of: cleo) == [0, 30])
            try await shop.expectWhole()
        }
    }

    @Test func `what is owed for coins that somebody living had before follows too`() async throws {
        try await Shop.open { shop in
            try await BurialTests.fill(shop, anna)
            _ = try await shop.transfer(.one(PurchaseName(ExternalID("20003"))), from: anna, to: ben).get()
            _ = try await shop.spend(50, of: ben, under: "order-9").get()
            try await shop.attach(Self.refund, to: ben)
            let erased = try await shop.erase(ben)
            #expect(try await shop.schema.rows("SELECT 1 FROM purchases WHERE external_id LIKE 'hmac:%'").isEmpty)
            try await shop.attach(Books.pass("30003", day: 33, account: account), to: cleo)
            #expect(try await [shop.coins(of: cleo), shop.coins(of: erased)] == [[0, 50], [0, 0]])
            #expect(try await shop.coins(of: anna) == [0, 40])
            try await shop.expectWhole()
        }
    }

    @Test func `what is owed for coins whose rest somebody living has follows, and the reversal finds all of them`()
        async throws
    {
        try await Shop.open(instances: 2) { shop in
            try await BurialTests.fill(shop, anna)
            _ = try await shop.transfer(.one(PurchaseName(ExternalID("20003"))), from: anna, to: ben).get()
            try await shop.attach(Self.refund, to: ben)
            let erased = try await shop.erase(anna)
            try await shop.attach(Books.pass("30003", day: 33, account: account), to: cleo, via: 1)
            #expect(try await [shop.coins(of: cleo), shop.coins(of: erased)] == [[0, 30], [0, 0]])
            #expect(try await shop.coins(of: ben) == [0, 0])
            try await shop.expectWhole()
            let reversal = Books.sale("20003", of: "coins.100", .consumable, day: 31, account: account, signedDay: 40)
            try await withThrowingTaskGroup(of: Void.self) { group in
                for instance in [0, 1] {
                    group.addTask { try await shop.attach(reversal, to: ben, via: instance) }
                    group.addTask {
                        try await shop.attach(
                            Books.pass("30003", day: 33, account: account), to: cleo, via: instance)
                    }
                }
                try await group.waitForAll()
            }
            #expect(try await [shop.coins(of: cleo), shop.coins(of: ben)] == [[0, 0], [60, 0]])
            for user in [cleo, ben] { try await shop.erase(user) }
            try await shop.expectNothing(
                of: BurialTests.traces + ["cleo", "ben", "30003"], nor: [Self.refund, reversal])
            try await shop.expectWhole()
        }
    }

    @Test func `what somebody owes who has nothing of the Apple account any more follows it`() async throws {
        try await Shop.open { shop in
            try await shop.attach(BurialTests.sales[2], to: anna)
            _ = try await shop.spend(40, of: anna, under: "order-1").get()
            _ = try await shop.transfer(.all, from: anna, to: ben).get()
            try await shop.attach(Self.refund, to: ben)
            let erased = try await shop.erase(anna)
            try await shop.attach(Books.pass("30003", day: 33, account: account), to: cleo)
            #expect(try await [shop.coins(of: cleo), shop.coins(of: erased)] == [[0, 40], [0, 0]])
            try await shop.expectWhole()
        }
    }

    @Test func `of those who show the Apple account at once one owes it`() async throws {
        try await Shop.open(instances: 2) { shop in
            for round in 0..<TestRun.rounds(8, soak: 200) {
                let (user, account) = (Books.user("r\(round)"), "7000\(round)")
                let coins = Books.sale("2000\(round)", of: "coins.100", .consumable, day: 31, account: account)
                let refund = Books.sale(
                    "2000\(round)", of: "coins.100", .consumable, day: 31, account: account, signedDay: 39,
                    revokedDay: 39)
                try await shop.attach(coins, to: user)
                _ = try await shop.spend(40, of: user, under: "order").get()
                let erased = try await shop.erase(user)
                let racers = (0..<6).map { Books.user("c\(round)-\($0)") }
                try await withThrowingTaskGroup(of: Void.self) { group in
                    group.addTask { try await shop.attach(refund, to: ben, via: round % 2) }
                    for (number, racer) in racers.enumerated() {
                        group.addTask {
                            let pass = Books.pass("3\(round)\(number)", day: 33, account: account)
                            for instance in 0..<4 {
                                try await shop.attach(pass, to: racer, via: (instance + number) % 2)
                            }
                            if number == round { try await shop.erase(racer) }
                        }
                    }
                    try await group.waitForAll()
                }
                for racer in racers {
                    let pass = Books.pass("4\(round)" + racer.text.suffix(1), day: 34, account: account)
                    try await shop.attach(pass, to: racer)
                }
                var owed: [[Int]] = []
                for user in racers + [erased] { owed.append(try await shop.coins(of: user)) }
                #expect(owed.filter { $0 == [0, 40] }.count == 1 && owed.filter { $0 == [0, 0] }.count == 6)
            }
            try await shop.expectWhole()
        }
    }

    /// A pass is refunded and given back; the status of who claimed it follows.
    private func refundAndReverse(_ shop: Shop) async throws {
        shop.clock.now = shop.clock.now + 5 * Instant.millisecondsPerDay
        let before = try await shop.status(of: cleo)
        try await shop.attach(BurialTests.refund, to: ben, via: 1)
        #expect(try await shop.status(of: cleo).accessExpiresAt != before.accessExpiresAt)
        let reversal = Books.pass("20001", day: 30, account: account, signedDay: 42)
        try await shop.attach(reversal, to: cleo)
        let tier = try await shop.status(of: cleo).tier
        #expect(tier == before.tier)
    }

    /// All that the person has but the grants, of which no evidence is ever shown, is called by its number.
    private func expectPlain(of user: UserID, in shop: Shop, except grants: Int) async throws {
        let ledger = try await shop.ledger(of: user)
        let buried = Set(ledger.entries.compactMap(\.fact.purchase).filter(\.isTombstone))
        #expect(buried.count == grants && buried.allSatisfy { $0.source == .manual })
        for state in ledger.entries.compactMap(\.fact.state) {
            #expect(!state.transactionID.text.hasPrefix("hmac:") && !(state.periodID ?? "").hasPrefix("hmac:"))
        }
    }

    private func export(of user: UserID, in shop: Shop) async throws -> String {
        try #require(try await Export(pool: shop.pool).document(of: user))
    }

    private func states(of number: String, in shop: Shop) async throws -> [VerifiedPurchase] {
        try await shop.ledger(of: cleo).entries.compactMap(\.fact.state).filter { $0.key.externalID.text == number }
    }
}
