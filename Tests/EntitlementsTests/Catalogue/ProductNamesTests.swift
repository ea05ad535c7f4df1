import Entitlements
import Testing

/// A store gives a product several names; the first that the catalogue knows counts (`semantics.md` §1).
@Suite struct ProductNamesTests {
    private static func version(_ number: Int, from effectiveAt: Instant, _ days: KeyValuePairs<ProductID, Int>)
        -> CatalogueVersions.Version
    {
        let catalogue = Catalogue(
            apps: [], tiers: [Tier(id: "pro", rank: 2)],
            products: days.map { Product(id: $0.key, app: .vpn, terms: .pass(tier: "pro", days: $0.value)) })
        return CatalogueVersions.Version(number: number, effectiveAt: effectiveAt, catalogue: catalogue)
    }

    private static func named(
        _ names: ProductID..., at: Instant = "01-10", transaction: String? = nil, signedAt: Instant? = nil
    ) -> VerifiedPurchase {
        .state(
            of: "p", names[0], transaction: transaction, at: at, otherNames: Array(names.dropFirst()),
            signedAt: signedAt)
    }

    private func check(
        _ state: VerifiedPurchase, in catalogue: CatalogueVersions, isOf product: ProductID?, days: Int64,
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        let timeline = Story().attaches(state, at: "01-10").timeline(in: catalogue)
        #expect(timeline.purchases.map(\.productID) == [product], sourceLocation: sourceLocation)
        let lengths = timeline.planned.map { $0.segment.endsAt - $0.segment.startsAt }
        #expect(lengths == (days > 0 ? [days * Instant.millisecondsPerDay] : []), sourceLocation: sourceLocation)
    }

    @Test func `the first name that the catalogue knows counts, and is shown; of none, no product is`() {
        let catalogue = CatalogueVersions(first: Self.version(1, from: "01-01", ["price": 2, "lookup": 3]))
        check(Self.named("product", "price", "lookup"), in: catalogue, isOf: "price", days: 2)
        check(Self.named("product", "lookup", "price"), in: catalogue, isOf: "lookup", days: 3)
        check(Self.named("product", "other"), in: catalogue, isOf: nil, days: 0)
    }

