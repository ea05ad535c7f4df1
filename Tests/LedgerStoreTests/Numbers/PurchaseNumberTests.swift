import Crypto
import Entitlements
import LedgerStore
import MariaDB
import Support
import Testing

/// What numbers of a source lead to, and that nothing waits for one that is known.
@Suite struct PurchaseNumberTests {
    private static let space = NumberSpace(source: Vouchers.source, app: Sample.app, environment: .production)

    private static func inbox(in store: TestStore) -> Inbox {
        Inbox(pool: store.pool, now: { store.clock.now }, realNow: { store.clock.now })
    }

    private static func delivery(_ id: String, mentioning mentions: [String] = []) -> InboxDelivery {
        let digest = Array(SHA256.hash(data: Array(id.utf8)))
        return InboxDelivery(
            source: Vouchers.source, app: Sample.app, environment: .production, externalID: id, type: "t", subtype: nil,
            signedAt: Sample.epoch, about: nil, mentioning: mentions,
            text: .body(Array("Zoë \(id)".utf8)), contentDigest: digest)
    }

    /// Writes rows beside the ledgers, as a decision does. Throws when the database is away.
    private func write(
        _ rows: any SideRow..., saying statements: [Statement] = [], for users: Set<UserID> = [], in store: TestStore
    ) async throws {
        _ = try await store.ledger.record(statements.map { Evidence($0) }, for: users) {
            _ -> Decision<Bool, Never> in
            Decision(sideRows: rows, answer: .success(true))
        }
    }

    /// What is found, in words. Throws when the database is away.
    private func found(_ numbers: String..., in store: TestStore) async throws -> String {
        let search = try await PurchaseNumbers(pool: store.pool).find(numbers, in: Self.space)
        let purchases = search.purchases.map { purchase in
            let transactions = purchase.transactions.map { $0.sorted().map(\.text).joined(separator: "+") } ?? "whole"
            return "\(purchase.key.externalID) \(transactions) \(purchase.owner?.text ?? "-") \(purchase.waiting.count)"
        }
        return (purchases + search.unknown.map { "?" + $0 }).joined(separator: ", ")
    }

    @Test func `a number leads through others to a purchase or to some of its transactions`() async throws {
        try await TestStore.withVouchers { store in
            #expect(try await found("charge", "v1", in: store) == "?charge, ?v1")
            try await write(
                NumbersLearned(
                    [
                        PurchaseNumber("charge", meaning: "payment"), PurchaseNumber("payment", meaning: "invoice"),
                        PurchaseNumber("round", meaning: "about"), PurchaseNumber("about", meaning: "round"),
                    ], of: nil, in: Self.space), in: store)
            #expect(try await found("charge", in: store) == "?invoice, ?charge, ?payment")
            #expect(try await found("round", in: store) == "?round, ?about")
            let lines = ["m1", "m2"].map {
                PurchaseNumber("invoice", meaning: TransactionID($0), of: ExternalID("s1"))
            }
            for _ in 1...2 { try await write(NumbersLearned(lines, of: nil, in: Self.space), in: store) }
            #expect(try await found("charge", in: store) == "?s1", "nothing was stated of it")
            try await write(saying: [Vouchers.month("m1", of: "s1", from: 0)], in: store)
            #expect(try await found("charge", in: store) == "s1 m1+m2 - 1")
            try await store.tell(Vouchers.month("m2", of: "s1", from: 30), of: Sample.user("anna"))
            #expect(try await found("charge", "v1", in: store) == "s1 m1+m2 anna 0, ?v1")
            #expect(try await found("s1", in: store) == "s1 whole anna 0")
            let other = NumberSpace(source: Vouchers.source, app: Sample.app, environment: .sandbox)
            let elsewhere = try await PurchaseNumbers(pool: store.pool).find(["charge"], in: other)
            #expect(elsewhere.purchases.isEmpty && elsewhere.unknown == ["charge"])
        }
    }

