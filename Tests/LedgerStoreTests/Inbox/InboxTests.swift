import Crypto
import Entitlements
import Foundation
import LedgerStore
import MariaDB
import Support
import Testing

/// Deliveries are stored before anything is done about them, and jobs place what was not placed at once.
@Suite struct InboxTests {
    private let anna = Sample.user("anna")

    /// A compact JWS with a payload, encoded by another hand.
    static func text(
        _ payload: String, under header: String = "eyJoIjoxfQ", signature: String = "s"
    ) -> InboxText {
        let encoded = Data(payload.utf8).base64EncodedString()
            .replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
        let text = "\(header).\(encoded).\(signature)"
        let jws = SignedText(
            text: text, digest: Array(SHA256.hash(data: Array(text.utf8))),
            header: SignedText.Header(
                length: header.utf8.count, digest: Array(SHA256.hash(data: Array(header.utf8)))))
        return .jws(jws, payload: Array(payload.utf8))
    }

    static func delivery(
        _ id: String, in environment: StoreEnvironment = .sandbox, _ payload: String = "{}", signature: String = "s"
    ) -> InboxDelivery {
        delivery(id, in: environment, text: text(payload, signature: signature), saying: payload)
    }

    static func delivery(
        _ id: String, in environment: StoreEnvironment = .sandbox, text: InboxText, saying payload: String = "",
        about purchase: ExternalID? = ExternalID("1"), mentioning mentions: [String] = []
    ) -> InboxDelivery {
        InboxDelivery(
            source: .appleIAP, app: Sample.app, environment: environment, externalID: id, type: "REFUND", subtype: nil,
            signedAt: Sample.epoch, about: purchase, mentioning: mentions,
            text: text, contentDigest: Array(SHA256.hash(data: Array(payload.utf8))))
    }

    static func inbox(in store: TestStore) -> Inbox {
        Inbox(pool: store.pool, now: { store.clock.now }, realNow: { store.clock.now })
    }

    /// Jobs with pauses of full length.
    static func jobs(in store: TestStore, instance: Int = 0) -> Jobs {
        Jobs(pool: store.instances[instance].pool, now: { store.clock.now }, jitter: { 1 })
    }

    /// Writes what became of a delivery, as a decision does. Throws when the database is away.
    func settle(
        _ id: UInt64, as outcome: DeliveryOutcome, in store: TestStore
    ) async throws {
        _ = try await store.ledger.record(for: []) { _ -> Decision<Bool, Never> in
            Decision(placement: Placement(of: id, outcome), answer: .success(true))
        }
    }

