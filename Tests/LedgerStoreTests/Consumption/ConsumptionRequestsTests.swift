import Entitlements
import LedgerStore
import MariaDB
import Support
import Testing

/// The App Store's questions about consumption, each kept with the delivery that asks it (`semantics.md` §5).
@Suite struct ConsumptionRequestsTests {
    private static let anna = Sample.user("anna")
    private static let ben = Sample.user("ben")
    private static let hours = Instant.millisecondsPerHour

    /// The news of a question about a pass.
    private static func asking(
        _ id: String = "1", transaction: String? = nil, after milliseconds: Int64 = 0, day: Int = 40,
        in environment: StoreEnvironment = .production
    ) -> ReadDelivery {
        let state = Sample.pass(id, day: 30, in: environment)
        var news = DeliveryNews(in: state.key.space)
        news.about = state.key
        let askedAt = Sample.epoch + Int64(day) * Instant.millisecondsPerDay + milliseconds
        news.question = ConsumptionQuestion(
            about: TransactionID(transaction ?? id), of: state.key, askedAt: askedAt)
        return ReadDelivery(news, showing: [OpenStore.evidence(state)])
    }

    private static func requests(_ store: TestStore, _ instance: Int = 0) -> ConsumptionRequests {
        ConsumptionRequests(pool: store.instances[instance].pool, now: { store.clock.now })
    }

    private static func page(
        _ store: TestStore, _ state: ConsumptionRequest.State? = nil, of user: UserID? = nil
    ) async throws -> [ConsumptionRequest] {
        try await OperatorReader(pool: store.pool)
            .consumptionRequests(state, of: user, before: nil, limit: 50).rows
    }

    private static let number = "SELECT COUNT(*) FROM consumption_requests"
    private static let jobs = "SELECT COUNT(*) FROM jobs WHERE kind = 'consumption'"

    private static func receive(_ id: String, _ read: ReadDelivery, in store: TestStore) async throws -> UInt64 {
        let delivery = TestStore.delivery(id, in: read.news.space)
        return try await store.inbox().receive(delivery).id
    }

    private static func place(
        _ id: String, _ read: ReadDelivery, in store: TestStore, via instance: Int = 0
    ) async throws {
        let delivery = try await receive(id, read, in: store)
        try await store.place(read, as: delivery, via: instance)
    }

    private static func answer(_ share: Int?) -> ConsumptionAnswer {
        ConsumptionAnswer(isDelivered: true, share: share, preference: .grantProrated, providesSamples: false)
    }

    @Test func `a question and its job are written when its delivery is placed, and are there once`() async throws {
        try await TestStore.open { store in
            try await store.attach(Sample.pass("1", day: 30), to: Self.anna)
            let delivery = try await Self.receive("d", Self.asking(), in: store)
            #expect(try await store.schema.number(Self.number) == 0, "the delivery's own job places it")
            for _ in 1...2 {
                try await store.place(Self.asking(), as: delivery)
                #expect(try await store.schema.number(Self.number) == 1)
                #expect(try await store.schema.number(Self.jobs) == 1)
            }
            let jobs = Jobs(pool: store.pool, now: { store.clock.now }, jitter: { 1 })
            let job = try #require(try await jobs.take(4, of: .consumption).first)
            let open = try #require(try await Self.requests(store).open(job.subject))
            #expect(open.question == Self.asking().news.question && open.owner == Self.anna)
            let listed = try #require(try await Self.page(store).first)
            #expect(listed.state == .open && listed.owner == Self.anna && listed.consent == nil)
            #expect(listed.deadline == open.question.askedAt + 12 * Self.hours)
        }
    }

    @Test(arguments: [PacketProxy.Fault.cutBeforeCommit, .cutAfterCommit])
    func `a commit that went unanswered keeps a question once`(fault: PacketProxy.Fault) async throws {
        try await TestStore.openBehindProxy { store, proxy in
            for round in 1...3 {
                let read = Self.asking("\(round)")
                let delivery = try await Self.receive("\(round)", read, in: store)
                proxy.inject(fault, count: 1)
                try await store.place(read, as: delivery)
            }
            #expect(try await store.schema.number(Self.number) == 3)
            #expect(try await store.schema.number(Self.jobs) == 3)
        }
    }

