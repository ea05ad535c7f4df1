import Entitlements
import LedgerStore
import MariaDB
import Support
import Testing

/// Of what an erased person bought only tombstones are left, and what arrives later finds them (`semantics.md` §5).
@Suite(.serialized) struct BurialTests {
    private let anna = Books.user("anna")
    private let ben = Books.user("ben")

    /// A pass, its restored copy, coins, an add-on and a plan of two periods.
    static let sales: [VerifiedPurchase] = [
        Books.pass("20001", day: 30, account: "70001"),
        Books.pass("20001", day: 30, transaction: "20002", account: "70001"),
        Books.sale("20003", of: "coins.100", .consumable, day: 31, account: "70001"),
        Books.sale("20004", of: "vault", .nonConsumable, day: 32, account: "70001"),
        Books.sale("20005", of: "plan.month", .autoRenewable, day: 2, period: "40001", account: "70001"),
        Books.sale(
            "20005", of: "plan.month", .autoRenewable, day: 32, transaction: "20006", period: "40002", account: "70001"),
    ]

    static let traces = [
        "anna", "20001", "20002", "20003", "20004", "20005", "20006", "40001", "40002", "70001", "30001", "order-1",
        "order-2", "hold-1",
    ]

    static let refund = Books.pass("20001", day: 30, account: "70001", signedDay: 41, revokedDay: 41)

    @Test func `no table has a number, a name of an act or a digest that could be guessed`() async throws {
        try await Shop.open { shop in
            try await fill(shop)
            let before = try await shop.everything()
            for trace in Self.traces { #expect(before.contains(trace), "\(trace)") }
            let erased = try await shop.erase(anna)
            try await shop.expectNothing(of: Self.traces, nor: Self.sales)
            try await shop.expectWhole()
            let export = try #require(try await Export(pool: shop.pool).document(of: erased))
            for trace in Self.traces { #expect(!export.contains(trace), "\(trace)") }
            #expect(try await shop.coins(of: erased) == [60, 0])
            #expect(try await shop.status(of: erased).active)
        }
    }

    @Test func `the same number in another app or environment has another tombstone`() async throws {
        try await Shop.open { shop in
            try await shop.attach(Books.pass("20001", day: 30), to: anna)
            try await shop.attach(Books.pass("20001", day: 30, in: .sandbox), to: anna)
            try await shop.erase(anna)
            let numbers = try await shop.schema.rows("SELECT DISTINCT external_id FROM purchases")
            #expect(numbers.count == 2)
            #expect(try await shop.schema.rows("SELECT DISTINCT transaction_id FROM apple_iap_transactions") == numbers)
            try await shop.expectWhole()
        }
    }

    @Test func `a later refund lands once, in whichever spelling it comes and through whichever instance`() async throws
    {
        try await Shop.open(instances: 2) { shop in
            try await fill(shop)
            // Both instances have the ledger at hand.
            for instance in shop.instances { _ = try await instance.reader.ledger(of: anna) }
            let erased = try await shop.erase(anna)
            #expect(try await shop.attach(Self.refund, to: ben, text: "a", via: 1) == .failure(.ownedByAnotherUser))
            let counts = try await shop.schema.counts()
            for (spelling, instance) in [("a", 0), ("b", 1), ("c", 0)] {
                let answer = try await shop.attach(Self.refund, to: ben, text: spelling, via: instance)
                #expect(answer == .failure(.ownedByAnotherUser))
            }
            #expect(try await shop.schema.counts() == counts)
            let last = try #require(try await shop.ledger(of: erased).entries.last?.fact.state)
            #expect(last.revocation == Self.refund.revocation && last.key.isTombstone)
            try await shop.expectNothing(of: Self.traces, nor: Self.sales + [Self.refund])
            try await shop.expectWhole()
        }
    }

    @Test func `a refund of what was spent leaves a debt with whoever it was`() async throws {
        try await Shop.open { shop in
            try await fill(shop)
            let erased = try await shop.erase(anna)
            let refund = Books.sale(
                "20003", of: "coins.100", .consumable, day: 31, account: "70001", signedDay: 39, revokedDay: 39)
            try await shop.attach(refund, to: ben)
            #expect(try await shop.coins(of: erased) == [0, 40])
            try await shop.expectNothing(of: Self.traces, nor: [refund])
            try await shop.expectWhole()
        }
    }

    @Test func `what is known already adds nothing, and nobody else claims any of it`() async throws {
        try await Shop.open(instances: 2) { shop in
            try await fill(shop)
            try await shop.erase(anna)
            try await shop.attach(Books.pass("bens", day: 30), to: ben)
            let counts = try await shop.schema.counts()
            for (number, sale) in Self.sales.enumerated() {
                let answer = try await shop.attach(sale, to: ben, via: number % 2)
                #expect(answer == .failure(.ownedByAnotherUser))
                #expect(
                    try await shop.attach(sale, to: ben, proof: "70002", via: number % 2)
                        == .failure(.ownedByAnotherUser))
            }
            let verdicts = try await shop.restore(Self.sales, to: ben)
            #expect(
                verdicts.values.allSatisfy { $0 == .refused(.ownedByAnotherUser) || $0 == .duplicateInRequest })
            #expect(try await shop.schema.counts() == counts)
            try await shop.expectNothing(of: Self.traces, nor: Self.sales)
            try await shop.expectWhole()
        }
    }

