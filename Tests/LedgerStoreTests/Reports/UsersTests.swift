import Entitlements
import MariaDB
import Support
import Testing

@testable import LedgerStore

/// The list of users and the numbers of them, over rows that differ in everything that a filter names.
struct UsersTests {
    private static let day = Instant.millisecondsPerDay

    /// A row as the model has it, which differs from its neighbours.
    private static func listed(_ number: Int) -> ListedUser {
        let states = Status.State.allCases
        let hasEnd = number % 5 != 0
        let end = hasEnd ? Sample.epoch + Int64(number / 3) * day : nil
        return ListedUser(
            id: UInt64(number), user: Sample.user("\(number % 3 == 0 ? "ann" : "bo")\(number)"),
            state: states[number % states.count],
            tier: number % 7 == 0 ? nil : TierID(number % 2 == 0 ? "pro" : "free"), tierRank: number % 2,
            source: number % 6 == 0 ? nil : [Source.appleIAP, .stripe, .manual][number % 3],
            environment: number % 6 == 0 ? nil : number % 4 == 0 ? .sandbox : .production,
            productID: number % 6 == 0 ? nil : ProductID("pass.\(number)"), expiresAt: end,
            accessExpiresAt: end.map { $0 + 1 }, firstSeenAt: Sample.epoch + Int64(number))
    }

    private static let rows = (1...60).map(listed)

    private static func insert(_ store: TestStore) async throws {
        for row in rows {
            try await store.schema.rows(
                "INSERT INTO users (pseudonym, user_id, created_at, ledger_length) VALUES (?, ?, ?, 1)",
                [.uint64(row.id), .text(row.user.text), .int64(row.firstSeenAt.milliseconds)])
            try await store.schema.rows(
                """
                INSERT INTO standings
                    (user_id, state, tier, tier_rank, source, environment, product_id, ends_at, access_ends_at)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
                """,
                [
                    .uint64(row.id), .text(row.state.rawValue), Value(row.tier?.text), Value(row.tierRank),
                    Value(row.source?.text), Value(row.environment?.rawValue), Value(row.productID?.text),
                    Value(row.expiresAt?.milliseconds), Value(row.accessExpiresAt?.milliseconds),
                ])
        }
    }

    /// The rows of all pages, and how many pages there are.
    private static func pages(
        _ filter: UserFilter, from first: UserPlace, limit: Int, lookingAt bound: Int = OperatorReader.usersGoneOver,
        _ store: TestStore
    ) async throws -> (users: [ListedUser], count: Int) {
        let reader = TestOperators(store).reader
        var (users, count, place) = ([ListedUser](), 0, Optional(first))
        while let from = place, count < 200 {
            let page = try await reader.users(filter, from: from, limit: limit, lookingAt: bound)
            #expect(page.users.count <= limit)
            users += page.users
            count += 1
            place = page.next
        }
        return (users, count)
    }

    private static let filters: [UserFilter] = {
        var filters = [UserFilter()]
        filters += Status.State.allCases.map { UserFilter(state: $0) }
        filters += ["pro", "free", "none"].map { UserFilter(tier: TierID($0)) }
        filters += [Source.appleIAP, .stripe, .manual].map { UserFilter(source: $0) }
        filters += StoreEnvironment.allCases.map { UserFilter(environment: $0) }
        let (early, late) = (Sample.epoch + 5 * day, Sample.epoch + 12 * day)
        filters += [
            UserFilter(endsAfter: early), UserFilter(endsAfter: early + 1), UserFilter(endsBefore: early),
            UserFilter(endsBefore: early + 1), UserFilter(endsAfter: early, endsBefore: late),
            UserFilter(endsAfter: Sample.epoch + 100 * day),
        ]
        filters += [
            UserFilter(state: .active, tier: TierID("free")), UserFilter(source: .stripe, environment: .production),
            UserFilter(state: .grace, source: .stripe, environment: .production, endsAfter: early),
            UserFilter(
                state: .expired, tier: TierID("pro"), source: .manual, environment: .production,
                endsAfter: Sample.epoch, endsBefore: late),
        ]
        return filters
    }()

