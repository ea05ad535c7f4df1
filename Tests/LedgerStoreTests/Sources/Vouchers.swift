import Entitlements
import LedgerStore
import MariaDB

/// A third source: paper vouchers of a kiosk, which name their user. A pass runs for the days that the catalogue says;
/// a season ticket is a window that the kiosk renews.
///
/// It is all that a source needs: its name, what the kiosk says in our words, and a decision that binds it.
enum Vouchers {
    static let source = Source("voucher")

    /// What the kiosk sells.
    static let products = [
        Product(id: ProductID("day.30"), source: source, app: Sample.app, terms: .pass(tier: TierID("pro"), days: 30)),
        Product(
            id: ProductID("season"), source: source, app: Sample.app,
            terms: .plan(tier: TierID("basic"), planID: nil, familyShareable: false)),
    ]

    static func key(_ number: String) -> PurchaseKey {
        PurchaseKey(source: source, app: Sample.app, environment: .production, externalID: ExternalID(number))
    }

    static func day(_ day: Int) -> Instant { Sample.epoch + Int64(day) * Instant.millisecondsPerDay }

    /// A pass, as the kiosk states it on some day.
    static func pass(
        _ number: String, sold day: Int, stated statedDay: Int? = nil, refunded refundDay: Int? = nil,
        share: Int? = Revocation.fullShare
    ) -> Statement {
        .purchase(
            VerifiedPurchase(
                key: key(number), transactionID: TransactionID(number), productID: ProductID("kiosk pass"),
                otherNames: [ProductID("day.30")], type: .pass, purchasedAt: self.day(day),
                price: Price(milliunits: 9_990, currency: "EUR"),
                revocation: refundDay.map { Revocation(revokedAt: self.day($0), share: share) },
                signedAt: self.day(statedDay ?? day)))
    }

    /// A month of a season ticket.
    static func month(
        _ number: String, of ticket: String, from day: Int, refunded refundDay: Int? = nil
    ) -> Statement {
        .purchase(
            VerifiedPurchase(
                key: key(ticket), transactionID: TransactionID(number), isOriginal: true, periodID: number,
                productID: ProductID("season"),
                type: .plan, purchasedAt: self.day(day), originallyPurchasedAt: self.day(0),
                expiresAt: self.day(day + 30),
                revocation: refundDay.map { Revocation(revokedAt: self.day($0), share: Revocation.fullShare) },
                signedAt: self.day(refundDay ?? day)))
    }

    /// What will follow upon the last month of a season ticket.
    static func renewal(
        of ticket: String, stated day: Int, willRenew: Bool = true, graceUntil graceDay: Int? = nil,
        end: RenewalEnd? = nil
    ) -> Statement {
        .renewal(
            VerifiedRenewal(
                key: key(ticket), signedAt: self.day(day), willRenew: willRenew, graceEndsAt: graceDay.map(self.day),
                isInRetry: graceDay != nil, end: end))
    }

    /// What the kiosk says of a user's vouchers: what nobody has becomes theirs, and what another has is told to that
    /// one alone.
    struct Tell: Sendable {
        let statements: [Statement]
        let user: UserID

        func decide(given history: PurchaseHistory) -> Decision<Set<PurchaseKey>, Never> {
            let free = Set(statements.map(\.key)).filter { history.purchases[$0]?.owner == nil }
            return Decision(
                bindings: Dictionary(uniqueKeysWithValues: free.map { ($0, user) }), answer: .success(free))
        }
    }
}

extension TestStore {
    /// The kiosk tells of somebody's vouchers; which became theirs, and whether any of it was new. Throws when the
    /// database is away.
    @discardableResult
    func tell(
        _ statements: Statement..., of user: UserID, via instance: Int = 0
    ) async throws(ServiceFailure) -> (bound: Set<String>, isNew: Bool) {
        let told = Vouchers.Tell(statements: statements, user: user)
        let recorded = try await instances[instance].ledger.record(statements.map { Evidence($0) }, for: [user]) {
            told.decide(given: $0)
        }
        return (Set(recorded.answer.get().map(\.externalID.text)), recorded.history.isEvidenceNew)
    }

    /// Runs `body` where the kiosk's vouchers are in the catalogue. Throws what `body` throws.
    static func withVouchers(_ body: @Sendable (TestStore) async throws -> Void) async throws {
        try await open(instances: 2) { store in
            _ = try await CatalogueVersionCache.apply(
                "vouchers", to: store.pool, at: Sample.epoch, isSame: { $0 == "vouchers" })
            try await body(store)
        }
    }
}
