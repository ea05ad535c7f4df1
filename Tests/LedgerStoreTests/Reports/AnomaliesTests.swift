import Entitlements
import LedgerStore
import MariaDB
import Support
import Testing

/// Purchases that give nothing, or that nobody has, are found across users, the last recorded first.
@Suite(.serialized) struct AnomaliesTests {
    private static let anna = Sample.user("anna")
    private static let ben = Sample.user("ben")

    private static func pages(of anomaly: Anomaly? = nil, limit: Int, _ store: TestStore) async throws
        -> [AnomalyCandidate]
    {
        let reader = TestOperators(store).reader
        var (before, found): (UInt64?, [AnomalyCandidate]) = (nil, [])
        repeat {
            let page = try await reader.anomalyCandidates(
                before: before, limit: limit, of: anomaly, given: store.instances[0].versionCache.snapshot)
            #expect(page.rows.count <= limit)
            found += page.rows
            before = page.next
        } while before != nil
        return found
    }

    private static func ids(of anomaly: Anomaly? = nil, limit: Int = 100, _ store: TestStore) async throws -> [String] {
        try await pages(of: anomaly, limit: limit, store).map(\.key.externalID.text)
    }

    /// What each of those found is, as the ledgers of their owners have it.
    private static func anomalies(_ store: TestStore) async throws -> [String: Anomaly] {
        var anomalies: [String: Anomaly] = [:]
        for candidate in try await pages(limit: 100, store) {
            guard let owner = candidate.owner else { continue }
            let timeline = try await store.timeline(of: owner)
            anomalies[candidate.key.externalID.text] = timeline.anomaly(
                of: candidate.key, at: store.clock.now)
        }
        return anomalies
    }

    /// Three that nobody may have, those that give nothing or not what they should, and one of each that gives
    /// something or did.
    private static func fill(_ store: TestStore) async throws {
        let token = try await store.instances[0].tokens.token(of: anna)
        try await store.attach(Sample.pass("unowned-1", token: token), to: ben)
        try await store.attach(Sample.pass("unknown", of: "pass.31"), to: anna)
        try await store.attach(Sample.pass("unclear", signedDay: 1, revokedDay: 0, share: nil), to: ben)
        try await store.attach(Sample.pass("pass"), to: anna)
        try await store.attach(Sample.sale("mismatch", of: "vault", .pass), to: ben)
        try await store.attach(Sample.sale("add-on", of: "vault", .addOn), to: ben)
        try await store.attach(Sample.sale("coins", of: "coins.100", .consumable), to: ben)
        try await store.attach(Sample.pass("unowned-2", of: "pass.31", token: token), to: ben)
        try await store.attach(Sample.pass("quarantined"), to: anna)
        try await store.attach(Sample.sale("plan", of: "plan.month", .plan), to: anna)
        try await store.attach(Sample.sale("shared", of: "coins.100", .consumable, isFamilyShared: true), to: anna)
        try await store.attach(Sample.pass("refunded", signedDay: 0, revokedDay: 0), to: anna)
        try await store.attach(Sample.pass("unowned-3", token: token), to: ben)
        try await store.attach(Sample.pass("tester", in: .sandbox), to: ben)
        _ = try await store.grant(.credits(5, unit: "coin"), as: "gift", to: ben)
        try await store.attach(Sample.pass("quarantined", of: "basic.30", day: 1, transaction: "copy"), to: anna)
    }

    private static let unowned = ["unowned-3", "unowned-2", "unowned-1"]
    private static let all = [
        "unowned-3", "shared", "quarantined", "unowned-2", "mismatch", "unclear", "unknown", "unowned-1",
    ]