    @Test func `a repeat within twelve hours is one question, and a later one is new`() async throws {
        try await TestStore.open { store in
            let asked: [(ReadDelivery, Int)] = [
                (Self.asking(), 1), (Self.asking(after: 1), 1), (Self.asking(after: 12 * Self.hours - 1), 1),
                (Self.asking(after: -12 * Self.hours + 1), 1), (Self.asking(after: 12 * Self.hours), 2),
                (Self.asking(after: 20 * Self.hours), 2), (Self.asking(after: -12 * Self.hours), 3),
                (Self.asking(transaction: "1.2"), 4), (Self.asking("2"), 5),
                (Self.asking(in: .sandbox), 6), (Self.asking(after: 299_999, in: .sandbox), 6),
                (Self.asking(after: 300_000, in: .sandbox), 7),
            ]
            for (place, (read, count)) in asked.enumerated() {
                try await Self.place("\(place)", read, in: store)
                #expect(try await store.schema.number(Self.number) == count, "\(place)")
                #expect(try await store.schema.number(Self.jobs) == count, "\(place)")
            }
        }
    }

    @Test func `repeats that two instances place at once are one question`() async throws {
        try await TestStore.open(instances: 2) { store in
            var deliveries: [UInt64] = []
            for number in 0..<12 {
                deliveries.append(try await Self.receive("\(number)", Self.asking(), in: store))
            }
            try await withThrowingTaskGroup(of: Void.self) { group in
                for (number, delivery) in deliveries.enumerated() {
                    let read = Self.asking(after: Int64(number))
                    group.addTask { try await store.place(read, as: delivery, via: number % 2) }
                }
                try await group.waitForAll()
            }
            #expect(try await store.schema.number(Self.number) == 1)
            #expect(try await store.schema.number(Self.jobs) == 1)
        }
    }

    @Test func `of workers on two instances one has the question`() async throws {
        try await TestStore.open(instances: 2) { store in
            try await Self.place("d", Self.asking(), in: store)
            let taken = try await withThrowingTaskGroup(of: Int.self) { group in
                for worker in 0..<8 {
                    group.addTask {
                        let pool = store.instances[worker % 2].pool
                        let jobs = Jobs(pool: pool, now: { store.clock.now }, jitter: { 1 })
                        return try await jobs.take(4, of: .consumption).count
                    }
                }
                return try await group.reduce(0, +)
            }
            #expect(taken == 1)
        }
    }

    @Test func `a question is decided once, and its job goes`() async throws {
        try await TestStore.open(instances: 2) { store in
            try await store.attach(Sample.pass("1", day: 30), to: Self.anna)
            try await Self.place("d", Self.asking(), in: store)
            let id = try #require(try await Self.page(store).first).id
            let told = ConsumptionOutcome(consent: true, answer: Self.answer(70_000))
            try await Self.requests(store).decide(id, as: told, about: Self.anna)
            let late = ConsumptionOutcome(consent: true, silence: .late)
            try await Self.requests(store, 1).decide(id, as: late, about: Self.anna)
            #expect(try await Self.requests(store).open(id) == nil)
            let listed = try #require(try await Self.page(store, .answered, of: Self.anna).first)
            #expect(listed.answer == Self.answer(70_000) && listed.silence == nil && listed.consent == true)
            #expect(listed.decidedAt == store.clock.now && listed.refusal == nil)
            #expect(try await store.schema.number(Self.jobs) == 0)
            try await Self.place("again", Self.asking(after: 1), in: store)
            #expect(try await store.schema.number(Self.jobs) == 0, "an answered question is not asked again")
        }
    }

