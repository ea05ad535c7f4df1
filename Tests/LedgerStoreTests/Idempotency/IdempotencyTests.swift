import Entitlements
import LedgerStore
import MariaDB
import Support
import Testing

/// A write that is sent several times under one key happens once (`api.md`, "Conventions").
@Suite(.serialized) struct IdempotencyTests {
    private static func request(
        _ key: String = "k", of apiKey: UInt64 = 1, body: UInt8 = 1, about subject: IdempotencySubject = .nobody
    ) -> IdempotentRequest {
        IdempotentRequest(
            of: apiKey, key: label(key), digest: Label("\(body)"), about: subject)
    }

    private static func label(_ key: String) -> Label { Sample.labels.label(.idempotencyKey, key) }

    private static func about(_ user: UserID, and other: UserID? = nil) -> IdempotencySubject {
        .user(Sample.labels.label(.user, user.text), and: other.map { Sample.labels.label(.user, $0.text) })
    }

    private static func claimed(_ verdict: IdempotencyVerdict) throws -> IdempotencyClaim {
        guard case .claimed(let claim) = verdict else { throw Sample.UnknownText() }
        return claim
    }

    private static func answer(_ claim: IdempotencyClaim, _ body: String = "first") -> RememberedAnswer {
        RememberedAnswer(claim: claim, status: 201, body: Array(body.utf8))
    }

