import Entitlements
import LedgerStore
import MariaDB
import Support
import Synchronization
import Testing

/// News of deliveries are kept with their outcomes, and whatever waits for them is tried again.
@Suite struct DeliveryPlacingTests {
    private static let anna = Sample.user("anna")
    private static let ben = Sample.user("ben")
    private static let month = Vouchers.month("m1", of: "s1", from: 0)

    private static func jobs(in store: TestStore) -> Jobs {
        Jobs(pool: store.pool, now: { store.clock.now }, jitter: { 1 })
    }

    private static func outcome(of delivery: UInt64, in store: TestStore) async throws -> String {
        let outcome = try await store.inbox().outcome(of: delivery)
        return [outcome?.result.rawValue, outcome?.reason?.rawValue].compactMap(\.self).joined(separator: " ")
    }

    @Test func `a refund waits for each number on its way, and is due as soon as that is known`() async throws {
        try await TestStore.withVouchers { store in
            let refund = TestStore.refund("charge", of: "payment")
            let waiting = try await store.receive("refund")
            #expect(try await store.place(refund, as: waiting) == "parked no_purchase")
            #expect(try await store.schema.counts()["jobs"] == 0, "its own numbers do not wake it")
            let tellings = [
                TestStore.news(telling: PurchaseNumber("payment", meaning: "invoice")),
                TestStore.news(
                    telling: PurchaseNumber("invoice", meaning: TransactionID("m1"), of: ExternalID("s1"))),
                TestStore.news(about: "s1", naming: Self.anna, stating: Self.month),
            ]
            for (place, telling) in tellings.enumerated() {
                let told = try await store.receive("\(place)")
                for isNew in [true, false] {
                    let told = try await store.place(telling, as: told)
                    #expect(told == (isNew || place < 2 ? "applied" : "duplicate"))
                    let due = try await Self.jobs(in: store).take(9, of: .delivery).map(\.subject)
                    #expect(due == (isNew ? [waiting] : []), "\(place)")
                    guard isNew else { continue }
                    let outcome = try await store.place(refund, as: waiting)
                    #expect(outcome == (place == 2 ? "applied" : "parked no_purchase"))
                }
            }
            #expect(try await store.ledger(of: Self.anna).entries.count == 3)
            #expect(try await store.place(refund, as: waiting) == "duplicate")
            #expect(try await store.schema.counts()["mentions"] == 0)
        }
    }

    @Test func `a customer once named stays, and whatever waits for the customer is the same user's`() async throws {
        try await TestStore.withVouchers { store in
            let customer = Label("customer")
            let month = try await store.receive("month")
            let unnamed = TestStore.news(about: "s1", customer: customer, stating: Self.month)
            #expect(try await store.place(unnamed, as: month) == "parked no_user")
            let named = TestStore.news(naming: Self.anna, customer: customer)
            #expect(try await store.place(named, as: store.receive("anna")) == "applied")
            try await store.placeWoken([month: unnamed])
            #expect(try await Self.outcome(of: month, in: store) == "applied")
            #expect(try await store.ledger(of: Self.anna).entries.count == 2)
            let other = TestStore.news(naming: Self.ben, customer: customer)
            #expect(try await store.place(other, as: store.receive("ben")) == "ignored contradicted")
            let users = try await store.schema.rows("SELECT user_id FROM users")
            #expect(users == [["anna"]], "nobody is made known of whom nothing is recorded")
        }
    }