    private static func passes(_ row: ListedUser, _ filter: UserFilter) -> Bool {
        let ends = row.expiresAt
        return (filter.state == nil || row.state == filter.state) && (filter.tier == nil || row.tier == filter.tier)
            && (filter.source == nil || row.source == filter.source)
            && (filter.environment == nil || row.environment == filter.environment)
            && (filter.endsAfter.map { after in ends.map { $0 >= after } ?? false } ?? true)
            && (filter.endsBefore.map { before in ends.map { $0 < before } ?? false } ?? true)
    }

    @Test func `each filter lists who passes, alone and together, in every order and by pages of any size`()
        async throws
    {
        try await TestStore.open { store in
            try await Self.insert(store)
            let newest = Array(Self.rows.reversed())
            let ending = Self.rows.filter { $0.expiresAt != nil }
            let named = Self.rows.filter { $0.user.text.hasPrefix("ann") }.sorted { $0.user < $1.user }
            let ann = Sample.user("ann")
            for filter in Self.filters {
                for (place, all) in [
                    (.newest(.max), newest), (.end(Instant(milliseconds: .min), 0), ending), (.id(ann, of: ann), named),
                ] as [(UserPlace, [ListedUser])] {
                    let expected = all.filter { Self.passes($0, filter) }
                    for limit in [1, 2, 5, 100] {
                        let found = try await Self.pages(filter, from: place, limit: limit, store)
                        #expect(found.users == expected, "\(filter) from \(place) by \(limit)")
                        #expect(found.count == max(1, (expected.count + limit - 1) / limit))
                    }
                    for bound in [1, 3, 7] {
                        let found = try await Self.pages(filter, from: place, limit: 2, lookingAt: bound, store)
                        #expect(found.users == expected, "\(filter) from \(place) looking at \(bound)")
                    }
                }
            }
        }
    }

    @Test func `a page looks at so many rows, says that there is more, and the next one goes on behind them`()
        async throws
    {
        try await TestStore.open { store in
            try await Self.insert(store)
            let reader = TestOperators(store).reader
            let rare = UserFilter(tier: TierID("nobody's"))
            let first = try await reader.users(rare, from: .newest(.max), limit: 5, lookingAt: 25)
            #expect(first.users == [] && first.next == .newest(35))
            let second = try await reader.users(rare, from: .newest(35), limit: 5, lookingAt: 25)
            #expect(second.users == [] && second.next == .newest(10))
            let third = try await reader.users(rare, from: .newest(10), limit: 5, lookingAt: 25)
            #expect(third.users == [] && third.next == nil)
            let ends = try await reader.users(rare, from: .end(Sample.epoch, 0), limit: 5, lookingAt: 25)
            #expect(ends.users == [] && ends.next == .end(Sample.epoch + 10 * Self.day, 32))
            let ann = Sample.user("ann")
            let named = try await reader.users(rare, from: .id(ann, of: ann), limit: 5, lookingAt: 19)
            #expect(named.users == [] && named.next == .id(Sample.user("ann9"), of: ann))
            let whole = try await reader.users(UserFilter(), from: .newest(.max), limit: 30, lookingAt: 1)
            #expect(whole.users.count == 30 && whole.next == .newest(30), "nothing is passed over")
        }
    }

    @Test func `a page goes over 20,000 users, and the next one goes on behind them`() async throws {
        try await TestStore.open { store in
            try await store.schema.rows(
                """
                INSERT INTO users (pseudonym, user_id, created_at, ledger_length)
                SELECT seq, CONCAT('u', seq), 1, 1 FROM seq_1_to_20003
                """)
            try await store.schema.rows(
                """
                INSERT INTO standings (user_id, state, tier)
                SELECT seq, 'none', IF(seq IN (2, 3, 20003), 'pro', 'free') FROM seq_1_to_20003
                """)
            let (reader, rare) = (TestOperators(store).reader, UserFilter(tier: TierID("pro")))
            let first = try await reader.users(rare, from: .newest(.max), limit: 5)
            #expect(first.users.map(\.id) == [20_003] && first.next == .newest(3), "\(first)")
            let second = try await reader.users(rare, from: .newest(3), limit: 5)
            #expect(second.users.map(\.id) == [3, 2] && second.next == nil, "\(second)")
        }
    }