    @Test func `a repeat gets the first answer; another body, owner or key does not`() async throws {
        try await TestStore.open { store in
            let keys = TestOperators(store).idempotency
            let claim = try Self.claimed(try await keys.claim(Self.request()))
            #expect(try await keys.claim(Self.request()) == .inProgress)
            #expect(try await keys.claim(Self.request(body: 2)) == .reused)
            try await keys.finish(Self.answer(claim))
            for _ in 0..<2 {
                #expect(
                    try await keys.claim(Self.request())
                        == .answered(status: 201, body: Array("first".utf8), claimant: claim.claimant))
            }
            #expect(try await keys.claim(Self.request(body: 2)) == .reused)
            _ = try Self.claimed(try await keys.claim(Self.request(of: 2, body: 2)))
            _ = try Self.claimed(try await keys.claim(Self.request("K", body: 2)))
            _ = try Self.claimed(try await keys.claim(Self.request("k ", body: 2)))
        }
    }

    @Test func `64 at once with one key: one is told to act`() async throws {
        try await TestStore.open(instances: 2) { store in
            for round in 0..<TestRun.rounds(2, soak: 100) {
                let verdicts = try await withThrowingTaskGroup(of: Bool.self) { group in
                    for racer in 0..<64 {
                        let keys = TestOperators(store, instance: racer % 2).idempotency
                        group.addTask {
                            let verdict = try await TestOperators.patiently {
                                try await keys.claim(Self.request("round \(round)"))
                            }
                            if case .claimed = verdict { return true }
                            #expect(verdict == .inProgress)
                            return false
                        }
                    }
                    return try await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
                }
                #expect(verdicts == 1)
            }
        }
    }

    @Test func `a refusal is not remembered`() async throws {
        try await TestStore.open { store in
            let keys = TestOperators(store).idempotency
            let claim = try Self.claimed(try await keys.claim(Self.request()))
            try await keys.release(claim)
            let second = try Self.claimed(try await keys.claim(Self.request(body: 2)))
            try await keys.release(claim)
            #expect(try await keys.claim(Self.request(body: 2)) == .inProgress)
            try await keys.finish(Self.answer(second))
            try await keys.release(second)
            guard case .answered = try await keys.claim(Self.request(body: 2)) else { throw Sample.UnknownText() }
        }
    }

    @Test func `a claim whose process died is taken over, by the same request only, and cannot finish then`()
        async throws
    {
        try await TestStore.open { store in
            let keys = TestOperators(store).idempotency
            let dead = try Self.claimed(try await keys.claim(Self.request()))
            store.clock.now = store.clock.now + (IdempotencyKeys.claimTime - 1)
            #expect(try await keys.claim(Self.request()) == .inProgress)
            store.clock.now = store.clock.now + 1
            #expect(try await keys.claim(Self.request(body: 2)) == .reused)
            let heir = try Self.claimed(try await keys.claim(Self.request()))
            let failure = await #expect(throws: ServiceFailure.self) {
                try await keys.finish(Self.answer(dead, "dead"))
            }
            #expect(failure?.isGivenUp == true)
            try await keys.release(dead)
            try await keys.finish(Self.answer(heir, "heir"))
            #expect(
                try await keys.claim(Self.request())
                    == .answered(status: 201, body: Array("heir".utf8), claimant: heir.claimant))
        }
    }

    @Test func `a server's answers live a day and are swept then`() async throws {
        try await TestStore.open { store in
            let keys = TestOperators(store).idempotency
            try await keys.finish(Self.answer(try Self.claimed(try await keys.claim(Self.request()))))
            _ = try await keys.claim(Self.request("abandoned"))
            store.clock.now = store.clock.now + 24 * Instant.millisecondsPerHour
            #expect(try await keys.sweep() == 0)
            guard case .answered = try await keys.claim(Self.request()) else { throw Sample.UnknownText() }
            store.clock.now = store.clock.now + Instant.millisecondsPerHour
            // Expired, it counts no longer even before it is swept.
            let again = try Self.claimed(try await keys.claim(Self.request(body: 2)))
            try await keys.release(again)
            #expect(try await keys.sweep() == 1)
            #expect(try await store.schema.counts()["idempotency_keys"] == 0)
        }
    }

    @Test func `a sweep goes in small steps and comes to an end`() async throws {
        try await TestStore.open { store in
            try await store.schema.rows(
                """
                INSERT INTO idempotency_keys (owner, idempotency_key, request_digest, claimant, claimed_until, status,
                    body, created_at, expires_at)
                SELECT 'api_key:1', seq, REPEAT('a', 22), 1, 0, 200, '', 0, seq FROM seq_1_to_12000
                """)
            let keys = TestOperators(store).idempotency
            #expect(try await keys.sweep() == 10_000)
            #expect(try await keys.sweep() == 2_000)
        }
    }

    @Test func `an act that finishes in its own transaction is on disk with its answer or not at all`() async throws {
        try await TestStore.open { store in
            let operators = TestOperators(store)
            guard let request = APIKeyRequest(name: "till", scopes: [.read]) else { throw Sample.UnknownText() }
            let dead = try Self.claimed(try await operators.idempotency.claim(Self.request()))
            store.clock.now = store.clock.now + IdempotencyKeys.claimTime
            let heir = try Self.claimed(try await operators.idempotency.claim(Self.request()))
            await #expect(throws: ServiceFailure.self) {
                _ = try await operators.keys.create(request, by: .commandLine, reason: nil) { _, _ in Self.answer(dead)
                }
            }
            #expect(try await operators.keys.page(before: nil, limit: 10) == [])
            _ = try await operators.keys.create(request, by: .commandLine, reason: nil) { _, _ in Self.answer(heir) }
            #expect(try await operators.keys.page(before: nil, limit: 10).count == 1)
            guard case .answered = try await operators.idempotency.claim(Self.request()) else {
                throw Sample.UnknownText()
            }
        }
    }

    @Test func `all that was answered to servers about a person goes with the person`() async throws {
        try await TestStore.open { store in
            let keys = TestOperators(store).idempotency
            let (anna, ben) = (Sample.user("anna"), Sample.user("ben"))
            let subjects: [(String, IdempotencySubject)] = [
                ("her grant", Self.about(anna)), ("from her", Self.about(anna, and: ben)),
                ("to her", Self.about(ben, and: anna)), ("an outage", .anybody), ("a key", .nobody),
                ("bens", Self.about(ben)), ("to another", Self.about(ben, and: Sample.user("Anna"))),
            ]
            let asked = subjects.map { Self.request($0.0, about: $0.1) }
            for request in asked {
                try await keys.finish(Self.answer(try Self.claimed(try await keys.claim(request))))
            }
            let running = try Self.claimed(try await keys.claim(Self.request("running", about: Self.about(anna))))
            try await store.attach(Sample.pass("1"), to: anna)
            try await store.erase(anna)
            let left = try await store.schema.rows("SELECT idempotency_key FROM idempotency_keys")
            #expect(Set(left) == Set(["a key", "bens", "to another"].map { [.text(Self.label($0).text)] }))
            // What was under way when she was erased is answered, and not kept: that is no fault of the database.
            let failure = await #expect(throws: ServiceFailure.self) {
                try await keys.finish(Self.answer(running))
            }
            #expect(failure?.isGivenUp == true)
            #expect(try await store.schema.rows("SELECT idempotency_key FROM idempotency_keys").count == left.count)
            guard case .answered = try await keys.claim(asked[5]) else { throw Sample.UnknownText() }
        }
    }

    @Test func `the answer to an erasure stays, and its request no longer says whom it was about`() async throws {
        try await TestStore.open { store in
            let (operators, anna) = (TestOperators(store), Sample.user("anna"))
            try await store.attach(Sample.pass("1"), to: anna)
            let asked = Self.request("erase her", about: Self.about(anna))
            let claim = try Self.claimed(try await operators.idempotency.claim(asked))
            _ = try await operators.erasure(at: store.clock.now).erase(anna, by: .commandLine, reason: "asked") {
                Self.answer(claim, "gone")
            }
            #expect(
                try await operators.idempotency.claim(asked)
                    == .answered(status: 201, body: Array("gone".utf8), claimant: claim.claimant))
            let about = "SELECT COUNT(*) FROM idempotency_keys WHERE subject IS NOT NULL OR other_subject IS NOT NULL"
            #expect(try await store.schema.number(about) == 0)
        }
    }
}