    @Test func `a question is about whoever has the purchase when it is answered`() async throws {
        try await TestStore.open { store in
            try await store.attach(Sample.pass("1", day: 30), to: Self.anna)
            try await Self.place("d", Self.asking(), in: store)
            let id = try #require(try await Self.page(store, of: Self.anna).first).id
            try await store.transfer(.one(PurchaseName(ExternalID("1"))), from: Self.anna, to: Self.ben)
            #expect(try await Self.requests(store).open(id)?.owner == Self.ben)
            let refused = ConsumptionOutcome(
                consent: true, silence: .refused, answer: Self.answer(nil), refusal: 4_000_047)
            try await Self.requests(store).decide(id, as: refused, about: Self.ben)
            #expect(try await Self.page(store, of: Self.anna).isEmpty)
            let listed = try #require(try await Self.page(store, .unanswered, of: Self.ben).first)
            #expect(listed.refusal == 4_000_047 && listed.answer == Self.answer(nil) && listed.silence == .refused)
        }
    }

    @Test func `a purchase that nobody has is asked about, and so is one of an erased person`() async throws {
        try await TestStore.open { store in
            try await Self.place("d", Self.asking("free"), in: store)
            try await store.attach(Sample.pass("gone", day: 30), to: Self.anna)
            try await store.erase(Self.anna)
            try await Self.place("e", Self.asking("gone"), in: store)
            let listed = try await Self.page(store)
            #expect(listed.map(\.owner) == [nil, nil])
            let owners = try await [
                Self.requests(store).open(listed[1].id)?.owner, Self.requests(store).open(listed[0].id)?.owner,
            ]
            #expect(owners[0] == nil && owners[1]?.isErased == true)
            #expect(try await store.schema.number("SELECT COUNT(*) FROM consumption_requests WHERE user_id > 0") == 0)
        }
    }

    @Test func `questions go with the person, are counted before, and are exported`() async throws {
        try await TestStore.open { store in
            try await store.attach(Sample.pass("1", day: 30), to: Self.anna)
            try await Self.place("d", Self.asking(), in: store)
            let id = try #require(try await Self.page(store).first).id
            let export = Export(pool: store.pool, labels: Sample.labels)
            let document = try #require(try await export.document(of: Self.anna))
            #expect(
                document.contains(#""consumption_requests":[{"app": "com.airport.vpn", "environment": "Production""#))
            let erasure = TestOperators(store).erasure(at: store.clock.now)
            let preview = try #require(try await erasure.preview(Self.anna))
            #expect(preview.contains { $0.table == "consumption_requests" && $0.rows == 1 })
            try await store.erase(Self.anna)
            #expect(try await store.schema.number(Self.number) == 0)
            #expect(try await Self.requests(store).open(id) == nil)
            #expect(try await store.schema.number(Self.jobs) == 0, "a job about nothing is removed")
            let told = ConsumptionOutcome(consent: true, answer: Self.answer(1))
            try await Self.requests(store).decide(id, as: told, about: Self.anna)
            #expect(try await store.schema.number(Self.number) == 0)
            #expect(try await store.schema.number("SELECT COUNT(*) FROM users WHERE user_id IS NOT NULL") == 0)
        }
    }

    @Test func `pages follow each other, of one user and of all`() async throws {
        try await TestStore.open { store in
            for number in 1...5 {
                let owner = number.isMultiple(of: 2) ? Self.ben : Self.anna
                try await store.attach(Sample.pass("\(number)", day: 30), to: owner)
                try await Self.place("\(number)", Self.asking("\(number)"), in: store)
            }
            let reader = OperatorReader(pool: store.pool)
            var (seen, before): ([String], UInt64?) = ([], nil)
            repeat {
                let page = try await reader.consumptionRequests(.open, of: nil, before: before, limit: 2)
                seen += page.rows.map(\.question.transaction.text)
                before = page.next
            } while before != nil
            #expect(seen == ["5", "4", "3", "2", "1"])
            let first = try await reader.consumptionRequests(nil, of: Self.anna, before: nil, limit: 2)
            let rest = try await reader.consumptionRequests(nil, of: Self.anna, before: first.next, limit: 2)
            #expect((first.rows + rest.rows).map(\.question.transaction.text) == ["5", "3", "1"])
            #expect(rest.next == nil)
            #expect(try await Self.page(store, .answered).isEmpty)
            #expect(try await Self.page(store, of: Sample.user("nobody")).isEmpty)
        }
    }
}
