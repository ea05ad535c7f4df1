import Entitlements
import LedgerStore
import MariaDB
import Support
import Testing

/// Deliveries of three sources, each twice and in any order.
@Suite struct DeliveryWalkTests {
    /// A delivery, and the instance that is told.
    private struct Told {
        let id: UInt64
        let read: ReadDelivery
        let instance: Int
    }

    /// News of the kiosk, or of a second account of the same shape, about a user: a month of nobody, who its customer
    /// is, what paid for it, and that a charge went back.
    private static func months(of user: UserID, _ tag: String, in space: NumberSpace) -> [ReadDelivery] {
        let (ticket, transaction) = ("s" + tag, TransactionID("m" + tag))
        let key = space.key(ticket)
        let month = VerifiedPurchase(
            key: key, transactionID: transaction, isOriginal: true, periodID: transaction.text,
            productID: ProductID("season"), type: .plan, purchasedAt: Vouchers.day(0), expiresAt: Vouchers.day(30),
            signedAt: Vouchers.day(0))
        var (stated, named, paid, line) = (
            DeliveryNews(in: space), DeliveryNews(in: space), DeliveryNews(in: space), DeliveryNews(in: space)
        )
        (stated.about, stated.customer) = (key, Label("c" + tag))
        (named.users, named.customer) = ([user], Label("c" + tag))
        paid.numbers = [PurchaseNumber("pi" + tag, meaning: "in" + tag)]
        line.numbers = [PurchaseNumber("in" + tag, meaning: transaction, of: key.externalID)]
        var refund = DeliveryNews(in: space)
        refund.numbers = [PurchaseNumber("ch" + tag, meaning: "pi" + tag)]
        refund.takeback = TestStore.refund("ch" + tag, of: "pi" + tag).news.takeback
        return [ReadDelivery(stated, showing: [Evidence(.purchase(month))])]
            + [named, paid, line, refund].map { ReadDelivery($0) }
    }

    /// A notification of the App Store about a pass, before and after it is revoked, by the user's token.
    private static func passes(_ tag: String, _ token: AccountToken) -> [ReadDelivery] {
        [nil, 9].map { revokedDay in
            let pass = Sample.pass(tag, token: token, signedDay: revokedDay, revokedDay: revokedDay)
            var news = DeliveryNews(in: NumberSpace(source: .appleIAP, app: Sample.app, environment: .production))
            (news.about, news.token) = (pass.key, pass.accountToken)
            return ReadDelivery(news, showing: [OpenStore.evidence(pass)])
        }
    }

    @Test func `of 500 users' deliveries, each told twice and in any order, none stays parked`() async throws {
        try await TestStore.withVouchers { store in
            var chance = SeededChance("delivery walk")
            let cards = NumberSpace(source: .stripe, app: .cards, environment: .production)
            var told: [Told] = []
            for number in 1...500 {
                let (user, tag) = (Sample.user("u\(number)"), "\(number)")
                let news =
                    switch number % 3 {
                    case 0: Self.passes(tag, try await store.instances[0].tokens.token(of: user))
                    case 1: Self.months(of: user, tag, in: TestStore.kiosk)
                    default: Self.months(of: user, tag, in: cards)
                    }
                for (place, read) in news.enumerated() {
                    let delivery = TestStore.delivery("\(tag) \(place)", in: read.news.space)
                    let id = try await store.inbox().receive(delivery).id
                    told += [0, 1].map { Told(id: id, read: read, instance: $0) }
                }
            }
            told.shuffle(using: &chance)
            try await withThrowingTaskGroup(of: Void.self) { group in
                for (place, delivery) in told.enumerated() {
                    if place >= 24 { try await group.next() }
                    group.addTask { try await store.place(delivery.read, as: delivery.id, via: delivery.instance) }
                }
                try await group.waitForAll()
            }
            try await store.placeWoken(
                Dictionary(told.map { ($0.id, $0.read) }, uniquingKeysWith: { first, _ in first }))
            let parked = try await store.schema.rows(
                "SELECT source, external_id, reason FROM inbox_deliveries WHERE state = 'parked'")
            #expect(parked.isEmpty, "GATEPASS_TEST_SEED=\(TestRun.seed)")
            let owned = "SELECT COUNT(*) FROM purchases WHERE user_id IS NOT NULL"
            #expect(try await store.schema.number(owned) == 500)
        }
    }
}
