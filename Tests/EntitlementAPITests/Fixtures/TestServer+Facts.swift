import AppStore
import Entitlements
import LedgerStore
import StrictJSON
import Support
import Synchronization
import Testing

@testable import EntitlementAPI

extension TestServer {
    /// Gives a user a purchase of the catalogue, made at the fixture's instant.
    func sell(
        _ product: String, as id: String, _ type: StatedType, to user: String = "u1",
        in environment: StoreEnvironment = .production, revoked share: Int? = nil
    ) async throws {
        let user = try Fixture.user(user)
        let revocation = share.map { Revocation(revokedAt: Fixture.now, share: $0) }
        let purchase = VerifiedPurchase(
            key: PurchaseKey(
                source: .appleIAP, app: Fixture.app, environment: environment, externalID: ExternalID(id)),
            transactionID: TransactionID(id), productID: ProductID(product), type: type, purchasedAt: Fixture.now,
            revocation: revocation, signedAt: Fixture.now + (share == nil ? 0 : 1))
        try await open.sell(purchase, to: user)
    }

    /// Gives a user a pass that was bought some days before it is attached.
    func sellBefore(
        days: Int64, as id: String, to user: String = "u1", in environment: StoreEnvironment = .production
    ) async throws {
        let user = try Fixture.user(user)
        let purchase = VerifiedPurchase(
            key: PurchaseKey(
                source: .appleIAP, app: Fixture.app, environment: environment, externalID: ExternalID(id)),
            transactionID: TransactionID(id), productID: ProductID("pass.30d"), type: .pass,
            purchasedAt: Fixture.now + -days * Instant.millisecondsPerDay, signedAt: Fixture.now)
        try await open.sell(purchase, to: user)
    }

    /// A lot of 100 credits.
    func sellCredits(
        _ id: String = "c1", to user: String = "u1", in environment: StoreEnvironment = .production,
        revoked share: Int? = nil
    ) async throws {
        try await sell("credits", as: id, .consumable, to: user, in: environment, revoked: share)
    }

    /// An operator's grant.
    func grant(_ offer: OperatorAct.Offer, as id: String, to user: String = "u1") async throws {
        let (id, user) = (ExternalID(id), try Fixture.user(user))
        let given = try await open.store.ledger.record(for: [user], keys: [Grant.key(id)]) {
            OperatorAct(on: user, note: Note(actor: "ann", reason: "sorry"))
                .give(offer, as: id, given: $0, in: $1)
        }
        #expect(throws: Never.self) { try given.answer.get() }
    }

    /// The store, which must be open.
    var open: OpenStore {
        get throws { try #require(opened) }
    }

    /// Everything recorded of a user.
    func ledger(of user: String = "u1") async throws -> UserLedger {
        try await open.store.reader.ledger(of: try Fixture.user(user))
    }

    /// Runs `body` while the reads of a user wait behind one that is under way.
    func holdingReads(of user: String = "u1", _ body: () async throws -> Void) async throws {
        try await holdingReads(at: .own(try Fixture.user(user)), body)
    }

    /// Runs `body` while the reads of a place wait behind one that is under way.
    func holdingReads(at place: FoldLine.Place, _ body: () async throws -> Void) async throws {
        let ended = try await api.foldLine.run(at: place) { () async throws(Problem) -> Result<Void, any Error> in
            do {
                return .success(try await body())
            } catch {
                return .failure(error)
            }
        }
        try ended.get()
    }

    /// How many requests were committed.
    var records: Int { world.records.withLock { $0 } }

    /// The audit trail, the oldest entry first.
    var audited: [JSONValue] {
        get async throws {
            let trail = try await send("GET", "/api/admin/audit?limit=100", token: Fixture.apiKey(.admin))
            return try trail.json["data"]?.elements?.reversed() ?? []
        }
    }

    /// Lets time pass.
    func wait(hours: Int64) {
        clock.now = clock.now + hours * Instant.millisecondsPerHour
    }

    /// Requires that a request is refused.
    func expectRefusal(
        _ status: Int, _ code: String, _ method: String, _ path: String, _ body: String? = nil,
        at pointer: String? = nil,
        fields: [(String, String)] = [], token: String? = Fixture.token(of: "u1"),
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        let answer = try await send(method, path, body, token: token, fields: fields)
        #expect(
            answer.status == status && answer.code == code, "\(answer.status) \(answer.body)",
            sourceLocation: sourceLocation)
        #expect(
            try answer.json["errors"]?.elements?.first?["pointer"]?.string == pointer, "\(answer.body)",
            sourceLocation: sourceLocation)
    }
}
