import Crypto
import Entitlements
import LedgerStore
import MariaDB
import Support
import Testing

/// What deliveries tell of money is kept with them, and the newest of a number counts.
@Suite(.serialized) struct PaymentAmountRowTests {
    private static let ticket = Vouchers.key("ticket")

    private static func amount(
        _ number: String, _ kind: PaymentAmount.Kind = .charge, of target: String? = "ticket", paid: Int64? = 999,
        back: Int64 = 0, at told: Int64 = 1, isRaw: Bool = false
    ) -> PaymentAmount {
        let at = Instant(milliseconds: told)
        return PaymentAmount(
            number, kind, of: target, paid: paid, refunded: back, currency: "EUR", isRaw: isRaw, madeAt: at, toldAt: at)
    }

    /// Stores a delivery of the kiosk that tells an amount, and does not place it. Throws when the database is away.
    private static func receive(
        _ amount: PaymentAmount?, as id: String, in space: NumberSpace = TestStore.kiosk, _ store: TestStore
    ) async throws {
        _ = try await store.inbox().receive(
            InboxDelivery(
                source: space.source, app: space.app, environment: space.environment, externalID: id, type: "t",
                subtype: nil, signedAt: Sample.epoch, about: nil, telling: amount, text: .body(Array(id.utf8)),
                contentDigest: Array(SHA256.hash(data: Array(id.utf8)))))
    }

    private static func payments(_ store: TestStore, for key: PurchaseKey = ticket) async throws -> [String] {
        try await store.inbox().payments(for: [key])[key, default: []].map { payment in
            "\(payment.number) \(payment.paid ?? -1) back \(payment.refunded)" + (payment.isRaw ? " raw" : "")
        }
    }

    @Test func `the newest counts, of one date the larger, in any order and told again`() async throws {
        let told = [
            Self.amount("c", at: 1), Self.amount("c", back: 100, at: 3), Self.amount("c", back: 300, at: 3),
            Self.amount("c", paid: nil, back: 500, at: 2),
        ]
        try await TestStore.open { store in
            for (number, order) in permutations(of: told.count).enumerated() {
                for (place, index) in (order + order).enumerated() {
                    try await Self.receive(told[index], as: "\(number)-\(place)", store)
                }
                #expect(try await Self.payments(store) == ["ticket 999 back 300"])
                try await store.schema.rows("DELETE FROM payment_amounts")
            }
        }
    }

    @Test func `money is kept of what is parked, ignored or quarantined, once`() async throws {
        try await TestStore.open { store in
            try await Self.receive(Self.amount("c"), as: "first", store)
            try await store.schema.rows("UPDATE inbox_deliveries SET state = 'quarantined', reason = 'failed'")
            try await Self.receive(Self.amount("c"), as: "first", store)
            try await store.schema.rows("UPDATE inbox_deliveries SET state = 'ignored', reason = NULL")
            try await Self.receive(Self.amount("c", paid: 5, at: 9), as: "first", store)
            #expect(try await Self.payments(store) == ["ticket 999 back 0"], "a repeat of what is settled")
            try await Self.receive(nil, as: "silent", store)
            #expect(try await store.schema.number("SELECT COUNT(*) FROM payment_amounts") == 1)
        }
    }

    @Test func `numbers that deliveries and amounts tell lead to amounts, those of others do not`() async throws {
        try await TestStore.open { store in
            let id = try await store.receive("links")
            let news = TestStore.news(
                about: "ticket", naming: Sample.user("anna"),
                telling: PurchaseNumber("invoice", meaning: TransactionID("ticket"), of: ExternalID("ticket")),
                PurchaseNumber("payment", meaning: "invoice"), stating: Vouchers.pass("ticket", sold: 1))
            #expect(try await store.place(news, as: id) == "applied")
            try await Self.receive(Self.amount("charge", of: "payment", back: 10, at: 2), as: "charge", store)
            #expect(try await Self.payments(store) == ["ticket 999 back 10"], "before the invoice's own amount")
            try await Self.receive(Self.amount("invoice", .invoice, paid: 1_998, at: 3), as: "invoice", store)
            try await Self.receive(Self.amount("lone", .invoice, paid: 5, isRaw: true), as: "lone", store)
            try await Self.receive(Self.amount("shop", .checkout, paid: 5), as: "shop", store)
            #expect(try await Self.payments(store) == ["invoice 1998 back 10", "lone 5 back 0 raw"])
            var others = [TestStore.kiosk, TestStore.kiosk, TestStore.kiosk]
            others[0] = NumberSpace(source: .stripe, app: others[0].app, environment: others[0].environment)
            others[1] = NumberSpace(source: others[1].source, app: AppID("b"), environment: others[1].environment)
            others[2] = NumberSpace(source: others[2].source, app: others[2].app, environment: .sandbox)
            for (number, other) in others.enumerated() {
                try await Self.receive(
                    Self.amount("charge", of: "payment", paid: 1, back: 1, at: 99), as: "other \(number)", in: other,
                    store)
                try await Self.receive(Self.amount("more", paid: 1), as: "more \(number)", in: other, store)
            }
            #expect(try await Self.payments(store) == ["invoice 1998 back 10", "lone 5 back 0 raw"])
            #expect(try await Self.payments(store, for: Vouchers.key("nobody's")) == [])
            let read = try await store.inbox().payments(for: [Vouchers.key("a"), Self.ticket, Vouchers.key("b")])
            #expect(read.keys.map(\.externalID.text) == ["ticket"])
            #expect(try await store.inbox().payments(for: []) == [:])
        }
    }

    @Test func `amounts are exported with the person's purchases, and stay when the person is erased`() async throws {
        try await TestStore.open { store in
            let id = try await store.receive("links")
            let news = TestStore.news(
                about: "ticket", naming: Sample.user("anna"), stating: Vouchers.pass("ticket", sold: 1))
            #expect(try await store.place(news, as: id) == "applied")
            try await Self.receive(Self.amount("charge", back: 10, at: 2), as: "charge", store)
            try await Self.receive(Self.amount("bens", of: "other"), as: "bens", store)
            let export = Export(pool: store.pool, labels: Sample.labels)
            let document = try #require(try await export.document(of: Sample.user("anna")))
            let payment =
                #""payments":[{"source": "voucher", "environment": "Production", "number": "charge", "#
                + #""kind": "charge", "pays_for": "ticket", "paid": 999, "refunded": 10, "unit": "milliunits", "#
                + #""currency": "EUR", "made_at_ms": 2, "told_at_ms": 2}]"#
            #expect(document.contains(payment), "\(document)")
            try await store.erase(Sample.user("anna"))
            #expect(try await Self.payments(store) == ["ticket 999 back 10"])
        }
    }

    @Test func `an amount is stored with its delivery or not at all`() async throws {
        try await TestStore.open { store in
            try await store.schema.rows("RENAME TABLE payment_amounts TO amounts_away")
            await #expect(throws: ServiceFailure.self) {
                try await Self.receive(Self.amount("c"), as: "lost", store)
            }
            try await store.schema.rows("RENAME TABLE amounts_away TO payment_amounts")
            #expect(try await store.schema.number("SELECT COUNT(*) FROM inbox_deliveries") == 0)
            try await Self.receive(Self.amount("c"), as: "lost", store)
            #expect(try await Self.payments(store) == ["ticket 999 back 0"])
        }
    }
}
