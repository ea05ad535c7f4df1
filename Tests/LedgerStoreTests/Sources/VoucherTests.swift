import Entitlements
import LedgerStore
import MariaDB
import Support
import Testing

/// A source that the store never heard of goes through ledger and database like the others: it is a name, statements
/// and a decision.
@Suite(.serialized) struct VoucherTests {
    private let anna = Sample.user("anna")
    private let ben = Sample.user("ben")

    /// From and to which day each voucher covers, as the projection has it, and whose it is.
    private func days(_ store: TestStore) async throws -> [String] {
        try await store.schema.rows(
            """
            SELECT CONCAT_WS(' ', s.source, s.external_id, COALESCE(u.user_id, ''), s.product_id, s.tier,
                (s.starts_at - \(Sample.epoch.milliseconds)) DIV \(Instant.millisecondsPerDay),
                (s.expires_at - \(Sample.epoch.milliseconds)) DIV \(Instant.millisecondsPerDay))
            FROM subscriptions s JOIN users u ON u.pseudonym = s.user_id ORDER BY s.purchase_id, s.user_id
            """
        ).map { row in if case .text(let text) = row[0] { text } else { "" } }
    }

    @Test func `a voucher is its user's by the word of its source, once`() async throws {
        try await TestStore.withVouchers { store in
            let first = try await store.tell(Vouchers.pass("v1", sold: 20), of: anna)
            #expect(first.bound == ["v1"] && first.isNew)
            #expect(try await days(store) == ["voucher v1 anna day.30 pro 20 50"])
            let status = try await store.status(of: anna)
            #expect(status.tier == TierID("pro") && status.expiresAt == Vouchers.day(50))
            let dumps = try await store.dumps()
            for (user, instance) in [(anna, 1), (anna, 0), (ben, 1)] {
                let again = try await store.tell(Vouchers.pass("v1", sold: 20), of: user, via: instance)
                #expect(again.bound == [] && !again.isNew)
            }
            #expect(try await store.dumps() == dumps)
            let counts = try await store.schema.counts()
            #expect(counts["apple_iap_transactions"] == 0 && counts["signed_texts"] == 0 && counts["users"] == 1)
            let facts = try await store.ledger(of: anna).entries.map(\.fact)
            #expect(facts == [.stated(Vouchers.pass("v1", sold: 20)), .bound(Vouchers.key("v1"))])
            try await store.expectWhole()
        }
    }

