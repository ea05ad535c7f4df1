import Entitlements
import Testing

/// A purchase of which the source says only that it was bought once: the catalogue says what it is.
@Suite struct OneTimeTests {
    private static let names: [(card: ProductID, terms: Terms)] = [
        ("link_pass", .pass(tier: "pro", days: 30)),
        ("link_addon", .addOn(features: ["xyz"], requires: nil, seats: 0, familyShareable: false)),
        ("link_credits", .consumable(unit: "credit", amount: 100, onShortfall: .debt)),
        ("link_plan", .plan(tier: "pro", planID: nil, familyShareable: false)),
    ]

    private static let catalogue = CatalogueVersions(
        .example(
            adding: names.map {
                Product(id: ProductID("own \($0.card)"), app: .vpn, terms: $0.terms, cardNames: [$0.card])
            }
        ))

    private static func state(
        of card: ProductID, copy: String? = nil, share: Int? = nil, signedAt: Instant = "01-01"
    ) -> VerifiedPurchase {
        VerifiedPurchase(
            key: PurchaseKey(source: .stripe, app: .cards, environment: .production, externalID: ExternalID("pi")),
            transactionID: TransactionID(copy ?? "pi"), isOriginal: copy == nil, productID: card, type: .oneTime,
            purchasedAt: "01-01", revocation: share.map { Revocation(revokedAt: signedAt, share: $0) },
            signedAt: signedAt, eventID: "e")
    }

    private static func status(_ states: VerifiedPurchase...) -> Status {
        let story = states.reduce(Story()) { $0.records($1, at: "03-01") }
        return story.told(.bound(states[0].key), at: "03-01").status(at: "01-20", in: catalogue)
    }

    @Test func `it is what the catalogue sells under its name, and never a plan`() {
        #expect(Self.status(Self.state(of: "link_pass")).tier == "pro")
        #expect(Self.status(Self.state(of: "link_addon")).addOns.map(\.state) == [.active])
        #expect(Self.status(Self.state(of: "link_credits")).credits.map(\.spendable) == [100])
        let plan = Self.status(Self.state(of: "link_plan"))
        #expect(
            plan.entitlements.map(\.state) == [.recorded] && plan.explanation.map(\.reason) == [.productTypeMismatch])
    }

    @Test func `it is recorded until the catalogue knows its name`() {
        let unknown = Self.status(Self.state(of: "link_new"))
        #expect(unknown.explanation.map(\.reason) == [.unknownProduct])
        let learned = CatalogueVersions(
            first: .init(number: 1, effectiveAt: .distantPast, catalogue: .example()),
            later: [
                .init(
                    number: 2, effectiveAt: "02-01",
                    catalogue: .example(adding: [
                        Product(id: "n", app: .vpn, terms: .pass(tier: "pro", days: 30), cardNames: ["link_new"])
                    ]))
            ])
        let story = Story().records(Self.state(of: "link_new"), at: "03-01")
            .told(.bound(Self.state(of: "link_new").key), at: "03-01")
        #expect(story.status(at: "01-20", in: learned).tier == "pro")
    }

    @Test func `a refund in parts shortens a pass and takes credits, and an add-on ends with the last part`() {
        let half = { (card: ProductID) in Self.state(of: card, copy: "ch", share: 50_000, signedAt: "01-10") }
        let whole = { (card: ProductID) in Self.state(of: card, copy: "ch", share: 100_000, signedAt: "01-15") }
        let pass = Self.status(Self.state(of: "link_pass"), half("link_pass"))
        #expect(pass.entitlements.map(\.endsAt) == ["01-16"])
        let credits = Self.status(Self.state(of: "link_credits"), half("link_credits"))
        #expect(credits.credits.map(\.spendable) == [50])
        let addOn = Self.status(Self.state(of: "link_addon"), half("link_addon"))
        #expect(addOn.addOns.map(\.state) == [.active])
        let gone = Self.status(Self.state(of: "link_addon"), half("link_addon"), whole("link_addon"))
        #expect(gone.addOns.map(\.state) == [.revoked])
    }
}