    @Test func `the same content under one id is one delivery, however it is signed and however often it comes`()
        async throws
    {
        try await TestStore.open(instances: 2) { store in
            let inbox = Self.inbox(in: store)
            let first = try await inbox.receive(Self.delivery("1"))
            #expect(first.outcome == .pending)
            #expect(try await inbox.content(of: first.id)?.text == "eyJoIjoxfQ.e30.s")
            let again = try await inbox.receive(Self.delivery("1", signature: "t"))
            #expect(again == first)
            #expect(try await inbox.content(of: first.id)?.text == "eyJoIjoxfQ.e30.s", "as it came first")
            let others = [
                Self.delivery("1", "[]"), Self.delivery("1", in: .production), Self.delivery("2"),
            ]
            for other in others { #expect(try await inbox.receive(other).id != first.id) }
            #expect(try await store.schema.counts()["jobs"] == 4)
            try await settle(first.id, as: DeliveryOutcome(.applied), in: store)
            #expect(try await inbox.receive(Self.delivery("1")).outcome == DeliveryOutcome(.applied))
            #expect(try await store.schema.counts()["jobs"] == 3, "what is settled needs no job")
        }
    }

    @Test(arguments: ["", "a", "ab", "Zoë 😀?>"])
    func `a JWS that repeats its header is kept without, and told as it came`(_ beside: String) async throws {
        try await TestStore.open { store in
            let header = "eyJ4NWMiOlsi" + String(repeating: "QUJD", count: 1_000) + "Il19"
            let payload = #"{"beside":"\#(beside)","first":"\#(header).e30.s","second":"\#(header).e30.t"}"#
            let text = Self.text(payload, under: header)
            guard case .jws(let jws, _) = text else { return }
            let stored = try await Self.inbox(in: store).receive(Self.delivery("1", text: text))
            #expect(try await Self.inbox(in: store).content(of: stored.id)?.text == jws.text)
            #expect(try await store.schema.number("SELECT MAX(LENGTH(content)) FROM inbox_texts") < 200)
        }
    }

    @Test func `the ids that deliveries came under are known, of their own source, app and environment only`()
        async throws
    {
        try await TestStore.open { store in
            let inbox = Self.inbox(in: store)
            let first = try await inbox.receive(Self.delivery("1"))
            for other in [Self.delivery("1", "[]"), Self.delivery("2"), Self.delivery("3", in: .production)] {
                _ = try await inbox.receive(other)
            }
            let known = { (source: Source, app: AppID, environment: StoreEnvironment) in
                try await inbox.known(
                    ["1", "2", "3", "4"], in: NumberSpace(source: source, app: app, environment: environment))
            }
            #expect(try await known(.appleIAP, Sample.app, .sandbox) == ["1", "2"])
            #expect(try await known(.appleIAP, Sample.app, .production) == ["3"])
            #expect(try await known(.stripe, Sample.app, .sandbox) == [])
            #expect(try await known(.appleIAP, AppID("another"), .sandbox) == [])
            #expect(try await inbox.outcome(of: first.id) == .pending)
            try await settle(first.id, as: DeliveryOutcome(.applied), in: store)
            #expect(try await inbox.outcome(of: first.id) == DeliveryOutcome(.applied))
            #expect(try await inbox.outcome(of: 99) == nil)
        }
    }

    @Test func `many who bring one delivery at once store it once`() async throws {
        try await TestStore.open(instances: 2) { store in
            let ids = try await withThrowingTaskGroup(of: UInt64.self) { group in
                for instance in store.instances + store.instances {
                    group.addTask {
                        let inbox = Inbox(
                            pool: instance.pool, now: { store.clock.now }, realNow: { store.clock.now })
                        return try await inbox.receive(Self.delivery("1")).id
                    }
                }
                return try await group.reduce(into: Set()) { $0.insert($1) }
            }
            #expect(ids.count == 1)
            let counts = try await store.schema.counts()
            #expect(counts["inbox_deliveries"] == 1 && counts["inbox_texts"] == 1 && counts["jobs"] == 1)
        }
    }

    @Test(arguments: DeliveryResult.allCases)
    func `a text goes when it is older than texts are to be kept, whatever became of its delivery, which stays`(
        _ result: DeliveryResult
    ) async throws {
        try await TestStore.open { store in
            let inbox = Self.inbox(in: store)
            let pending = try await inbox.receive(Self.delivery("0"))
            let old = try await inbox.receive(Self.delivery("1"))
            try await settle(old.id, as: DeliveryOutcome(result), in: store)
            store.clock.now = store.clock.now + 2 * Instant.millisecondsPerDay
            let new = try await inbox.receive(Self.delivery("2"))
            let texts = SignedTexts(pool: store.pool)
            #expect(try await texts.sweepDeliveries(olderThanDays: 2, at: store.clock.now) == 0)
            #expect(try await texts.sweepDeliveries(olderThanDays: 1, at: store.clock.now) == 2)
            #expect(try await inbox.content(of: pending.id)?.text == nil)
            #expect(try await inbox.content(of: old.id)?.text == nil)
            #expect(try await inbox.content(of: new.id)?.text == "eyJoIjoxfQ.e30.s")
            #expect(try await store.schema.counts()["inbox_deliveries"] == 3)
            let reason: DeliveryReason? = result == .quarantined ? .textGone : nil
            #expect(try await inbox.outcome(of: old.id) == DeliveryOutcome(result, because: reason))
        }
    }

    @Test func `what a delivery takes back is kept without its text until it is placed, and can be placed again`()
        async throws
    {
        try await TestStore.open { store in
            let inbox = Self.inbox(in: store)
            let delivery = InboxDelivery(
                source: .stripe, app: .cards, environment: .sandbox, externalID: "1", type: "charge.refunded",
                subtype: nil, signedAt: Sample.epoch, about: nil, takingBack: "100000 1 2 evt_1 ch_1 pi_1",
                text: .body(Array("Zoë".utf8)), contentDigest: [UInt8](repeating: 1, count: 32))
            let refund = try await inbox.receive(delivery)
            try await settle(refund.id, as: DeliveryOutcome(.parked, because: .noPurchase), in: store)
            store.clock.now = store.clock.now + 2 * Instant.millisecondsPerDay
            let texts = SignedTexts(pool: store.pool)
            #expect(try await texts.sweepDeliveries(olderThanDays: 1, at: store.clock.now) == 1)
            #expect(
                try await inbox.content(of: refund.id)
                    == DeliveryContent(
                        source: .stripe, app: .cards, environment: .sandbox, type: "charge.refunded", text: nil,
                        takeback: "100000 1 2 evt_1 ch_1 pi_1"))
            let trail = AuditTrail(salt: { [UInt8](repeating: 7, count: 16) })
            let replayed = try await inbox.replay(refund.id, by: .commandLine, reason: nil, audit: trail)
            #expect(replayed?.outcome == .pending)
            try await settle(refund.id, as: DeliveryOutcome(.applied), in: store)
            #expect(try await inbox.content(of: refund.id)?.takeback == nil)
        }
    }