    @Test func `those that give nothing are found in pages, and what the catalogue leaves no doubt about is not`()
        async throws
    {
        try await TestStore.open { store in
            try await Self.fill(store)
            for limit in [1, 2, 3, 7, 8, 100] {
                #expect(try await Self.ids(limit: limit, store) == Self.all)
                #expect(try await Self.ids(of: .unowned, limit: limit, store) == Self.unowned)
                #expect(try await Self.ids(of: .unclearRefund, limit: limit, store) == ["unclear"])
                #expect(try await Self.ids(of: .quarantined, limit: limit, store) == ["quarantined"])
                #expect(try await Self.ids(of: .familyShared, limit: limit, store) == ["shared", "quarantined"])
            }
            #expect(
                try await Self.anomalies(store) == [
                    "shared": .familyShared, "quarantined": .quarantined, "mismatch": .productTypeMismatch,
                    "unknown": .unknownProduct, "unclear": .unclearRefund,
                ])
        }
    }

    @Test func `what covers is found if a part gives nothing, quantities differ or a withdrawn plan was paid again`()
        async throws
    {
        try await TestStore.open { store in
            store.clock.now = Sample.epoch + 10 * Instant.millisecondsPerDay
            for (chain, renewal) in [("chain", "plan.year"), ("order", "plan.month"), ("withdrawn", "plan.month")] {
                try await store.attach(Sample.sale(chain, of: "plan.month", .plan, period: "1"), to: Self.anna)
                if chain == "withdrawn" {
                    let key = Sample.sale(chain, of: "plan.month", .plan).key
                    let taken = try await store.ledger.record(for: [Self.anna], keys: [key]) {
                        OperatorAct(on: Self.anna, note: Sample.note).withdraw(key, given: $0, in: $1)
                    }
                    #expect(try taken.answer.get().takesRenewals)
                }
                let next = Sample.sale(chain, of: renewal, .plan, day: 30, transaction: chain + "-2", period: "2")
                try await store.attach(next, to: Self.anna)
            }
            for quantity in [1, 3, 2] {
                for (id, product, type) in [("passes", "pass.30", StatedType.pass), ("lots", "coins.100", .consumable)]
                {
                    let sold = Sample.sale(id, of: product, type, signedDay: quantity, quantity: quantity)
                    try await store.attach(sold, to: Self.ben)
                }
            }
            let found: [String: Anomaly] = [
                "chain": .unknownProduct, "withdrawn": .paidAfterWithdrawal, "passes": .quantityDiffers,
                "lots": .quantityDiffers,
            ]
            #expect(try await Self.anomalies(store) == found)
            for (id, anomaly) in found { #expect(try await Self.ids(of: anomaly, store).contains(id), "\(id)") }
        }
    }

    @Test func `one of which something could not be read is found though it gives what it should`() async throws {
        try await TestStore.open { store in
            try await store.attach(Sample.pass("plain"), to: Self.anna)
            try await store.attach(Sample.pass("odd"), to: Self.anna, unreadable: ["price", "offerType"])
            try await store.attach(Sample.pass("mystery", of: "pass.31"), to: Self.anna, unreadable: ["price"])
            let token = try await store.instances[0].tokens.token(of: Self.anna)
            try await store.attach(Sample.pass("unowned", token: token), to: Self.ben, unreadable: ["price"])
            let found = try await Self.pages(of: .unreadableFields, limit: 9, store)
            #expect(found.map(\.key.externalID.text) == ["mystery", "odd"])
            #expect(found.allSatisfy { $0.hasUnreadable })
            #expect(try await Self.ids(store) == ["unowned", "mystery", "odd"])
            try await store.attach(Sample.pass("odd", signedDay: 2, revokedDay: 2), to: Self.anna)
            #expect(try await Self.ids(of: .unreadableFields, store) == ["mystery", "odd"], "of any of its texts")
            let listed = try await TestOperators(store).reader.transactions(before: nil, limit: 9)
            #expect(listed.map(\.unreadable) == [[], ["price"], ["price"], ["price", "offerType"], []])
        }
    }

    @Test func `each is told with whose it is and with what was recorded of it last`() async throws {
        try await TestStore.open { store in
            let start = store.clock.now
            try await store.attach(Sample.pass("1", of: "pass.31"), to: Self.anna)
            store.clock.now = start + Instant.millisecondsPerDay
            let refund = Sample.pass("1", of: "pass.31", signedDay: 3, revokedDay: 3)
            try await store.attach(refund, to: Self.ben)
            let found = try await Self.pages(limit: 9, store)
            #expect(found.map(\.owner) == [Self.anna] && found.map(\.last?.state) == [refund])
            #expect(found.map(\.last?.recordedAt) == [store.clock.now])
        }
    }

    @Test func `one that is recorded meanwhile comes first, and none is told twice`() async throws {
        try await TestStore.open { store in
            for number in 0..<5 { try await store.attach(Sample.pass("\(number)", of: "pass.31"), to: Self.anna) }
            let (reader, catalogue) = (TestOperators(store).reader, store.instances[0].versionCache.snapshot)
            let first = try await reader.anomalyCandidates(before: nil, limit: 2, of: nil, given: catalogue)
            try await store.attach(Sample.pass("new", of: "pass.31"), to: Self.anna)
            try await store.attach(Sample.pass("3", of: "pass.31", signedDay: 2), to: Self.anna)
            let second = try await reader.anomalyCandidates(before: first.next, limit: 9, of: nil, given: catalogue)
            #expect((first.rows + second.rows).map(\.key.externalID.text) == ["4", "3", "2", "1", "0"])
            #expect(second.next == nil)
            #expect(try await Self.ids(store).first == "new")
        }
    }

    @Test func `one that comes to somebody, or that the catalogue learns, is told no more`() async throws {
        try await TestStore.open { store in
            try await Self.fill(store)
            let token = try await store.instances[0].tokens.token(of: Self.anna)
            try await store.attach(Sample.pass("unowned-1", token: token), to: Self.anna)
            try await store.attach(Sample.pass("late", of: "pass.new"), to: Self.anna)
            #expect(try await Self.ids(store) == ["late"] + Self.all.dropLast())
            _ = try await CatalogueVersionCache.apply(
                "more", to: store.pool, at: store.clock.now, isSame: { $0 == "more" })
            _ = try await store.timeline(of: Self.anna)
            #expect(try await Self.ids(store) == Self.all.dropLast())
        }
    }

    @Test func `one of a source without a table of its own is found too, whether or not somebody has it`() async throws
    {
        try await TestStore.open { store in
            try await store.tell(Vouchers.pass("owned", sold: 0), of: Self.anna)
            let waiting = TestStore.news(about: "waiting", stating: Vouchers.month("m1", of: "waiting", from: 0))
            #expect(try await store.place(waiting, as: store.receive("first")) == "parked no_user")
            let found = try await Self.pages(limit: 9, store)
            #expect(found.map(\.key) == [Vouchers.key("waiting"), Vouchers.key("owned")])
            #expect(found.map(\.owner) == [nil, Self.anna])
            #expect(found.map(\.last?.state.productID.text) == ["season", nil], "the ledger has the state")
            #expect(try await Self.anomalies(store) == ["owned": .unknownProduct])
            #expect(try await Self.ids(of: .unowned, store) == ["waiting"])
            let named = TestStore.news(about: "waiting", naming: Self.ben)
            #expect(try await store.place(named, as: store.receive("second")) == "applied")
            #expect(try await Self.anomalies(store) == ["owned": .unknownProduct, "waiting": .unknownProduct])
        }
    }

    @Test func `what an erased person had is left out until somebody claims it`() async throws {
        try await TestStore.open { store in
            for id in ["71", "72"] {
                try await store.attach(Sample.pass(id, of: "pass.31", account: "7001"), to: Self.anna)
            }
            try await store.erase(Self.anna)
            #expect(try await Self.ids(store) == [])
            try await store.attach(Sample.pass("71", of: "pass.31", account: "7001"), to: Self.ben, proof: "7001")
            let anomalies = try await Self.anomalies(store)
            #expect(anomalies.count == 2 && anomalies.values.allSatisfy { $0 == .unknownProduct })
            #expect(anomalies.keys.sorted() == ["71", "72"])
        }
    }

    @Test func `one that changed hands is told of who has it`() async throws {
        try await TestStore.open { store in
            try await store.attach(Sample.pass("1", of: "pass.31"), to: Self.anna)
            try await store.transfer(.all, from: Self.anna, to: Self.ben)
            #expect(try await Self.pages(limit: 9, store).map(\.owner) == [Self.ben])
            #expect(try await Self.anomalies(store) == ["1": .unknownProduct])
        }
    }

    @Test func `a page goes over so many purchases only, and none is lost behind many that are in order`() async throws
    {
        let server = try await PrivateMariaDB.start()
        defer { server.kill() }
        try await TestStore.open(server: server) { store in
            try await store.attach(Sample.pass("old", of: "pass.31"), to: Self.anna)
            // Nothing is projected for any of them, so that only the catalogue tells them apart.
            for filling in PlanTests.fillings.prefix(3) {
                try await store.schema.rows(filling.replacing("SELECT seq,", with: "SELECT seq + 1,"))
            }
            try await store.schema.rows("ANALYZE TABLE purchases, apple_iap_transactions, users, subscriptions")
            let (reader, catalogue) = (TestOperators(store).reader, store.instances[0].versionCache.snapshot)
            let before = (try await Self.count("HANDLER_READ%", store), try await Self.count("SORT_ROWS", store))
            let page = try await reader.anomalyCandidates(before: nil, limit: 100, of: nil, given: catalogue)
            let read = try await Self.count("HANDLER_READ%", store) - before.0
            let sorted = try await Self.count("SORT_ROWS", store) - before.1
            #expect(page.rows.isEmpty && page.next != nil)
            #expect(read < 20 * OperatorReader.rowsGoneOver && sorted == 0, "\(read) \(sorted)")
            #expect(try await Self.ids(store) == ["old"])
        }
    }

    /// What the server has counted since it began.
    private static func count(_ name: String, _ store: TestStore) async throws -> Int {
        try await store.schema.number(
            """
            SELECT CAST(SUM(VARIABLE_VALUE) AS SIGNED) FROM information_schema.GLOBAL_STATUS
            WHERE VARIABLE_NAME LIKE ?
            """, [.text(name)])
    }
}
