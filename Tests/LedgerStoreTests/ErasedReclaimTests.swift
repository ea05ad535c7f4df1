import Entitlements
import LedgerStore
import MariaDB
import Support
import Testing

/// The same Apple account claims what an erased person had, as a whole (`semantics.md` §5).
@Suite(.serialized) struct ErasedReclaimTests {
    private let anna = Books.user("anna")
    private let ben = Books.user("ben")
    private let cleo = Books.user("cleo")
    private let account = Belongings.account

    @Test func `a restore brings the whole lane back, and a second erasure leaves it to the next`() async throws {
        try await Shop.open(instances: 2) { shop in
            try await Belongings.fill(shop, anna)
            let before = try await shop.status(of: anna)
            let erased = try await shop.erase(anna)
            shop.clock.now = shop.clock.now + Instant.millisecondsPerDay
            let verdicts = try await shop.restore(Belongings.sales, to: cleo, proof: account, via: 1)
            #expect(verdicts.allSatisfy { $0 == .claimed(.transferred) || $0 == .duplicateInRequest })
            // The clock ran on: what is left ends when it would have ended.
            #expect(try await shop.status(of: cleo).accessExpiresAt == before.accessExpiresAt)
            #expect(try await !shop.status(of: erased).active)
            // What was spent stays spent, what was reserved went on.
            #expect(try await shop.coins(of: cleo) == [70, 0])
            #expect(try await shop.coins(of: erased) == [0, 0])
            try await shop.expectWhole()

            // What the reader says at any instance is what the tables have.
            for instance in shop.instances {
                let ledger = try await instance.reader.ledger(of: cleo)
                #expect(ledger == (try await shop.ledger(of: cleo)))
            }
            let counts = try await shop.schema.counts()
            for sale in Belongings.sales {
                #expect(try await shop.attach(sale, to: cleo) == .success(.alreadyTheirs))
                #expect(try await shop.attach(sale, to: ben, via: 1) == .failure(.ownedByAnotherUser))
            }
            #expect(try await shop.schema.counts() == counts)
            try await refundAndReverse(shop)
            #expect(try await shop.spend(10, of: cleo, under: "order-1", via: 1).get().spent == 10)
            try await shop.expectWhole()
            #expect(try await shop.schema.counts()["purchases"] == counts["purchases"])

            try await shop.erase(cleo)
            try await shop.expectNothing(of: ["anna", "cleo", "order-1", "ticket 1"])
            try await shop.expectWhole()
            #expect(try await shop.attach(Belongings.refundOfPass, to: ben) == .failure(.ownedByAnotherUser))
            let next = try await shop.restore(Belongings.sales, to: ben, proof: account)
            #expect(next.contains(.claimed(.transferred)))
            try await shop.expectWhole()
        }
    }

    @Test func `the person comes back under the same id as somebody else, and has what the account bought alone`()
        async throws
    {
        try await Shop.open(instances: 2) { shop in
            try await Belongings.fill(shop, anna)
            try await shop.attach(Belongings.another("60001", of: "70002"), to: anna)
            let erased = try await shop.erase(anna)
            let pass = Belongings.sales[0]
            #expect(try await shop.attach(pass, to: anna, proof: "70002") == .failure(.ownedByAnotherUser))
            #expect(try await shop.attach(pass, to: anna, proof: account, via: 1) == .success(.transferred))
            let back = try await shop.ledger(of: anna)
            let came = back.entries.filter { if case .received = $0.fact { true } else { false } }
            #expect(came.compactMap(\.fact.purchase?.externalID.text) == ["20001", "20003", "20004", "20005", "30001"])
            #expect(back.entries.allSatisfy { $0.note == nil || $0.fact.purchase?.source == .manual })
            #expect(try await shop.timeline(of: anna).status(at: shop.clock.now).active)
            let left = try await shop.timeline(of: erased).purchases.filter(\.isHeld).map(\.key.externalID.text)
            #expect(left == ["60001"])
            try await shop.expectWhole()
        }
    }