    @Test func `a refund ends it, moves what waits behind it, and is known from when it was learned`() async throws {
        try await TestStore.withVouchers { store in
            try await store.tell(Vouchers.pass("v1", sold: 20), Vouchers.pass("v2", sold: 25), of: anna)
            try await store.attach(Sample.pass("1", day: 30), to: anna)
            #expect(
                try await days(store) == [
                    "voucher v1 anna day.30 pro 20 50", "voucher v2 anna day.30 pro 50 80",
                    "apple_iap 1 anna pass.30 pro 80 110",
                ])
            let before = store.clock.now
            store.clock.now = before + Instant.millisecondsPerDay
            // Whoever brings it, it reaches the owner.
            let refund = Vouchers.pass("v1", sold: 20, stated: 41, refunded: 40, share: 50_000)
            #expect(try await store.tell(refund, of: ben, via: 1).isNew)
            #expect(
                try await days(store) == [
                    "voucher v1 anna day.30 pro 20 40", "voucher v2 anna day.30 pro 40 70",
                    "apple_iap 1 anna pass.30 pro 70 100",
                ])
            let ledger = try await store.ledger(of: anna)
            let catalogue = store.instances[0].versionCache.snapshot
            let known = { (instant: Instant) in
                Timeline(folding: ledger.known(at: instant), given: catalogue, settings: Sample.settings)
                    .status(at: store.clock.now).expiresAt
            }
            #expect(known(before + 100) == Vouchers.day(110) && known(store.clock.now) == Vouchers.day(100))
            try await store.tell(Vouchers.pass("v1", sold: 20, stated: 42), of: anna)
            #expect(try await store.status(of: anna).expiresAt == Vouchers.day(110), "the kiosk took the refund back")
            try await store.expectWhole()
        }
    }

    @Test func `a season ticket is renewed, goes on in grace, and ends`() async throws {
        try await TestStore.withVouchers { store in
            try await store.tell(
                Vouchers.month("m1", of: "s1", from: 0), Vouchers.renewal(of: "s1", stated: 0), of: anna)
            store.clock.now = Vouchers.day(30)
            #expect(try await store.status(of: anna).state == .grace, "the renewal may be late")
            try await store.tell(Vouchers.month("m2", of: "s1", from: 30), of: anna, via: 1)
            #expect(try await days(store) == ["voucher s1 anna season basic 0 60"])
            #expect(try await store.status(of: anna).state == .active)
            try await store.tell(Vouchers.renewal(of: "s1", stated: 58, graceUntil: 70), of: anna)
            store.clock.now = Vouchers.day(65)
            let grace = try await store.status(of: anna)
            #expect(grace.state == .grace && grace.expiresAt == Vouchers.day(70))
            // What was stated before says nothing new, whenever it comes.
            try await store.tell(Vouchers.renewal(of: "s1", stated: 57, willRenew: false), of: anna, via: 1)
            #expect(try await store.status(of: anna).state == .grace)
            store.clock.now = Vouchers.day(66)
            try await store.tell(Vouchers.renewal(of: "s1", stated: 66, willRenew: false, end: .billing), of: anna)
            #expect(try await store.status(of: anna).state == .expired)
            try await store.tell(Vouchers.month("m2", of: "s1", from: 30, refunded: 40), of: anna)
            #expect(try await days(store) == ["voucher s1 anna season basic 0 40"])
            #expect(
                try await store.schema.number("SELECT COUNT(*) FROM ledger_entries WHERE kind = 'renewal_state'") == 4)
            try await store.expectWhole()
        }
    }

    @Test func `the order in which the kiosk's states arrive decides nothing, though only ledgers keep them`()
        async throws
    {
        try await TestStore.withVouchers { store in
            let states = [
                Vouchers.pass("v", sold: 20), Vouchers.pass("v", sold: 20, stated: 30, refunded: 30),
                Vouchers.pass("v", sold: 20, stated: 35), Vouchers.pass("v", sold: 20, stated: 36),
            ]
            for (number, order) in [[0, 1, 2, 3], [3, 2, 1, 0], [0, 2, 1, 3], [2, 0, 3, 1]].enumerated() {
                let (user, key) = (Sample.user("u\(number)"), Vouchers.key("v\(number)"))
                for state in order { try await store.tell(states[state].of(key), of: user, via: state % 2) }
                let status = try await store.status(of: user)
                #expect(status.expiresAt == Vouchers.day(55), "\(order)")
                #expect(status.active)
            }
            try await store.expectWhole()
        }
    }

    @Test func `it moves, and each holder learns what is theirs to know`() async throws {
        try await TestStore.withVouchers { store in
            try await store.tell(Vouchers.pass("v1", sold: 30), Vouchers.month("m1", of: "s1", from: 20), of: anna)
            try await store.transfer(.all, from: anna, to: ben)
            try await store.tell(Vouchers.pass("v1", sold: 30, stated: 41, refunded: 41), of: ben)
            try await store.tell(
                Vouchers.month("m2", of: "s1", from: 50), Vouchers.renewal(of: "s1", stated: 50), of: ben, via: 1)
            let (annas, bens) = try await (store.ledger(of: anna), store.ledger(of: ben))
            for ledger in [annas, bens] {
                #expect(ledger.entries.contains { $0.fact.state?.revocation != nil })
            }
            #expect(annas.entries.allSatisfy { $0.fact.state?.periodID != "m2" && $0.fact.renewal == nil })
            #expect(bens.entries.contains { $0.fact.renewal != nil })
            #expect(try await store.tell(Vouchers.renewal(of: "s1", stated: 50), of: anna).isNew == false)
            try await store.expectWhole()
        }
    }

    @Test func `its user is erased like anybody, and what the kiosk says later lands`() async throws {
        try await TestStore.withVouchers { store in
            try await store.tell(Vouchers.pass("v1", sold: 20), of: anna)
            let before = try await store.schema.dump("ledger_entries")
            let erased = try await store.erase(anna)
            #expect(try await store.schema.dump("ledger_entries") == before)
            #expect(try await store.tell(Vouchers.pass("v1", sold: 20), of: ben).bound == [])
            #expect(try await store.tell(Vouchers.pass("v1", sold: 20, stated: 41, refunded: 39), of: ben).isNew)
            #expect(try await store.status(of: erased).state == .expired)
            try await store.expectNothing(of: ["anna"])
            try await store.expectWhole()
            for edit in ["source = 'manual'", "external_id = 'v2'", "app = 'other'"] {
                try await store.schema.rows("CREATE OR REPLACE TABLE kept AS SELECT * FROM purchases")
                try await store.schema.rows("UPDATE purchases SET \(edit)")
                let faults = try await LedgerCheck(pool: store.pool).faults()
                #expect(faults.map(\.defect) == (1...3).map { .purchaseEdited(sequence: $0, row: 1) }, "\(edit)")
                try await store.schema.rows("REPLACE INTO purchases SELECT * FROM kept")
            }
        }
    }
}

extension Statement {
    /// The same of another voucher.
    fileprivate func of(_ key: PurchaseKey) -> Statement {
        guard let state else { return self }
        return .purchase(
            VerifiedPurchase(
                key: key, transactionID: TransactionID(key.externalID.text), productID: state.productID,
                otherNames: state.otherNames, type: state.type, purchasedAt: state.purchasedAt, price: state.price,
                revocation: state.revocation, signedAt: state.signedAt))
    }
}
