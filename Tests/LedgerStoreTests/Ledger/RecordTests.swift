import Entitlements
import LedgerStore
import MariaDB
import Support
import Testing

/// What one `record` keeps, and that repeats keep nothing (`semantics.md` §1, §5).
@Suite struct RecordTests {
    private let anna = Sample.user("anna")
    private let ben = Sample.user("ben")

    @Test func `the first attach binds and its repeats change no row of any table`() async throws {
        try await TestStore.open { store in
            #expect(try await store.attach(Sample.pass("1"), to: anna) == .success(.unowned))
            let counts = try await store.schema.counts()
            #expect(
                counts.filter { $0.value > 0 } == [
                    "apple_iap_transactions": 1, "catalog_versions": 1, "ledger_entries": 2,
                    "purchases": 1, "signed_headers": 1, "signed_texts": 1, "standing_answers": 1, "standings": 1,
                    "subscriptions": 1, "users": 1,
                ])
            let dumps = try await store.dumps()
            for _ in 0..<3 {
                #expect(try await store.attach(Sample.pass("1"), to: anna) == .success(.alreadyTheirs))
            }
            #expect(try await store.schema.counts() == counts)
            #expect(try await store.dumps() == dumps)
        }
    }

    @Test func `another user is refused and the evidence is kept for the owner`() async throws {
        try await TestStore.open { store in
            try await store.attach(Sample.pass("1"), to: anna)
            let refunded = Sample.pass("1", signedDay: 9, revokedDay: 8)
            #expect(try await store.attach(refunded, to: ben) == .failure(.ownedByAnotherUser))
            let counts = try await store.schema.counts()
            #expect(counts["apple_iap_transactions"] == 2)
            #expect(counts["signed_texts"] == 2)
            #expect(try await store.timeline(of: ben).purchases.isEmpty)
            let timeline = try await store.timeline(of: anna)
            #expect(timeline.disposition(of: refunded.key, at: store.clock.now) == .revoked)
            #expect(
                try await store.schema.number(
                    """
                    SELECT COUNT(*) FROM ledger_entries l JOIN users u ON u.pseudonym = l.user_id
                    WHERE u.user_id = 'anna'
                    """) == 3)
        }
    }

    @Test func `evidence of a purchase that nobody owns waits for its owner`() async throws {
        try await TestStore.open { store in
            let annas = try await store.instances[0].tokens.token(of: anna)
            let pass = Sample.pass("1", token: annas)
            #expect(try await store.attach(pass, to: ben) == .failure(.accountTokenMismatch))
            #expect(try await store.schema.counts()["ledger_entries"] == 0)
            #expect(try await store.schema.counts()["apple_iap_transactions"] == 1)
            #expect(try await store.attach(pass, to: anna) == .success(.unowned))
            #expect(try await store.schema.counts()["ledger_entries"] == 2)
            #expect(try await store.schema.counts()["apple_iap_transactions"] == 1)
            #expect(
                try await store.schema.number("SELECT COUNT(*) FROM apple_iap_transactions WHERE user_id IS NULL") == 0)
        }
    }

    @Test func `a text signed before the refund does not bring a refunded purchase back`() async throws {
        try await TestStore.open { store in
            let states = [
                Sample.pass("1", signedDay: 5, revokedDay: 4), Sample.pass("1"), Sample.pass("1", signedDay: 3),
            ]
            for state in states {
                try await store.attach(state, to: anna)
                let timeline = try await store.timeline(of: anna)
                #expect(timeline.disposition(of: state.key, at: store.clock.now) == .revoked)
            }
            #expect(try await store.schema.counts()["apple_iap_transactions"] == 3)
        }
    }

    @Test func `a restored copy is the same purchase and a refund of the copy revokes it`() async throws {
        try await TestStore.open { store in
            try await store.attach(Sample.pass("1"), to: anna)
            #expect(
                try await store.attach(Sample.pass("1", transaction: "77", signedDay: 2), to: anna)
                    == .success(.alreadyTheirs))
            #expect(
                try await store.attach(Sample.pass("1", transaction: "78", signedDay: 2), to: ben)
                    == .failure(.ownedByAnotherUser))
            #expect(try await store.schema.counts()["purchases"] == 1)
            let refunded = Sample.pass("1", transaction: "77", signedDay: 6, revokedDay: 5)
            try await store.attach(refunded, to: anna)
            let timeline = try await store.timeline(of: anna)
            #expect(timeline.disposition(of: refunded.key, at: store.clock.now) == .revoked)
        }
    }

    @Test(arguments: [false, true])
    func `states that name different products quarantine the purchase`(otherFirst: Bool) async throws {
        try await TestStore.open { store in
            let states = [Sample.pass("1"), Sample.pass("1", of: "basic.30", signedDay: 2)]
            for state in otherFirst ? states.reversed() : states { try await store.attach(state, to: anna) }
            let timeline = try await store.timeline(of: anna)
            #expect(timeline.disposition(of: states[0].key, at: store.clock.now) == .recorded(.quarantined))
            #expect(try await store.schema.counts()["subscriptions"] == 0)
            #expect(try await store.schema.counts()["apple_iap_transactions"] == 2)
        }
    }

    @Test func `another spelling of the signature adds no row`() async throws {
        try await TestStore.open { store in
            try await store.attach(Sample.pass("1"), to: anna, text: "header.payload.signature")
            let counts = try await store.schema.counts()
            for spelling in 0..<16 {
                #expect(
                    try await store.attach(Sample.pass("1"), to: anna, text: "header.payload.other\(spelling)")
                        == .success(.alreadyTheirs))
            }
            #expect(try await store.schema.counts() == counts)
            #expect(try await store.texts == [["header.payload.signature"]])
        }
    }

    @Test func `a header that many texts share is kept once, and every text can be put together again`() async throws {
        try await TestStore.open { store in
            try await store.attach(Sample.pass("1"), to: anna, text: "shared.payload1.signature1")
            try await store.attach(Sample.pass("2"), to: anna, text: "shared.payload2.signature2")
            try await store.attach(Sample.pass("3"), to: anna, text: "other.payload3.signature3")
            #expect(try await store.schema.number("SELECT COUNT(*) FROM signed_headers") == 2)
            #expect(
                try await store.texts == [
                    ["shared.payload1.signature1"], ["shared.payload2.signature2"], ["other.payload3.signature3"],
                ])
        }
    }

    @Test func `the text of a content that repeats is kept once`() async throws {
        try await TestStore.open { store in
            try await store.restore((0..<5).map { Sample.pass("1", signedDay: $0) }, to: anna)
            for day in 5..<10 { try await store.attach(Sample.pass("1", signedDay: day), to: anna) }
            let counts = try await store.schema.counts()
            #expect(counts["apple_iap_transactions"] == 10)
            let dangling = """
                SELECT COUNT(*) FROM apple_iap_transactions t
                LEFT JOIN signed_texts s ON s.state_id = COALESCE(t.text_of, t.id)
                WHERE s.state_id IS NULL
                """
            #expect(try await store.schema.number(dangling) == 0)
            #expect(counts["signed_texts"] == 1)
        }
    }

    @Test func `recorded_at strictly increases within a user, though the clock stands still or runs back`() async throws
    {
        try await TestStore.open { store in
            for number in 0..<4 {
                store.clock.now = Sample.epoch + Int64(1_000_000 - number * 10)
                try await store.restore((0..<3).map { Sample.pass("\(number)-\($0)") }, to: anna)
            }
            let rows = try await store.schema.rows("SELECT recorded_at FROM ledger_entries ORDER BY user_id, seq")
            let instants = rows.compactMap { row -> Int64? in if case .int64(let at) = row[0] { at } else { nil } }
            #expect(instants.count == 24)
            #expect(zip(instants, instants.dropFirst()).allSatisfy { $0 < $1 })
            let head = try await store.schema.number("SELECT MAX(last_recorded_at) FROM users")
            #expect(instants.last == Int64(head))
        }
    }

    @Test func `whether evidence said what was not known is told truly`() async throws {
        try await TestStore.open(instances: 2) { store in
            let steps: [(VerifiedPurchase, String?, UserID, Bool)] = [
                (Sample.pass("1"), nil, anna, true), (Sample.pass("1"), nil, anna, false),
                (Sample.pass("1"), "header.another spelling", anna, false), (Sample.pass("1"), nil, ben, false),
                (Sample.pass("1", signedDay: 9), nil, anna, true), (Sample.pass("1", signedDay: 9), nil, anna, false),
                (Sample.pass("1", signedDay: 5, revokedDay: 5), nil, ben, true),
            ]
            for (number, (pass, text, user, isNew)) in steps.enumerated() {
                let recorded = try await store.recordAttach(of: pass, to: user, text: text, via: number % 2)
                #expect(recorded.history.isEvidenceNew == isNew, "\(number)")
            }
            let none = try await store.ledger.record(for: [anna]) { _ in Decision<Void, Never>(answer: .success(())) }
            #expect(!none.history.isEvidenceNew)
        }
    }

    @Test func `a restore records all that is genuine and one verdict speaks for each purchase`() async throws {
        try await TestStore.open { store in
            try await store.attach(Sample.pass("taken"), to: ben)
            let items = [
                Sample.pass("1"), Sample.pass("taken", signedDay: 3), Sample.pass("1", signedDay: 4), Sample.pass("2"),
                Sample.pass("1", signedDay: 4),
            ]
            let verdicts = try await store.restore(items, to: anna)
            #expect(
                verdicts == [
                    .duplicateInRequest, .refused(.ownedByAnotherUser), .claimed(.unowned), .claimed(.unowned),
                    .duplicateInRequest,
                ])
            #expect(try await store.schema.counts()["apple_iap_transactions"] == 5)
            #expect(
                try await store.restore(items.reversed(), to: anna)
                    == [
                        .claimed(.alreadyTheirs), .claimed(.alreadyTheirs), .duplicateInRequest,
                        .refused(.ownedByAnotherUser), .duplicateInRequest,
                    ])
        }
    }

    @Test func `what a caller is told is what their own history folds to, whoever shares the batch`() async throws {
        try await TestStore.open { store in
            let user = Sample.user(1)
            try await withThrowingTaskGroup { group in
                for number in 0..<24 {
                    group.addTask {
                        let pass = Sample.pass("pass\(number)")
                        let recorded = try await store.recordAttach(of: pass, to: user)
                        let context = FoldContext(
                            catalogue: store.instances[0].versionCache.snapshot, settings: Sample.settings)
                        let (told, folded) = (
                            recorded.timeline(of: user, in: context), recorded.history.timeline(of: user, in: context)
                        )
                        let now = recorded.history.now
                        #expect(told.status(at: now) == folded.status(at: now))
                    }
                }
                try await group.waitForAll()
            }
        }
    }
}