    @Test func `attached one by one, the first brings all, and none is doubled`() async throws {
        try await Shop.open(instances: 2) { shop in
            try await Belongings.fill(shop, anna)
            try await shop.erase(anna)
            let counts = try await shop.schema.counts()
            for (number, sale) in Belongings.sales.enumerated() {
                let answer = try await shop.attach(sale, to: cleo, proof: account, via: number % 2)
                #expect(answer == .success(number == 0 ? .transferred : .alreadyTheirs))
                for instance in shop.instances {
                    let ledger = try await instance.reader.ledger(of: cleo)
                    #expect(ledger == (try await shop.ledger(of: cleo)))
                }
            }
            try await shop.expectWhole()
            let after = try await shop.schema.counts()
            for table in ["purchases", "apple_iap_transactions"] { #expect(after[table] == counts[table]) }
        }
    }

    @Test func `of what an erased person had no text is kept, though somebody living has it again`() async throws {
        try await Shop.open(instances: 2) { shop in
            try await Belongings.fill(shop, anna)
            try await shop.erase(anna)
            let (first, later) = (Belongings.sales[0], Books.pass("20001", day: 30, account: account, signedDay: 42))
            try await shop.attach(first, to: cleo, text: "first.again", proof: account)
            for (state, text) in [(Belongings.refundOfPass, "of.refund"), (later, "of.reversal")] {
                #expect(try await shop.attach(state, to: cleo, text: text, via: 1) == .success(.alreadyTheirs))
            }
            #expect(try await shop.texts == [])
            try await shop.attach(Belongings.another("30003"), to: cleo, text: "of.cleo")
            #expect(try await shop.texts == [["of.cleo"]])
            try await shop.expectWhole()
        }
    }

    @Test func `coins that were spent before the claim are not spent again, and its owner owes for them`() async throws
    {
        try await Shop.open(instances: 2) { shop in
            try await Belongings.fill(shop, anna)
            let erased = try await shop.erase(anna)
            try await shop.attach(Belongings.sales[0], to: cleo, proof: account)
            let had = try await shop.coins(of: cleo)[0]
            _ = try await shop.spend(had - 10, of: cleo, under: "order-3").get()
            try await shop.attach(Belongings.sales[2], to: cleo, via: 1)
            #expect(try await shop.coins(of: cleo) == [10, 0])
            #expect(try await shop.spend(20, of: cleo, under: "order-4", via: 1) == .failure(.insufficientCredits))
            #expect(try await shop.spend(5, of: cleo, under: "order-4", via: 1).get().spent == 5)
            try await shop.attach(Belongings.refundOfCoins, to: cleo)
            // The debt follows the Apple account: the 30 units that were spent before the erasure too.
            let owed = try await [shop.coins(of: cleo), shop.coins(of: erased)]
            #expect(owed == [[0, had - 5 + 30], [0, 0]])
            try await shop.expectWhole()
            let cleos = try #require(try await shop.erase(cleo).pseudonym)
            let debt = "\(Books.label(of: account)) com.airport.vpn Production coin \(had + 25) \(cleos)"
            #expect(try await shop.openDebts() == [debt])
            try await shop.expectWhole()
        }
    }

    @Test func `a refund that came while nobody had it, and its reversal, count for who claims it`() async throws {
        try await Shop.open(instances: 2) { shop in
            try await Belongings.fill(shop, anna)
            try await shop.erase(anna)
            try await shop.attach(Belongings.refundOfPass, to: ben)
            try await shop.attach(Belongings.sales[0], to: cleo, proof: account, via: 1)
            let shown = try await shop.ledger(of: cleo).entries.compactMap(\.fact.state)
            #expect(shown.contains(Belongings.refundOfPass))
            let reversal = Books.pass("20001", day: 30, account: account, signedDay: 43)
            try await shop.attach(reversal, to: cleo)
            let standing = try await shop.timeline(of: cleo).standing(of: reversal.key, at: shop.clock.now)
            #expect(standing == .counts)
            try await shop.expectWhole()
            let counts = try await shop.schema.counts()
            for state in [Belongings.refundOfPass, reversal, Belongings.sales[0], Belongings.sales[1]] {
                try await shop.attach(state, to: cleo)
            }
            #expect(try await shop.schema.counts() == counts)
            try await shop.expectWhole()
        }
    }

    @Test func `what is claimed moves on like any other, and the claimant's erasure takes nothing from who has it`()
        async throws
    {
        try await Shop.open(instances: 2) { shop in
            try await Belongings.fill(shop, anna)
            try await shop.erase(anna)
            try await shop.attach(Belongings.sales[0], to: cleo, proof: account)
            let moved = try await shop.transfer(.all, from: cleo, to: ben, via: 1).get()
            #expect(moved.map(\.externalID.text) == ["20001", "20003", "20004", "20005", "30001"])
            try await shop.expectWhole()
            #expect(try await shop.attach(Belongings.sales[3], to: ben) == .success(.alreadyTheirs))
            let (ledger, status) = try await (shop.ledger(of: ben), shop.status(of: ben))
            try await shop.erase(cleo)
            #expect(try await shop.ledger(of: ben) == ledger)
            #expect(try await shop.status(of: ben) == status)
            try await shop.expectWhole()
            try await shop.erase(ben)
            try await shop.expectNothing(of: ["anna", "ben", "cleo", "ticket 1"])
            try await shop.expectWhole()
        }
    }

    /// A pass is refunded and given back; the status of who claimed it follows.
    private func refundAndReverse(_ shop: Shop) async throws {
        shop.clock.now = shop.clock.now + 5 * Instant.millisecondsPerDay
        let before = try await shop.status(of: cleo)
        try await shop.attach(Belongings.refundOfPass, to: ben, via: 1)
        #expect(try await shop.status(of: cleo).accessExpiresAt != before.accessExpiresAt)
        let reversal = Books.pass("20001", day: 30, account: account, signedDay: 42)
        try await shop.attach(reversal, to: cleo)
        let tier = try await shop.status(of: cleo).tier
        #expect(tier == before.tier)
    }
}
