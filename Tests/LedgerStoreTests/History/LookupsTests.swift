import Entitlements
import LedgerStore
import MariaDB
import Support
import Testing

/// Purchases that an unsigned text names are written down until Apple answered about them (`semantics.md` §6).
struct LookupsTests {
    private static func lookups(_ store: TestStore) -> Lookups {
        Lookups(
            pool: store.pool, labels: Sample.labels, now: { store.clock.now }, realNow: { store.clock.now })
    }

    private static let app = AppID("com.example.app")

    private static func named(_ ids: [String]) -> NamedPurchases { NamedPurchases(ids, of: app, in: .sandbox) }

    private static func person(_ begun: Lookups.Begun) -> UInt64? {
        guard case .begun(let person) = begun else { return nil }
        return person
    }

    /// Notes that Apple answered about what is owed of these.
    private static func finish(
        _ ids: [String], of person: UInt64, _ lookups: Lookups, isProven: Bool = false
    ) async throws {
        let owed = try await lookups.owed(to: person)?.numbers ?? []
        try await lookups.finish(owed.filter { ids.contains($0.id) }, of: person, isProven: isProven)
    }

    @Test func `of many wishes at once one begins, also for a user who was never seen`() async throws {
        try await TestStore.open { store in
            let lookups = Self.lookups(store)
            let begun = try await withThrowingTaskGroup(of: Lookups.Begun.self) { group in
                for number in 0..<8 {
                    group.addTask {
                        try await lookups.begin(Self.named([String(number)]), for: Sample.user(1))
                    }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(begun.count { $0 == .owed } == 7)
            let person = try #require(
                begun.lazy.compactMap(Self.person).first)
            let owed = try #require(try await lookups.owed(to: person))
            #expect(owed.user == Sample.user(1) && owed.numbers.map(\.id) == (0..<8).map(String.init))
            #expect(owed.numbers.allSatisfy { $0.app == Self.app })
            #expect(try await store.schema.rows("SELECT kind FROM jobs") == [[.text("lookup")]])
        }
    }

    @Test func `what is answered is recent for ten minutes, and the job ends with the last`() async throws {
        try await TestStore.open { store in
            let (lookups, user) = (Self.lookups(store), Sample.user(1))
            guard case .begun(let person) = try await lookups.begin(Self.named(["1", "2"]), for: user) else {
                Issue.record("it did not begin")
                return
            }
            try await Self.finish(["1"], of: person, lookups)
            #expect(try await lookups.owed(to: person)?.numbers.map(\.id) == ["2"])
            #expect(try await store.schema.number("SELECT COUNT(*) FROM jobs") == 1)
            try await Self.finish(["2"], of: person, lookups)
            #expect(try await lookups.owed(to: person) == nil)
            #expect(try await store.schema.number("SELECT COUNT(*) FROM jobs") == 0)
            #expect(try await lookups.begin(Self.named(["2", "1"]), for: user) == .recent)
            #expect(try await lookups.begin(Self.named(["1", "3"]), for: user) == .begun(person: person))
            #expect(try await lookups.owed(to: person)?.numbers.map(\.id) == ["3"])
            store.clock.now = store.clock.now + Lookups.pause
            #expect(try await lookups.begin(Self.named(["1"]), for: user) == .owed)
            #expect(try await lookups.owed(to: person)?.numbers.map(\.id) == ["3", "1"])
        }
    }

    @Test func `what was answered without a proof is owed once more with one`() async throws {
        try await TestStore.open { store in
            let (lookups, user) = (Self.lookups(store), Sample.user(1))
            let first = try await lookups.begin(Self.named(["1", "2"]), for: user)
            let person = try #require(Self.person(first))
            try await Self.finish(["1", "2"], of: person, lookups)
            #expect(try await lookups.begin(Self.named(["1"]), for: user) == .recent)
            let again = try await lookups.begin(Self.named(["1"]), for: user, isProven: true)
            #expect(again == .begun(person: person))
            #expect(try await lookups.owed(to: person)?.numbers.map(\.id) == ["1"])
            try await Self.finish(["1"], of: person, lookups, isProven: true)
            #expect(try await lookups.begin(Self.named(["1"]), for: user, isProven: true) == .recent)
        }
    }

    @Test func `an id that Apple does not know counts until midnight, also when it is named again`() async throws {
        try await TestStore.open { store in
            let (lookups, user) = (Self.lookups(store), Sample.user(1))
            store.clock.now = store.clock.now.startOfDay + Instant.millisecondsPerDay
            #expect(try await !lookups.isSpent(user), "who was never seen asked for nothing")
            let ids = (0..<Lookups.maximumUnknown).map(String.init)
            let person = try #require(Self.person(try await lookups.begin(Self.named(ids), for: user)))
            for unknown in [Set(ids.dropLast()), ["49"]] {
                #expect(try await !lookups.isSpent(user))
                let owed = try #require(try await lookups.owed(to: person)).numbers
                try await lookups.finish(owed, unknown: unknown, of: person)
                store.clock.now = store.clock.now + Lookups.pause
                _ = try await lookups.begin(Self.named(ids), for: user)
            }
            #expect(try await lookups.isSpent(user))
            #expect(try await lookups.owed(to: person)?.unknownToday == Lookups.maximumUnknown)
            store.clock.now = store.clock.now.startOfDay + Instant.millisecondsPerDay
            #expect(try await !lookups.isSpent(user))
        }
    }

    @Test func `a receipt that holds, or the same proof, names anew what one without a voucher named`() async throws {
        try await TestStore.open { store in
            let (lookups, user) = (Self.lookups(store), Sample.user(1))
            let start = store.clock.now
            func name(onlyBy account: Label?) async throws -> (askedAt: Instant, account: Label?)? {
                store.clock.now = store.clock.now + 1
                _ = try await lookups.begin(
                    NamedPurchases(["1"], of: Self.app, in: .sandbox, onlyBy: account), for: user)
                let rows = try await store.schema.rows("SELECT pseudonym FROM users")
                guard case .uint64(let person)? = rows.first?.first else { return nil }
                return try await lookups.owed(to: person)?.numbers.first.map { ($0.askedAt, $0.account) }
            }
            let (mine, other) = (Label("mine"), Label("other"))
            for (account, expected) in [
                (mine, (1, mine)), (mine, (2, mine)), (other, (2, mine)), (nil, (4, nil)), (mine, (4, nil)),
                (nil, (4, nil)),
            ] as [(Label?, (Int64, Label?))] {
                let named = try #require(try await name(onlyBy: account))
                #expect(named.askedAt == start + expected.0 && named.account == expected.1)
            }
        }
    }

    @Test func `a user may not have more than a hundred at once`() async throws {
        try await TestStore.open { store in
            let (lookups, user) = (Self.lookups(store), Sample.user(1))
            let all = (0...Lookups.maximum).map(String.init)
            #expect(try await lookups.begin(Self.named(all), for: user) == .tooMany)
            #expect(try await store.schema.number("SELECT COUNT(*) FROM lookups") == 0)
            _ = try await lookups.begin(Self.named(Array(all.dropLast())), for: user)
            #expect(try await lookups.begin(Self.named(all), for: user) == .tooMany)
            #expect(try await lookups.begin(Self.named(all), for: Sample.user(2)) == .tooMany)
        }
    }

    @Test func `of a notification each is owed once, and old answers are swept`() async throws {
        try await TestStore.open { store in
            let lookups = Self.lookups(store)
            for _ in 0..<2 { try await lookups.begin(Self.named(["1", "2"])) }
            #expect(try await lookups.owed(to: Lookups.nobody)?.user == nil)
            #expect(try await lookups.owed(to: Lookups.nobody)?.numbers.map(\.id) == ["1", "2"])
            try await Self.finish(["1", "2"], of: Lookups.nobody, lookups)
            try await Lookups.sweep(store.pool, at: store.clock.now + (Lookups.pause - 1))
            #expect(try await store.schema.number("SELECT COUNT(*) FROM lookups") == 2)
            try await Lookups.sweep(store.pool, at: store.clock.now + Lookups.pause)
            #expect(try await store.schema.number("SELECT COUNT(*) FROM lookups") == 0)
        }
    }

    @Test func `a notification about what was just answered is owed in ten minutes, and its job waits`() async throws {
        try await TestStore.open { store in
            let (lookups, start) = (Self.lookups(store), store.clock.now)
            try await lookups.begin(Self.named(["1"]))
            try await Self.finish(["1"], of: Lookups.nobody, lookups)
            #expect(try await store.schema.number("SELECT COUNT(*) FROM jobs") == 0)
            for _ in 0..<2 { try await lookups.begin(Self.named(["1"])) }
            #expect(try await lookups.owed(to: Lookups.nobody) == nil)
            try await lookups.finish([], of: Lookups.nobody)
            let due = (start + Lookups.pause).milliseconds
            #expect(try await store.schema.number("SELECT COUNT(*) FROM jobs WHERE due_at = \(due)") == 1)
            store.clock.now = start + Lookups.pause
            #expect(try await lookups.owed(to: Lookups.nobody)?.numbers.map(\.id) == ["1"])
        }
    }

    @Test func `a notification that comes while its purchase is asked about is not lost`() async throws {
        try await TestStore.open { store in
            let lookups = Self.lookups(store)
            try await lookups.begin(Self.named(["1", "2"]))
            let asked = try #require(try await lookups.owed(to: Lookups.nobody)).numbers
            store.clock.now = store.clock.now + 1
            try await lookups.begin(Self.named(["1"]))
            try await lookups.finish(asked, of: Lookups.nobody)
            #expect(try await lookups.owed(to: Lookups.nobody) == nil)
            #expect(try await store.schema.number("SELECT COUNT(*) FROM jobs") == 1)
            store.clock.now = store.clock.now + Lookups.pause
            #expect(try await lookups.owed(to: Lookups.nobody)?.numbers.map(\.id) == ["1"])
        }
    }

    @Test func `erasing a person deletes what was looked up, and its job`() async throws {
        try await TestStore.open { store in
            let (lookups, user) = (Self.lookups(store), Sample.user(1))
            _ = try await lookups.begin(Self.named(["1", "2"]), for: user)
            try await lookups.begin(Self.named(["7"]))
            let exported = try await Export(pool: store.pool, labels: Sample.labels).document(of: user)
            #expect(exported?.contains(#""transaction_id": "1""#) == true, "\(exported ?? "")")
            let audit = AuditTrail(salt: { [UInt8](repeating: 1, count: 16) })
            let erasure = Erasure(
                pool: store.pool, labels: Sample.labels, audit: audit, now: { store.clock.now })
            #expect(try await erasure.preview(user)?.contains { $0 == ("lookups", 2) } == true)
            _ = try await erasure.erase(user, by: .commandLine, reason: "r")
            #expect(try await store.schema.rows("SELECT transaction_id FROM lookups") == [[.text("7")]])
            #expect(try await store.schema.rows("SELECT subject FROM jobs") == [[.uint64(0)]])
        }
    }
}