    @Test func `an operator has a quarantined delivery placed again, with all its tries, and the audit trail says so`()
        async throws
    {
        try await TestStore.open { store in
            let inbox = Self.inbox(in: store)
            let bad = try await inbox.receive(Self.delivery("1"))
            let jobs = Self.jobs(in: store)
            for _ in 1...Jobs.maximumAttempts {
                store.clock.now = store.clock.now + 11 * 60_000
                for job in try await jobs.take(16, of: .delivery) { try await jobs.fail(job) }
            }
            let reader = OperatorReader(pool: store.pool)
            let listed = try await reader.deliveries(before: nil, limit: 10, of: .quarantined)
            #expect(listed.map(\.id) == [bad.id] && listed[0].outcome.reason == .failed)
            #expect(!listed[0].isContradicted && listed[0].settledAt == nil)
            let waiting = try await inbox.receive(Self.delivery("2"))
            let trail = AuditTrail(salt: { [UInt8](repeating: 7, count: 16) })
            #expect(try await inbox.replay(99, by: .commandLine, reason: nil, audit: trail) == nil)
            #expect(try await inbox.replay(waiting.id, by: .commandLine, reason: nil, audit: trail)?.id == waiting.id)
            try await settle(waiting.id, as: DeliveryOutcome(.duplicate), in: store)
            let replayed = try await inbox.replay(bad.id, by: .commandLine, reason: "asked", audit: trail)
            #expect(replayed?.outcome == .pending)
            let taken = try await jobs.take(16, of: .delivery)
            #expect(taken.map(\.subject) == [bad.id] && taken[0].attempt == 1)
            let entries = try await OperatorReader(pool: store.pool).auditEntries(before: nil, limit: 1).rows
            #expect(entries.map(\.action) == ["delivery.replay"])
            try await settle(bad.id, as: DeliveryOutcome(.applied), in: store)
            #expect(try await reader.deliveries(before: nil, limit: 10, of: .quarantined) == [])
            let applied = try await inbox.replay(bad.id, by: .commandLine, reason: nil, audit: trail)
            #expect(applied?.outcome == DeliveryOutcome(.applied) && applied?.settledAt != nil)
            #expect(try await jobs.take(16, of: .delivery).map(\.subject) == [bad.id])
            try await settle(bad.id, as: DeliveryOutcome(.duplicate), in: store)
            #expect(try await inbox.outcome(of: bad.id) == DeliveryOutcome(.applied))
            #expect(try await store.schema.counts()["jobs"] == 0)
            _ = try await inbox.receive(Self.delivery("1", "[]"))
            let all = try await reader.deliveries(before: nil, limit: 10, of: nil)
            #expect(all.map(\.isContradicted) == [true, false, true])
        }
    }

    @Test func `deliveries that wait, be they ever so many, keep no text beyond its time`() async throws {
        try await TestStore.open { store in
            try await store.schema.rows(
                """
                INSERT INTO inbox_deliveries
                    (source, app, environment, external_id, content_hash, type, signed_at, received_at, state, reason)
                SELECT 'apple_iap', '', 'Sandbox', seq, '', 't', 0, 0, 'parked', 'no_user' FROM seq_1_to_600
                """)
            try await store.schema.rows(
                "INSERT INTO inbox_texts (delivery_id, content) SELECT id, 'x' FROM inbox_deliveries")
            let old = try await Self.inbox(in: store).receive(Self.delivery("old"))
            try await settle(old.id, as: DeliveryOutcome(.applied), in: store)
            store.clock.now = store.clock.now + 2 * Instant.millisecondsPerDay
            let texts = SignedTexts(pool: store.pool)
            #expect(try await texts.sweepDeliveries(olderThanDays: 1, at: store.clock.now) == 601)
            #expect(try await Self.inbox(in: store).content(of: old.id)?.text == nil)
        }
    }

