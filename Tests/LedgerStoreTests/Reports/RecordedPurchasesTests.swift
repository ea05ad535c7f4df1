import Entitlements
import LedgerStore
import MariaDB
import Support
import Testing

/// The purchases of every source are listed with what is known of them, the last recorded first.
@Suite(.serialized) struct RecordedPurchasesTests {
    private static let anna = Sample.user("anna")
    private static let ben = Sample.user("ben")

    /// Such as `1 of anna: pass.30`, from pages of `limit`.
    private static func list(
        _ filter: PurchaseFilter = PurchaseFilter(), limit: Int = 100, lookingAt rows: Int = 5_000, _ store: TestStore
    ) async throws -> [String] {
        let reader = TestOperators(store).reader
        var (before, lines): (UInt64?, [String]) = (nil, [])
        repeat {
            let page = try await reader.purchases(filter, before: before, limit: limit, lookingAt: rows)
            #expect(page.rows.count <= limit && page.next ?? 0 < before ?? .max)
            lines += page.rows.map { row in
                let what = row.newest?.productID.text ?? row.grant.map { "\($0.grantedAt.milliseconds)" } ?? "nothing"
                return "\(row.key.externalID) of \(row.owner?.text ?? "nobody"): \(what)"
            }
            before = page.next
        } while before != nil
        return lines
    }

    /// One purchase a day: two of Apple's, one that nobody has, a voucher of Ben's, one that waits, and a grant.
    private static func fill(_ store: TestStore) async throws {
        let next = { store.clock.now = store.clock.now + Instant.millisecondsPerDay }
        let token = try await store.instances[0].tokens.token(of: anna)
        try await store.attach(Sample.pass("a1"), to: anna)
        next()
        try await store.attach(Sample.pass("a2", of: "pass.31", in: .sandbox), to: ben)
        next()
        try await store.attach(Sample.pass("a3", token: token), to: ben)
        next()
        let sold = try await store.receive("sold")
        _ = try await store.place(
            TestStore.news(about: "v1", naming: ben, stating: Vouchers.pass("v1", sold: 1)), as: sold)
        next()
        let waits = try await store.receive("waits")
        _ = try await store.place(
            TestStore.news(
                about: "v2", stating: Vouchers.pass("v2", sold: 1), Vouchers.renewal(of: "v2", stated: 2)), as: waits)
        next()
        try await store.grant(.addDays(3, of: TierID("pro")), as: "g1", to: anna)
    }

    private static let all = [
        "g1 of anna: 1771113600000", "v2 of nobody: kiosk pass", "v1 of ben: kiosk pass", "a3 of nobody: pass.30",
        "a2 of ben: pass.31", "a1 of anna: pass.30",
    ]

    @Test func `every source is listed with its newest state, whoever has it, on pages of any size`() async throws {
        try await TestStore.open { store in
            try await Self.fill(store)
            for limit in [1, 2, 5, 6, 7, 100] {
                for rows in [1, 2, 6, 5_000] {
                    #expect(try await Self.list(limit: limit, lookingAt: rows, store) == Self.all, "\(limit) \(rows)")
                }
            }
        }
    }

    @Test func `filters let through what they name`() async throws {
        try await TestStore.open { store in
            let start = store.clock.now
            try await Self.fill(store)
            let day = { start + $0 * Instant.millisecondsPerDay }
            let filters: [(PurchaseFilter, [Int])] = [
                (PurchaseFilter(user: Self.anna), [0, 5]), (PurchaseFilter(user: Self.ben), [2, 4]),
                (PurchaseFilter(user: Sample.user("nobody")), []),
                (PurchaseFilter(source: .appleIAP), [3, 4, 5]), (PurchaseFilter(source: .manual), [0]),
                (PurchaseFilter(source: .stripe), []),
                (PurchaseFilter(environment: .sandbox), [4]),
                (PurchaseFilter(user: Self.ben, source: Vouchers.source, environment: .production), [2]),
                (PurchaseFilter(since: day(2)), [0, 1, 2, 3]), (PurchaseFilter(since: day(9)), []),
                (PurchaseFilter(user: Self.anna, since: day(1)), [0]),
                // What has no rows of its own is left to whoever asks.
                (PurchaseFilter(product: ProductID("pass.31")), [0, 1, 2, 4]),
                (PurchaseFilter(product: ProductID("pass.31"), source: .appleIAP), [4]),
                (PurchaseFilter(user: Self.anna, product: ProductID("none"), source: .appleIAP), []),
            ]
            for (filter, places) in filters {
                let expected = places.map { Self.all[$0] }
                for (limit, rows) in [(100, 5_000), (1, 1), (2, 3)] {
                    #expect(try await Self.list(filter, limit: limit, lookingAt: rows, store) == expected, "\(filter)")
                }
            }
        }
    }

    @Test func `a list since an instant ends with the first rows that are older, and looks no further`() async throws {
        try await TestStore.open { store in
            try await Self.fill(store)
            let reader = TestOperators(store).reader
            let filter = PurchaseFilter(since: store.clock.now)
            let first = try await reader.purchases(filter, before: nil, limit: 5, lookingAt: 2)
            #expect(first.rows.map(\.key.externalID.text) == ["g1"])
            let second = try await reader.purchases(filter, before: first.next, limit: 5, lookingAt: 2)
            #expect(first.next != nil && second.rows.isEmpty && second.next == nil)
        }
    }

    @Test func `instants are those of the first statement and of the binding, and the erased have no name`()
        async throws
    {
        try await TestStore.open { store in
            let recorded = store.clock.now
            let id = try await store.receive("waits")
            let waiting = TestStore.news(about: "v1", stating: Vouchers.pass("v1", sold: 1))
            _ = try await store.place(waiting, as: id)
            store.clock.now = recorded + 5_000
            let named = try await store.receive("named")
            _ = try await store.place(TestStore.news(about: "v1", naming: Self.ben), as: named)
            let reader = TestOperators(store).reader
            for isErased in [false, true] {
                if isErased { try await store.erase(Self.ben) }
                let row = try #require(try await reader.purchases(PurchaseFilter(), before: nil, limit: 2).rows.first)
                #expect(row.owner == (isErased ? nil : Self.ben) && row.isOfErased == isErased)
                #expect(row.recordedAt == recorded && row.boundAt ?? .distantPast >= recorded + 5_000)
                #expect(row.states.map(\.productID.text) == ["kiosk pass"])
                #expect(row.payments.map(\.paid) == [9_990] && row.payments.map(\.currency) == ["EUR"])
            }
        }
    }

    @Test func `a purchase that moved is listed once, with its states, under the one who has it now`() async throws {
        try await TestStore.open { store in
            let id = try await store.receive("sold")
            _ = try await store.place(
                TestStore.news(about: "v1", naming: Self.ben, stating: Vouchers.pass("v1", sold: 1)), as: id)
            try await store.transfer(.one(PurchaseName(ExternalID("v1"))), from: Self.ben, to: Self.anna)
            #expect(try await Self.list(PurchaseFilter(), store) == ["v1 of anna: kiosk pass"])
            #expect(try await Self.list(PurchaseFilter(user: Self.ben), store) == [])
        }
    }
}
