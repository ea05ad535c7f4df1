import Crypto
import Entitlements
import LedgerStore
import MariaDB
import Support
import Synchronization
import Testing

/// What a store delivers and what an app sends may share a transaction.
@Suite struct InboxBatchTests {
    /// Stores a delivery about a purchase. Throws when the database is away.
    private static func receive(_ purchase: VerifiedPurchase, in store: TestStore) async throws -> UInt64 {
        let text = Array("delivery of \(purchase.transactionID)".utf8)
        return try await Inbox(pool: store.pool, now: { store.clock.now }, realNow: { store.clock.now }).receive(
            InboxDelivery(
                source: .appleIAP, app: Sample.app, environment: purchase.key.environment,
                externalID: "\(purchase.transactionID)", type: "ONE_TIME_CHARGE", subtype: nil,
                signedAt: purchase.signedAt, about: purchase.key.externalID, text: .body(text),
                contentDigest: Array(SHA256.hash(data: text)))
        ).id
    }

    /// Places a delivery, as the inbox does, with a ledger. Throws when the database is away.
    private static func place(
        _ purchase: VerifiedPurchase, _ delivery: UInt64, with ledger: Ledger
    ) async throws(ServiceFailure) {
        var news = DeliveryNews(in: NumberSpace(source: .appleIAP, app: Sample.app, environment: .production))
        news.about = purchase.key
        let read = ReadDelivery(news, showing: [OpenStore.evidence(purchase)])
        _ = try await Inbox.place(read, as: delivery, under: ClaimRules(), in: ledger)
    }

    @Test func `a delivery and an attach of its purchase settle in one batch, whichever comes first`() async throws {
        try await TestStore.open { store in
            let batches = Mutex<[Int]>([])
            let ledger = Ledger(
                pool: store.pool, catalogue: store.instances[0].versionCache, settings: Sample.ledgerSettings,
                format: Sample.format,
                now: { store.clock.now }, salt: { (0..<16).map { _ in .random(in: .min ... .max) } },
                noteBatch: { size in batches.withLock { $0.append(size) } })
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { await ledger.run() }
                defer { ledger.shutDown() }
                for round in 1...40 {
                    let (user, pass) = (Sample.user("u\(round)"), Sample.pass("\(round)", day: 30))
                    let delivery = try await Self.receive(pass, in: store)
                    try await withThrowingTaskGroup(of: Void.self) { racers in
                        racers.addTask { try await Self.place(pass, delivery, with: ledger) }
                        racers.addTask {
                            let answer = try await ledger.record([OpenStore.evidence(pass)], for: [user]) {
                                Attach(pass, to: user, proof: nil, in: store.claims($1)).decide(given: $0)
                            }.answer
                            #expect(throws: Never.self) { try answer.get() }
                        }
                        try await racers.waitForAll()
                    }
                    #expect(try await store.ledger(of: user).entries.count == 2, "its state and its binding")
                }
            }
            #expect(batches.withLock { $0.contains(2) }, "at least one pair shared a transaction")
            let placed =
                "SELECT COUNT(*) FROM inbox_deliveries WHERE state IN ('applied', 'duplicate') AND reason IS NULL"
            #expect(try await store.schema.number(placed) == 40)
            #expect(try await store.schema.counts()["jobs"] == 0)
        }
    }
}
