import Entitlements
import LedgerStore
import MariaDB
import Support
import Testing

/// Those who had coverage in a span of time are found, each once.
@Suite(.serialized) struct CoveredUsersTests {
    private static func day(_ day: Int) -> Instant {
        Sample.epoch + Int64(day) * Instant.millisecondsPerDay
    }

    private static func covered(_ days: Range<Int>, limit: Int = 100, _ store: TestStore) async throws -> [String] {
        let reader = TestOperators(store).reader
        var place: CoveragePlace? = CoveragePlace(after: day(days.lowerBound))
        var users: [String] = []
        while let after = place {
            let page = try await reader.covered(after: after, before: day(days.upperBound), limit: limit)
            #expect(page.users.count <= limit && Set(page.users.map(\.pseudonym)).count == page.users.count)
            users += page.users.map(\.user.text)
            place = page.next
        }
        return users
    }

    @Test func `a span finds whom it overlaps and nobody whom it touches`() async throws {
        try await TestStore.open { store in
            try await store.attach(Sample.pass("1", day: 0), to: Sample.user("early"))
            try await store.attach(Sample.pass("2", day: 5), to: Sample.user("twice"))
            try await store.attach(Sample.pass("3", day: 6), to: Sample.user("twice"))
            try await store.attach(Sample.pass("4", day: 20), to: Sample.user("late"))
            for (days, users) in [
                (0..<1, ["early"]), (4..<5, ["early"]), (5..<6, ["early", "twice"]),
                (21..<22, ["early", "late", "twice"]), (29..<30, ["early", "late", "twice"]),
                (30..<31, ["late", "twice"]), (40..<41, ["late", "twice"]), (50..<60, ["twice"]),
                (64..<65, ["twice"]), (65..<66, []), (-5..<0, []),
            ] {
                for limit in [1, 2, 100] {
                    let found = try await Self.covered(days, limit: limit, store)
                    #expect(found.sorted() == users && Set(found).count == found.count, "\(days), \(limit) at a time")
                }
            }
        }
    }

    @Test func `nobody is found who was erased`() async throws {
        try await TestStore.open { store in
            try await store.attach(Sample.pass("1"), to: Sample.user("anna"))
            #expect(try await Self.covered(1..<2, store) == ["anna"])
            try await store.schema.rows("UPDATE users SET user_id = NULL")
            #expect(try await Self.covered(1..<2, store) == [])
        }
    }

    @Test func `nobody is lost among those who began later`() async throws {
        let many = OperatorReader.rowsGoneOver * 2
        try await TestStore.open { store in
            try await store.attach(Sample.pass("1"), to: Sample.user("anna"))
            let end = Self.day(30).milliseconds
            try await store.schema.rows(
                """
                INSERT INTO subscriptions
                SELECT seq + 100, seq + 100, 'apple_iap', seq, 'Production', 'pass.30', 'pro', \(end - 1), \(end), NULL
                FROM seq_1_to_\(many)
                """)
            try await store.schema.rows("UPDATE subscriptions SET purchase_id = 999999 WHERE user_id < 100")
            #expect(try await Self.covered(1..<2, store) == ["anna"])
        }
    }
}