    @Test func `a prefix is one of bytes, in its own case, and its signs stand for nothing else`() async throws {
        try await TestStore.open { store in
            let names = ["a", "a%", "a+b", "a_b", "a|b", "aZ", "ab", "abc", "ac", "b"].filter { UserID($0) != nil }
            for name in names { try await store.attach(Sample.pass(name, day: 39), to: Sample.user(name)) }
            for prefix in ["a", "a+", "a_", "a|", "aZ", "ab", "abc", "abcd", "A", "b", "c"] {
                let user = Sample.user(prefix)
                let found = try await Self.pages(UserFilter(), from: .id(user, of: user), limit: 2, store).users
                #expect(
                    found.map(\.user.text)
                        == names.filter { $0.hasPrefix(prefix) }.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) },
                    "\(prefix)")
            }
        }
    }

    @Test func `whoever has a ledger is listed, whatever stands in it, and nobody who is erased`() async throws {
        try await TestStore.open { store in
            let (anna, ben, carl) = (Sample.user("anna"), Sample.user("ben"), Sample.user("carl"))
            try await store.attach(Sample.pass("1", day: 39), to: anna)
            _ = try await store.ledger.record(for: [ben]) { history, _ in
                ConsentToConsumption(ben, consents: true).decide(given: history)
            }
            _ = try await store.instances[0].tokens.token(of: carl)
            func listed() async throws -> [[String]] {
                var names: [[String]] = []
                for place in [.newest(.max), .end(Sample.epoch, 0), .id(anna, of: Sample.user("a"))] as [UserPlace] {
                    let found = try await Self.pages(UserFilter(), from: place, limit: 1, store)
                    names.append(found.users.map(\.user.text))
                }
                return names
            }
            #expect(try await listed() == [["ben", "anna"], ["anna"], ["anna"]])
            #expect(try await TestOperators(store).reader.userSummary(at: store.clock.now, days: 30).groups.count == 2)
            try await store.erase(anna)
            #expect(try await listed() == [["ben"], [], []])
            #expect(try await TestOperators(store).reader.userSummary(at: store.clock.now, days: 30).groups.count == 1)
        }
    }

    @Test func `the summary counts the groups in order, and the ends by day from now on`() async throws {
        try await TestStore.open { store in
            try await Self.insert(store)
            let now = Sample.epoch + 3 * Self.day + 5 * Instant.millisecondsPerHour
            try await store.schema.rows(
                "UPDATE standings SET ends_at = ? WHERE user_id = 11", [.int64(now.milliseconds)])
            try await store.schema.rows(
                "UPDATE standings SET ends_at = ? WHERE user_id = 13", [.int64(now.milliseconds - 1)])
            let summary = try await TestOperators(store).reader.userSummary(at: now, days: 4)
            #expect(summary.firstDay == Sample.epoch + 3 * Self.day)
            // Users 9 to 11 end on the first day, but only 11 not before now. User 10 has no end, and 13 ended before.
            #expect(summary.ending == [1, 2, 2, 2])
            #expect(summary.groups.map(\.users).reduce(0, +) == Self.rows.count)
            let told = summary.groups.map { group in
                [group.state.rawValue, group.tier?.text, group.source?.text, group.environment?.rawValue]
                    .map { $0 ?? "" }
            }
            #expect(told == told.sorted { $0.lexicographicallyPrecedes($1) })
            for group in summary.groups {
                let users = Self.rows.filter {
                    $0.state == group.state && $0.tier == group.tier && $0.source == group.source
                        && $0.environment == group.environment
                }
                #expect(users.count == group.users)
            }
        }
    }
}
