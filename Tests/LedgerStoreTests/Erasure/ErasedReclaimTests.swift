import Entitlements
import LedgerStore
import MariaDB
import Support
import Testing

/// The same Apple account claims what an erased person had, as a whole (`semantics.md` §5).
@Suite(.serialized) struct ErasedReclaimTests {
    private let anna = Sample.user("anna")
    private let ben = Sample.user("ben")
    private let cleo = Sample.user("cleo")
    private let account = Belongings.account

    @Test func `a restore brings the whole lane back, and a second erasure leaves it to the next`() async throws {
        try await TestStore.open(instances: 2) { store in
            try await Belongings.fill(store, anna)
            let before = try await store.status(of: anna)
            let erased = try await store.erase(anna)
            store.clock.now = store.clock.now + Instant.millisecondsPerDay
            let verdicts = try await store.restore(Belongings.sales, to: cleo, proof: account, via: 1)
            #expect(verdicts.allSatisfy { $0 == .claimed(.transferred) || $0 == .duplicateInRequest })
            // The clock ran on: what is left ends when it would have ended.
            #expect(try await store.status(of: cleo).accessExpiresAt == before.accessExpiresAt)
            #expect(try await !store.status(of: erased).active)
            // What was spent stays spent, what was reserved went on.
            #expect(try await store.coins(of: cleo) == [70, 0])
            #expect(try await store.coins(of: erased) == [0, 0])
            try await store.expectWhole()

            // What the reader says at any instance is what the tables have.
            for instance in store.instances {
                let ledger = try await instance.reader.ledger(of: cleo)
                #expect(ledger == (try await store.ledger(of: cleo)))
            }
            let counts = try await store.schema.counts()
            for sale in Belongings.sales {
                #expect(try await store.attach(sale, to: cleo) == .success(.alreadyTheirs))
                #expect(try await store.attach(sale, to: ben, via: 1) == .failure(.ownedByAnotherUser))
            }
            #expect(try await store.schema.counts() == counts)
            try await refundAndReverse(store)
            #expect(try await store.spend(10, of: cleo, under: "order-1", via: 1).get().spent == 10)
            try await store.expectWhole()
            #expect(try await store.schema.counts()["purchases"] == counts["purchases"])

            try await store.erase(cleo)
            try await store.expectNothing(of: ["anna", "cleo", "order-1", "ticket 1"])
            try await store.expectWhole()
            #expect(try await store.attach(Belongings.refundOfPass, to: ben) == .failure(.ownedByAnotherUser))
            let next = try await store.restore(Belongings.sales, to: ben, proof: account)
            #expect(next.contains(.claimed(.transferred)))
            try await store.expectWhole()
        }
    }

    @Test func `the person comes back under the same id as somebody else, and has what the account bought alone`()
        async throws
    {
        try await TestStore.open(instances: 2) { store in
            try await Belongings.fill(store, anna)
            try await store.attach(Belongings.another("60001", of: "70002"), to: anna)
            let erased = try await store.erase(anna)
            let pass = Belongings.sales[0]
            #expect(try await store.attach(pass, to: anna, proof: "70002") == .failure(.ownedByAnotherUser))
            #expect(try await store.attach(pass, to: anna, proof: account, via: 1) == .success(.transferred))
            let back = try await store.ledger(of: anna)
            let came = back.entries.filter { if case .received = $0.fact { true } else { false } }
            #expect(came.compactMap(\.fact.purchase?.externalID.text) == ["20001", "20003", "20004", "20005", "30001"])
            #expect(back.entries.allSatisfy { $0.note == nil || $0.fact.purchase?.source == .manual })
            #expect(try await store.timeline(of: anna).status(at: store.clock.now).active)
            let left = try await store.timeline(of: erased).purchases.filter(\.isHeld).map(\.key.externalID.text)
            #expect(left == ["60001"])
            try await store.expectWhole()
        }
    }

