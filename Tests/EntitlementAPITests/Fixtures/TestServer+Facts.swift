import AppStore
import Entitlements
import StrictJSON
import Synchronization
import Testing

extension TestServer {
    /// Gives a user a purchase of the catalogue, made at the fixture's instant.
    func sell(
        _ product: String, as id: String, _ type: StatedType, to user: String = "u1",
        in environment: StoreEnvironment = .production, revoked share: Int? = nil
    ) throws {
        let user = try Fixture.user(user)
        let revocation = share.map { Revocation(revokedAt: Fixture.now, share: $0) }
        let purchase = VerifiedPurchase(
            key: PurchaseKey(
                source: .appleIAP, app: Fixture.app, environment: environment, externalID: ExternalID(id)),
            transactionID: TransactionID(id), productID: ProductID(product), type: type, purchasedAt: Fixture.now,
            revocation: revocation, signedAt: Fixture.now + (share == nil ? 0 : 1))
        service.state.withLock { $0.ledgers.sell(purchase, to: user, at: $0.now) }
    }

    /// Gives a user a pass that was bought some days before it is attached.
    func sellBefore(
        days: Int64, as id: String, to user: String = "u1", in environment: StoreEnvironment = .production
    ) throws {
        let user = try Fixture.user(user)
        let purchase = VerifiedPurchase(
            key: PurchaseKey(
                source: .appleIAP, app: Fixture.app, environment: environment, externalID: ExternalID(id)),
            transactionID: TransactionID(id), productID: ProductID("pass.30d"), type: .pass,
            purchasedAt: Fixture.now + -days * Instant.millisecondsPerDay, signedAt: Fixture.now)
        service.state.withLock { $0.ledgers.sell(purchase, to: user, at: $0.now) }
    }

    /// A lot of 100 credits.
    func sellCredits(
        _ id: String = "c1", to user: String = "u1", in environment: StoreEnvironment = .production,
        revoked share: Int? = nil
    ) throws {
        try sell("credits", as: id, .consumable, to: user, in: environment, revoked: share)
    }

    /// An operator's grant.
    func grant(_ offer: GiveGrant.Offer, as id: String, to user: String = "u1") throws {
        let give = GiveGrant(
            offer, as: ExternalID(id), to: try Fixture.user(user), note: Note(actor: "ann", reason: "sorry"),
            from: service.catalogue)
        service.state.withLock { state in
            let decision = give.decide(given: state.ledgers.history(at: state.now))
            #expect(throws: Never.self) { try decision.answer.get() }
            state.ledgers.apply(decision, at: state.now)
        }
    }

    /// Lets time pass.
    func wait(hours: Int64) {
        service.state.withLock { $0.now = $0.now + hours * Instant.millisecondsPerHour }
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