    @Test func `a purchase that an operator binds names its customer, whose later purchases are theirs`() async throws {
        try await TestStore.withVouchers { store in
            let customer = Label("customer")
            let first = try await store.receive("first")
            let second = try await store.receive("second", mentioning: [customer.text])
            let months = ["s1", "s2"].map { ticket in
                TestStore.news(
                    about: ticket, customer: customer, stating: Vouchers.month("m-" + ticket, of: ticket, from: 0))
            }
            for (read, delivery) in zip(months, [first, second]) {
                #expect(try await store.place(read, as: delivery) == "parked no_user")
            }
            _ = try await store.ledger.record(for: [Self.anna], keys: [Vouchers.key("s1")]) { history, _ in
                OperatorAct(on: Self.anna, note: Sample.note).bind(Vouchers.key("s1"), given: history)
            }
            try await store.placeWoken([first: months[0], second: months[1]])
            for delivery in [first, second] { #expect(try await Self.outcome(of: delivery, in: store) == "applied") }
            try await store.erase(Self.anna)
            for delivery in [first, second] {
                #expect(try await store.inbox().content(of: delivery)?.text == nil)
            }
            let later = try await store.receive("later", mentioning: [customer.text])
            try await store.place(TestStore.news(customer: customer), as: later)
            #expect(try await store.inbox().content(of: later)?.text == nil)
        }
    }

    @Test func `a text that names a guest goes with the user into whom the guest was merged`() async throws {
        try await TestStore.withVouchers { store in
            let guest = Sample.user("guest")
            let session = try await store.receive("session", mentioning: [Sample.labels.mention(of: guest).text])
            #expect(try await store.place(TestStore.news(naming: guest), as: session) == "ignored")
            try await store.tell(Vouchers.pass("v1", sold: 20), of: guest)
            try await store.merge(guest, into: Self.anna)
            try await store.erase(Self.anna)
            #expect(try await store.inbox().content(of: session)?.text == nil)
        }
    }

    @Test func `a name of a person who was erased makes nobody known`() async throws {
        try await TestStore.withVouchers { store in
            let named = TestStore.news(about: "s1", naming: Self.anna, stating: Self.month)
            #expect(try await store.place(named, as: store.receive("1")) == "applied")
            try await store.erase(Self.anna)
            let again = TestStore.news(
                about: "s2", naming: Self.anna, customer: Label("c"), stating: Vouchers.month("m2", of: "s2", from: 0))
            #expect(try await store.place(again, as: store.receive("2")) == "parked no_user")
            #expect(try await store.schema.number("SELECT COUNT(*) FROM users WHERE user_id IS NOT NULL") == 0)
        }
    }

    @Test func `numbers count in their own account only`() async throws {
        try await TestStore.withVouchers { store in
            let line = PurchaseNumber("invoice", meaning: TransactionID("m1"), of: ExternalID("s1"))
            let told = TestStore.news(about: "s1", naming: Self.anna, telling: line, stating: Self.month)
            let first = try await store.place(told, as: store.receive("1"))
            var news = DeliveryNews(
                in: NumberSpace(source: Vouchers.source, app: Sample.app, environment: .sandbox))
            news.takeback = TestStore.refund("charge", of: "invoice").news.takeback
            let second = try await store.place(ReadDelivery(news), as: store.receive("2"))
            #expect([first, second] == ["applied", "parked no_purchase"])
        }
    }

    @Test(arguments: [PacketProxy.Fault.cutBeforeCommit, .cutAfterCommit])
    func `a commit that went unanswered places a delivery once`(fault: PacketProxy.Fault) async throws {
        try await TestStore.openBehindProxy { store, proxy in
            for round in 1...5 {
                let delivery = try await store.receive("\(round)")
                proxy.inject(fault, count: 1)
                let named = TestStore.news(
                    about: "s\(round)", naming: Self.anna, customer: Label("c\(round)"),
                    stating: Vouchers.month("m\(round)", of: "s\(round)", from: 0))
                #expect(try await store.place(named, as: delivery) == "applied")
            }
            #expect(try await store.schema.number("SELECT COUNT(*) FROM ledger_entries") == 10)
            #expect(try await store.schema.number("SELECT COUNT(*) FROM inbox_deliveries WHERE state = 'applied'") == 5)
        }
    }

    @Test func `a text in any alphabet is kept, and goes with the customer whom it mentions`() async throws {
        try await TestStore.withVouchers { store in
            let customer = Label("customer")
            let stored = try await store.receive("1", mentioning: [customer.text])
            #expect(try await store.inbox().content(of: stored)?.text == "Zoë 1")
            try await store.place(TestStore.news(naming: Self.anna, customer: customer), as: stored)
            try await store.tell(Vouchers.pass("v1", sold: 20), of: Self.anna)
            try await store.erase(Self.anna)
            #expect(try await store.inbox().content(of: stored)?.text == nil)
        }
    }
}