    @Test func `attached one by one, the first brings all, and none is doubled`() async throws {
        try await TestStore.open(instances: 2) { store in
            try await Belongings.fill(store, anna)
            try await store.erase(anna)
            let counts = try await store.schema.counts()
            for (number, sale) in Belongings.sales.enumerated() {
                let answer = try await store.attach(sale, to: cleo, proof: account, via: number % 2)
                #expect(answer == .success(number == 0 ? .transferred : .alreadyTheirs))
                for instance in store.instances {
                    let ledger = try await instance.reader.ledger(of: cleo)
                    #expect(ledger == (try await store.ledger(of: cleo)))
                }
            }
            try await store.expectWhole()
            let after = try await store.schema.counts()
            for table in ["purchases", "apple_iap_transactions"] { #expect(after[table] == counts[table]) }
        }
    }

    @Test func `of what an erased person had no text is kept, though somebody living has it again`() async throws {
        try await TestStore.open(instances: 2) { store in
            try await Belongings.fill(store, anna)
            try await store.erase(anna)
            let (first, later) = (Belongings.sales[0], Sample.pass("20001", day: 30, account: account, signedDay: 42))
            try await store.attach(first, to: cleo, text: "first.again", proof: account)
            for (state, text) in [(Belongings.refundOfPass, "of.refund"), (later, "of.reversal")] {
                #expect(try await store.attach(state, to: cleo, text: text, via: 1) == .success(.alreadyTheirs))
            }
            #expect(try await store.texts == [])
            try await store.attach(Belongings.another("30003"), to: cleo, text: "of.cleo")
            #expect(try await store.texts == [["of.cleo"]])
            try await store.expectWhole()
        }
    }

    @Test func `coins that were spent before the claim are not spent again, and its owner owes for them`() async throws
    {
        try await TestStore.open(instances: 2) { store in
            try await Belongings.fill(store, anna)
            let erased = try await store.erase(anna)
            try await store.attach(Belongings.sales[0], to: cleo, proof: account)
            let had = try await store.coins(of: cleo)[0]
            _ = try await store.spend(had - 10, of: cleo, under: "order-3").get()
            try await store.attach(Belongings.sales[2], to: cleo, via: 1)
            #expect(try await store.coins(of: cleo) == [10, 0])
            #expect(try await store.spend(20, of: cleo, under: "order-4", via: 1) == .failure(.insufficientCredits))
            #expect(try await store.spend(5, of: cleo, under: "order-4", via: 1).get().spent == 5)
            try await store.attach(Belongings.refundOfCoins, to: cleo)
            // Whoever spent the 30 units before the erasure owes for them, which is nobody.
            let owed = try await [store.coins(of: cleo), store.coins(of: erased)]
            #expect(owed == [[0, had - 5], [0, 30]])
            try await store.expectWhole()
            try await store.erase(cleo)
            try await store.attach(Belongings.another("30003"), to: ben)
            #expect(try await store.coins(of: ben) == [0, 0])
            try await store.expectWhole()
        }
    }

    @Test func `a refund that came while nobody had it, and its reversal, count for who claims it`() async throws {
        try await TestStore.open(instances: 2) { store in
            try await Belongings.fill(store, anna)
            try await store.erase(anna)
            try await store.attach(Belongings.refundOfPass, to: ben)
            try await store.attach(Belongings.sales[0], to: cleo, proof: account, via: 1)
            let shown = try await store.ledger(of: cleo).entries.compactMap(\.fact.state)
            #expect(shown.contains(Belongings.refundOfPass))
            let reversal = Sample.pass("20001", day: 30, account: account, signedDay: 43)
            try await store.attach(reversal, to: cleo)
            let disposition = try await store.timeline(of: cleo).disposition(of: reversal.key, at: store.clock.now)
            #expect(disposition == .counts)
            try await store.expectWhole()
            let counts = try await store.schema.counts()
            for state in [Belongings.refundOfPass, reversal, Belongings.sales[0], Belongings.sales[1]] {
                try await store.attach(state, to: cleo)
            }
            #expect(try await store.schema.counts() == counts)
            try await store.expectWhole()
        }
    }

    @Test func `what is claimed moves on like any other, and the claimant's erasure takes nothing from who has it`()
        async throws
    {
        try await TestStore.open(instances: 2) { store in
            try await Belongings.fill(store, anna)
            try await store.erase(anna)
            try await store.attach(Belongings.sales[0], to: cleo, proof: account)
            let moved = try await store.transfer(.all, from: cleo, to: ben, via: 1).get()
            #expect(moved.map(\.externalID.text) == ["20001", "20003", "20004", "20005", "30001"])
            try await store.expectWhole()
            #expect(try await store.attach(Belongings.sales[3], to: ben) == .success(.alreadyTheirs))
            let (ledger, status) = try await (store.ledger(of: ben), store.status(of: ben))
            try await store.erase(cleo)
            #expect(try await store.ledger(of: ben) == ledger)
            #expect(try await store.status(of: ben) == status)
            try await store.expectWhole()
            try await store.erase(ben)
            try await store.expectNothing(of: ["anna", "\"ben", "cleo", "ticket 1"])
            try await store.expectWhole()
        }
    }

    /// A pass is refunded and given back; the status of who claimed it follows.
    private func refundAndReverse(_ store: TestStore) async throws {
        store.clock.now = store.clock.now + 5 * Instant.millisecondsPerDay
        let before = try await store.status(of: cleo)
        try await store.attach(Belongings.refundOfPass, to: ben, via: 1)
        #expect(try await store.status(of: cleo).accessExpiresAt != before.accessExpiresAt)
        let reversal = Sample.pass("20001", day: 30, account: account, signedDay: 42)
        try await store.attach(reversal, to: cleo)
        let tier = try await store.status(of: cleo).tier
        #expect(tier == before.tier)
    }
}