    @Test func `a new transaction of a buried chain is buried too`() async throws {
        try await Shop.open { shop in
            try await fill(shop)
            let erased = try await shop.erase(anna)
            let renewal = Books.sale(
                "20005", of: "plan.month", .autoRenewable, day: 62, transaction: "20009", period: "40009",
                account: "70001", signedDay: 40)
            try await shop.attach(renewal, to: ben)
            try await shop.expectNothing(of: Self.traces + ["20009", "40009"], nor: [renewal])
            let entries = try await shop.ledger(of: erased).entries
            let counts = try await shop.schema.counts()
            try await shop.attach(renewal, to: ben)
            #expect(try await shop.schema.counts() == counts)
            #expect(try await shop.ledger(of: erased).entries == entries)
            #expect(entries.last?.fact.state?.key == entries.first { $0.fact.state?.periodID != nil }?.fact.state?.key)
            try await shop.expectWhole()
        }
    }

    @Test func `somebody with nothing, or with grants alone, is erased too`() async throws {
        try await Shop.open { shop in
            _ = try await shop.instances[0].tokens.token(of: anna)
            try await shop.erase(anna)
            try await shop.grant(.addDays(9, of: TierID("pro")), as: "30001", to: ben)
            let erased = try await shop.erase(ben)
            try await shop.expectNothing(of: ["anna", "ben", "30001"])
            try await shop.expectWhole()
            #expect(try await shop.status(of: erased).active)
            // What was given once under a name is not given to somebody else.
            await #expect(throws: DatabaseError.self) {
                try await shop.grant(.addDays(9, of: TierID("pro")), as: "30001", to: Books.user("cleo"))
            }
            #expect(try await shop.schema.counts()["purchases"] == 1)
        }
    }

    @Test func `an operator finds by the number what stands under a pseudonym`() async throws {
        try await Shop.open { shop in
            try await fill(shop)
            let reader = Desk(shop).reader
            try await shop.erase(anna)
            for number in ["20001", "20003", "30001"] {
                let found = try await reader.search(number)
                guard case .purchase(let key, owner: nil)? = found.first else {
                    Issue.record("\(number) is not found")
                    continue
                }
                #expect(key.isTombstone)
            }
            let copy = try await reader.search("20002")
            #expect(copy.count == 1)
            guard case .transaction(TransactionID("20002"), let key, owner: nil)? = copy.first else {
                throw Books.Missing()
            }
            #expect(key.isTombstone)
            #expect(try await reader.search("20010") == [])
            // By its tombstone it is found as well.
            #expect(try await reader.search(key.externalID.text).first == .purchase(key, owner: nil))
        }
    }

    /// Anna has all of it, and spends, reserves and is given something.
    private func fill(_ shop: Shop) async throws {
        try await Self.fill(shop, anna)
    }

    static func fill(_ shop: Shop, _ user: UserID) async throws {
        let verdicts = try await shop.restore(sales, to: user)
        #expect(verdicts.count == sales.count)
        try await shop.grant(.addDays(9, of: TierID("pro")), as: "30001", to: user)
        _ = try await shop.spend(30, of: user, under: "order-1").get()
        _ = try await shop.reserve(10, of: user, under: "order-2", as: "hold-1").get()
    }
}