    @Test func `what waits for the numbers that it tells itself is tried once more, and not for ever`() async throws {
        try await TestStore.withVouchers { store in
            let refund = try await Self.inbox(in: store).receive(Self.delivery("refund"))
            let parked = DeliveryOutcome(
                of: refund.id, DeliveryStanding(.parked, because: .noPurchase), awaiting: ["charge", "payment"])
            let told = NumbersLearned(
                [PurchaseNumber("charge", meaning: "payment")], of: nil, in: Self.space)
            let jobs = Jobs(pool: store.pool, now: { store.clock.now }, jitter: { 1 })
            for tries in [1, 0, 0] {
                try await write(parked, told, in: store)
                #expect(try await jobs.take(9).count == tries)
            }
            #expect(try await store.schema.number("SELECT COUNT(*) FROM jobs") == 0)
        }
    }

    @Test func `what becomes known while a delivery that waits for it is tried has it tried again`() async throws {
        try await TestStore.withVouchers { store in
            let refund = try await Self.inbox(in: store).receive(Self.delivery("refund"))
            let parked = DeliveryOutcome(
                of: refund.id, DeliveryStanding(.parked, because: .noPurchase), awaiting: ["charge"])
            try await write(parked, in: store)
            try await write(
                NumbersLearned([PurchaseNumber("charge", meaning: "payment")], of: nil, in: Self.space), in: store)
            // A try that was decided before parks it once more.
            try await write(parked, in: store)
            let jobs = Jobs(pool: store.pool, now: { store.clock.now }, jitter: { 1 })
            #expect(try await jobs.take(9).map(\.subject) == [refund.id])
            try await write(DeliveryOutcome(of: refund.id, DeliveryStanding(.applied)), in: store)
            #expect(try await store.schema.number("SELECT COUNT(*) FROM jobs") == 0)
        }
    }

    @Test func `what waits for a number, a purchase or a customer is due as soon as that is known`() async throws {
        try await TestStore.withVouchers { store in
            let inbox = Self.inbox(in: store)
            let jobs = Jobs(pool: store.pool, now: { store.clock.now }, jitter: { 1 })
            let anna = Sample.user("anna")
            let customer = Label("label of a customer")
            let awaited = ["invoice", "s1", customer.text]
            var waiting: [UInt64] = []
            for name in awaited {
                let stored = try await inbox.receive(Self.delivery("waits for " + name))
                try await write(
                    DeliveryOutcome(
                        of: stored.id, DeliveryStanding(.parked, because: .noPurchase), awaiting: [name]), in: store)
                waiting.append(stored.id)
            }
            #expect(try await jobs.take(9).isEmpty)
            let number = PurchaseNumber("invoice", meaning: TransactionID("m1"), of: ExternalID("s1"))
            try await write(NumbersLearned([number], of: nil, in: Self.space), in: store)
            #expect(try await jobs.take(9).map(\.subject) == [waiting[0]])
            try await write(
                NumbersLearned([], of: ExternalID("s1"), in: Self.space),
                saying: [Vouchers.month("m1", of: "s1", from: 0)], in: store)
            #expect(try await jobs.take(9).map(\.subject) == [waiting[1]])
            #expect(try await inbox.holder(of: customer) == nil)
            try await write(CustomerRemembered(customer, is: anna, in: Self.space), for: [anna], in: store)
            #expect(try await jobs.take(9).map(\.subject) == [waiting[2]])
            #expect(try await inbox.holder(of: customer) == anna)
            let ben = Sample.user("ben")
            try await write(CustomerRemembered(customer, is: ben, in: Self.space), for: [ben], in: store)
            #expect(try await inbox.holder(of: customer) == anna, "who is named stays")
        }
    }