    @Test func `the version in force goes before the order of names, and the earliest that knows any after it`() {
        let catalogue = CatalogueVersions(
            first: Self.version(1, from: "01-01", ["lookup": 3]),
            later: [Self.version(2, from: "01-05", ["price": 2]), Self.version(3, from: "01-20", ["product": 1])])
        let names: [ProductID] = ["product", "price", "lookup"]
        check(Self.named("product", "price", "lookup", at: "01-02"), in: catalogue, isOf: "lookup", days: 3)
        check(Self.named("product", "price", "lookup"), in: catalogue, isOf: "price", days: 2)
        check(Self.named("product", "lookup"), in: catalogue, isOf: "lookup", days: 3)
        check(Self.named("product"), in: catalogue, isOf: "product", days: 1)
        #expect(
            catalogue.products(named: names, from: .appleIAP, for: .vpn).map(\.id) == ["lookup", "price", "product"])
    }

    @Test func `states of one identity whose first names differ quarantine it, whichever came first`() {
        let catalogue = CatalogueVersions(first: Self.version(1, from: "01-01", ["price": 2]))
        let one = Self.named("product", "price")
        let other = Self.named("price", "product", transaction: "copy")
        for (first, second) in [(one, other), (other, one)] {
            let story = Story().attaches(first, at: "01-10").records(second, at: "01-11")
            #expect(story.timeline(in: catalogue).disposition(of: one.key, at: "01-11") == .recorded(.quarantined))
        }
    }

    @Test func `other names may come and go, as when a lookup key moves to another price`() {
        let catalogue = CatalogueVersions(first: Self.version(1, from: "01-01", ["price": 2]))
        let one = Self.named("product", "price")
        let others = [
            Self.named("product", transaction: "copy"), Self.named("product", "price", transaction: "copy"),
            Self.named("product", "x", "price", transaction: "copy"),
        ]
        for other in others {
            for (first, second) in [(one, other), (other, one)] {
                let story = Story().attaches(first, at: "01-10").records(second, at: "01-11")
                #expect(story.timeline(in: catalogue).disposition(of: one.key, at: "01-11") == .counts)
            }
        }
    }

    @Test(
        arguments: [
            (named("product", "price"), named("product", "lookup", signedAt: "01-12")),
            (named("product", "lookup"), named("product", "price", signedAt: "01-12")),
            (named("product", "price", signedAt: "01-12"), named("product", "lookup", transaction: "copy")),
            (named("product", "price", transaction: "a"), named("product", "lookup", transaction: "b")),
        ])
    func `an original speaks before a copy, then what was signed first, then the smallest transaction id`(
        spokesman: VerifiedPurchase, other: VerifiedPurchase
    ) {
        let catalogue = CatalogueVersions(first: Self.version(1, from: "01-01", ["price": 2, "lookup": 3]))
        for states in [[spokesman, other], [other, spokesman]] {
            let story = Story().attaches(states[0], at: "01-13").records(states[1], at: "01-14")
            #expect(story.timeline(in: catalogue).purchases.map(\.productID) == spokesman.otherNames)
        }
    }

    @Test func `a period is known by any of its names too, and so are its seats`() {
        let period = VerifiedPurchase.state(
            of: "w", "price_1", .plan, at: "01-01", until: "02-01", otherNames: ["x", .annual3])
        let status = Story().attaches(period, at: "01-01").status(at: "01-02")
        #expect(status.entitlements.map(\.productID) == [.annual3] && status.devices.allowed == 3)
    }

    @Test func `the catalogue's name stands beside each store's own, whichever store sold it`() {
        let pro = Product(
            id: "pro", app: .vpn, terms: .plan(tier: "pro", planID: nil, familyShareable: false),
            cardNames: ["price_pro", "link_pro"])
        let card = VerifiedPurchase(
            key: PurchaseKey(source: .stripe, app: .cards, environment: .production, externalID: ExternalID("sub")),
            transactionID: TransactionID("sub"), productID: "price_pro", type: .plan, purchasedAt: "01-01",
            expiresAt: "02-01", signedAt: "01-01")
        let unnamed = VerifiedPurchase(
            key: PurchaseKey(source: .stripe, app: .cards, environment: .production, externalID: ExternalID("pi")),
            transactionID: TransactionID("pi"), productID: "pi", type: .oneTime, purchasedAt: "01-01",
            signedAt: "01-01")
        let status = Story()
            .attaches(.state(of: "w", "pro", .plan, at: "01-01", until: "02-01"), at: "01-01")
            .attaches(card, at: "01-01").attaches(unnamed, at: "01-01").buys("x", "unheard-of", at: "01-01")
            .grants("g", .addOn(.xyz, app: .vpn), at: "01-01")
            .status(at: "01-02", in: CatalogueVersions(.example(adding: [pro])))
        let told = status.entitlements.map { "\($0.key.externalID) \(Self.text($0.productID, $0.storeProductID))" }
        #expect(
            told.sorted() == [
                "g addon.xyz none", "pi none none", "sub pro price_pro", "w pro pro", "x none unheard-of",
            ])
        let pieces = status.segments.map { "\($0.key.externalID) \(Self.text($0.productID, $0.storeProductID))" }
        #expect(pieces.sorted() == ["sub pro price_pro", "w pro pro"])
        let explained = Set(status.explanation.map { "\($0.key.externalID) \($0.productID?.text ?? "none")" })
        #expect(explained == ["g addon.xyz", "pi none", "sub pro", "w pro", "x none"])
    }

    private static func text(_ names: ProductID?...) -> String {
        names.map { $0?.text ?? "none" }.joined(separator: " ")
    }

    @Test func `each piece of a plan names its own product, and the entitlement that of the present one`() {
        let story = Story()
            .attaches(
                .state(of: "w", .basicMonthly, .plan, period: "1", at: "01-01", until: "02-01"), at: "01-01"
            )
            .records(
                .state(
                    of: "w", .proMonthly, .plan, transaction: "w2", period: "2", at: "02-01", until: "03-01"),
                at: "02-01")
        for (at, product) in [("01-15", .basicMonthly), ("02-15", .proMonthly)] as [(Instant, ProductID)] {
            let status = story.status(at: at)
            #expect(status.entitlements.map(\.productID) == [product])
            #expect(status.entitlements.map(\.storeProductID) == [product])
            #expect(status.segments.prefix(2).map(\.productID) == [.basicMonthly, .proMonthly])
            #expect(status.segments.prefix(2).map(\.storeProductID) == [.basicMonthly, .proMonthly])
        }
    }

    @Test func `a product says which stores sell it`() {
        func sources(_ source: Source, _ cardNames: ProductID...) -> [Source] {
            Product(id: "p", source: source, app: .vpn, terms: .pass(tier: "pro", days: 1), cardNames: cardNames)
                .sources
        }
        #expect(sources(.appleIAP) == [.appleIAP] && sources(.appleIAP, "price") == [.appleIAP, .stripe])
        #expect(sources(.stripe) == [.stripe] && sources(.manual).isEmpty && sources(.manual, "price") == [.stripe])
    }

    @Test func `card billing knows a product by its names, and one that it does not sell by none`() {
        func names(_ source: Source, _ terms: Terms, _ cardNames: ProductID...) -> [ProductID] {
            Product(id: "p", source: source, app: .vpn, terms: terms, cardNames: cardNames).allCardNames
        }
        let pass = Terms.pass(tier: "pro", days: 1)
        let plan = Terms.plan(tier: "pro", planID: "plan", familyShareable: false)
        #expect(names(.appleIAP, pass) == [] && names(.appleIAP, plan) == [] && names(.manual, pass) == [])
        #expect(names(.appleIAP, pass, "price") == ["p", "price"] && names(.stripe, pass) == ["p"])
        #expect(names(.appleIAP, plan, "price") == ["p", "price", "plan"] && names(.stripe, plan) == ["p", "plan"])
    }

    @Test func `an anomaly is looked for under all names`() {
        let catalogue = CatalogueVersions(first: Self.version(1, from: "01-01", ["price": 2]))
        #expect(catalogue.possibleAnomalies(of: Self.named("product", "price")) == [])
        #expect(catalogue.possibleAnomalies(of: Self.named("product")) == [.unknownProduct])
    }
}