    @Test func `a delivery that was not tried yet keeps its text when the person is erased, until it is`()
        async throws
    {
        try await TestStore.open { store in
            let pass = Sample.pass("1", day: 30)
            try await store.attach(pass, to: anna)
            let refund = try await Self.inbox(in: store).receive(Self.delivery("1", in: pass.key.environment))
            _ = try await store.erase(anna)
            #expect(try await Self.inbox(in: store).content(of: refund.id)?.text != nil)
            try await settle(refund.id, as: DeliveryOutcome(.applied), in: store)
            #expect(try await Self.inbox(in: store).content(of: refund.id)?.text == nil)
        }
    }

    @Test func `a delivery that is given up after the person was erased loses its text`() async throws {
        try await TestStore.open { store in
            let pass = Sample.pass("1", day: 30)
            try await store.attach(pass, to: anna)
            let refund = try await Self.inbox(in: store).receive(Self.delivery("1", in: pass.key.environment))
            _ = try await store.erase(anna)
            let jobs = Self.jobs(in: store)
            for _ in 1...Jobs.maximumAttempts {
                store.clock.now = store.clock.now + 11 * 60_000
                for job in try await jobs.take(16, of: .delivery) { try await jobs.fail(job) }
            }
            #expect(try await Self.inbox(in: store).content(of: refund.id)?.text == nil)
            let outcome = try await Self.inbox(in: store).outcome(of: refund.id)
            #expect(outcome == DeliveryOutcome(.quarantined, because: .textGone))
        }
    }

    @Test func `what is placed is exported, its text goes with the person, and no text is kept of what comes later`()
        async throws
    {
        try await TestStore.open { store in
            let inbox = Self.inbox(in: store)
            let pass = Sample.pass("1", day: 30)
            try await store.attach(pass, to: anna)
            let before = try await inbox.receive(Self.delivery("1", in: pass.key.environment))
            try await settle(before.id, as: DeliveryOutcome(.applied), in: store)
            let document = try #require(try await Export(pool: store.pool, labels: Sample.labels).document(of: anna))
            #expect(document.replacing(": ", with: ":").contains(#""text":"eyJoIjoxfQ.e30.s""#))
            _ = try await store.erase(anna)
            #expect(try await inbox.content(of: before.id)?.text == nil)
            let after = try await inbox.receive(Self.delivery("2", in: pass.key.environment))
            #expect(try await inbox.content(of: after.id)?.text == "eyJoIjoxfQ.e30.s")
            try await settle(after.id, as: DeliveryOutcome(.applied), in: store)
            #expect(try await inbox.content(of: after.id)?.text == nil)
        }
    }

    @Test func `what is told of an Apple account is exported, and goes, with whoever bought with that account`()
        async throws
    {
        try await TestStore.open { store in
            let inbox = Self.inbox(in: store)
            try await store.attach(Sample.pass("1", day: 30, account: "apple"), to: anna)
            try await store.attach(Sample.pass("2", day: 30, account: "another"), to: Sample.user("ben"))
            let told = { (id: String) in
                try await inbox.receive(
                    Self.delivery(
                        id, in: .production, text: Self.text("{}"), saying: id, about: nil,
                        mentioning: [Sample.label(of: "apple").text])
                ).id
            }
            let before = try await told("1")
            let ignored = DeliveryOutcome(.ignored, because: .consentRescinded)
            try await settle(before, as: ignored, in: store)
            for (user, isTheirs) in [(anna, true), (Sample.user("ben"), false)] {
                let export = Export(pool: store.pool, labels: Sample.labels)
                let document = try #require(try await export.document(of: user))
                #expect(document.contains("consent_rescinded") == isTheirs)
            }
            _ = try await store.erase(Sample.user("ben"))
            #expect(try await inbox.content(of: before)?.text != nil)
            _ = try await store.erase(anna)
            #expect(try await inbox.content(of: before)?.text == nil)
            let after = try await told("2")
            try await settle(after, as: ignored, in: store)
            #expect(try await inbox.content(of: after)?.text == nil)
        }
    }
}