    @Test func `what waits is woken once by what becomes known, and never by what was known`() async throws {
        try await TestStore.withVouchers { store in
            let jobs = Jobs(pool: store.pool, now: { store.clock.now }, jitter: { 1 })
            let stored = try await Self.inbox(in: store).receive(Self.delivery("waits"))
            let parked = DeliveryOutcome(
                of: stored.id, DeliveryStanding(.parked, because: .noPurchase), awaiting: ["charge", "payment"])
            let charge = NumbersLearned([PurchaseNumber("charge", meaning: "payment")], of: nil, in: Self.space)
            try await write(parked, in: store)
            for isNew in [true, false] {
                try await write(charge, in: store)
                #expect(try await jobs.take(9).map(\.subject) == (isNew ? [stored.id] : []))
                try await write(parked, in: store)
                #expect(try await store.schema.counts()["jobs"] == 0)
            }
            // A delivery that says what it waits for does not wake itself, as long as it says so first.
            let again = try await Self.inbox(in: store).receive(Self.delivery("waits for its own"))
            let own = NumbersLearned([PurchaseNumber("own", meaning: "other")], of: nil, in: Self.space)
            try await write(
                own, DeliveryOutcome(of: again.id, DeliveryStanding(.parked, because: .noPurchase), awaiting: ["own"]),
                in: store)
            #expect(try await store.schema.counts()["jobs"] == 0)
        }
    }

    @Test func `what becomes known while a delivery is decided is not slept through, nor by one that was given up`()
        async throws
    {
        try await TestStore.withVouchers { store in
            let jobs = Jobs(pool: store.pool, now: { store.clock.now }, jitter: { 1 })
            let stored = try await Self.inbox(in: store).receive(Self.delivery("waits"))
            let standing = DeliveryStanding(.parked, because: .noPurchase)
            let (first, second) = (
                DeliveryOutcome(of: stored.id, standing, awaiting: ["invoice"], isLookedAtAgain: true),
                DeliveryOutcome(of: stored.id, standing, awaiting: ["invoice"])
            )
            try await write(first, in: store)
            #expect(try await store.schema.counts()["jobs"] == 1, "should nobody look again, the job does")
            // It was looked for before it was known, and is written after that.
            let number = PurchaseNumber("invoice", meaning: TransactionID("m1"), of: ExternalID("s1"))
            try await write(NumbersLearned([number], of: nil, in: Self.space), in: store)
            try await write(second, in: store)
            #expect(try await jobs.take(9).map(\.subject) == [stored.id])
            // Woken as often as it may be tried, it is woken again.
            try await write(
                DeliveryOutcome(of: stored.id, standing, awaiting: ["s1"]),
                NumbersLearned([], of: ExternalID("s1"), in: Self.space), in: store)
            for attempt in 1...Jobs.maximumAttempts {
                let taken = try await jobs.take(9)
                #expect(taken.map(\.attempt) == [attempt])
                for job in taken { try await jobs.fail(job) }
                store.clock.now = store.clock.now + 600_000
            }
            #expect(try await jobs.take(9) == [])
            try await write(NumbersLearned([], of: ExternalID("s1"), in: Self.space), in: store)
            #expect(try await jobs.take(9).map(\.attempt) == [1])
        }
    }

    @Test func `a text in any alphabet is kept, and goes with the customer whom it mentions`() async throws {
        try await TestStore.withVouchers { store in
            let (inbox, anna, customer) = (Self.inbox(in: store), Sample.user("anna"), Label("customer"))
            let stored = try await inbox.receive(Self.delivery("1", mentioning: [customer.text]))
            #expect(try await inbox.content(of: stored.id)?.text == "Zoë 1")
            try await write(DeliveryOutcome(of: stored.id, DeliveryStanding(.ignored)), in: store)
            try await write(CustomerRemembered(customer, is: anna, in: Self.space), for: [anna], in: store)
            try await store.tell(Vouchers.pass("v1", sold: 20), of: anna)
            try await store.erase(anna)
            #expect(try await inbox.content(of: stored.id)?.text == nil)
            let later = try await inbox.receive(Self.delivery("2", mentioning: [customer.text]))
            try await write(DeliveryOutcome(of: later.id, DeliveryStanding(.ignored)), in: store)
            #expect(try await inbox.content(of: later.id)?.text == nil)
        }
    }
}
