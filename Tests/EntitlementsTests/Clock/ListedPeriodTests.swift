import Testing

@testable import Entitlements

/// A source that tells by events: each lists the periods that run (`semantics.md` §7).
@Suite struct ListedPeriodTests {
    private static let key = PurchaseKey(
        source: .stripe, app: .cards, environment: .production, externalID: ExternalID("w"))

    /// What one event says of periods, each its price, start and end. The ids of the periods end with `mark`.
    private static func event(
        _ id: String, at signedAt: Instant, _ periods: (ProductID, Instant, Instant)..., quantity: Int = 1,
        suspension: Suspension? = nil, offer: String? = nil, item: String? = nil, mark: String = ""
    ) -> [Statement] {
        periods.map { product, start, end in
            let period = "\(start.text) \(product)\(mark)"
            return .purchase(
                VerifiedPurchase(
                    key: key, transactionID: TransactionID(period), isOriginal: true, periodID: period,
                    productID: product, type: .plan, purchasedAt: start, expiresAt: end, quantity: quantity,
                    offer: offer, suspension: suspension, signedAt: signedAt, eventID: id, item: item))
        }
    }

    private static func renewal(
        _ id: String, at signedAt: Instant, willRenew: Bool = true, endedAt: Instant? = nil
    ) -> [Statement] {
        [
            .renewal(
                VerifiedRenewal(
                    key: key, signedAt: signedAt, willRenew: willRenew, end: endedAt.map { _ in .cancelled },
                    endedAt: endedAt, eventID: id))
        ]
    }

    private static func story(
        _ statements: [[Statement]], sourceLocation: SourceLocation = #_sourceLocation
    ) -> Story {
        .inBothOrders(statements, of: key, given: catalogue, sourceLocation: sourceLocation)
    }

    private static func lines(_ story: Story) -> [String] { story.covers(given: catalogue) }

    private static let catalogue = CatalogueVersions(
        .example(adding: [
            Product(
                id: "cheap", app: .vpn, terms: .plan(tier: "basic", planID: nil, familyShareable: false),
                seatsFollowQuantity: true, cardNames: ["price_cheap"]),
            Product(
                id: "dear", app: .vpn, terms: .plan(tier: "pro", planID: "monthly_3", familyShareable: false),
                cardNames: ["price_dear"]),
        ]))

    private static let cheap = ProductID("price_cheap")
    private static let dear = ProductID("price_dear")

    @Test func `an upgrade within the period takes the place of what ran, from when it was told`() {
        let story = Self.story([
            Self.event("1", at: "01-01", (Self.cheap, "01-01", "02-01")), Self.renewal("1", at: "01-01"),
            Self.event("2", at: "01-10", (Self.dear, "01-01", "02-01")), Self.renewal("2", at: "01-10"),
        ])
        #expect(Self.lines(story) == ["basic w 01-01..01-10", "pro w 01-10..02-01", "pro w 02-01..02-02"])
    }

    @Test func `a downgrade within the period is what renews, whatever the ids of its periods`() {
        let folds = (0..<50).map { number in
            let mark = "\(number)"
            return Self.lines(
                Self.story([
                    Self.event("1", at: "01-01", (Self.dear, "01-01", "02-01"), mark: mark),
                    Self.renewal("1", at: "01-01"),
                    Self.event("2", at: "01-10", (Self.cheap, "01-01", "02-01"), mark: mark),
                    Self.renewal("2", at: "01-10"),
                ]))
        }
        #expect(Set(folds) == [["pro w 01-01..01-10", "basic w 01-10..02-01", "basic w 02-01..02-02"]])
    }

    @Test func `there and back again covers without a gap`() {
        let story = Self.story([
            Self.event("1", at: "01-01", (Self.cheap, "01-01", "02-01")),
            Self.event("2", at: "01-10", (Self.dear, "01-01", "02-01")),
            Self.event("3", at: "01-20", (Self.cheap, "01-01", "02-01")),
            Self.renewal("3", at: "01-20", willRenew: false),
        ])
        #expect(Self.lines(story) == ["basic w 01-01..01-10", "pro w 01-10..01-20", "basic w 01-20..02-01"])
        for (instant, product) in [
            ("2025-12-31", "cheap"), ("01-09", "cheap"), ("01-10", "dear"), ("01-19", "dear"), ("01-20", "cheap"),
        ] as [(Instant, String)] {
            let told = story.status(at: instant, in: Self.catalogue).entitlements.first?.productID?.text
            #expect(told == product, "the present period at \(instant.text)")
        }
        let over = story.status(at: "02-01", in: Self.catalogue)
        #expect(over.explanation.map(\.reason) == [.finished], "what came back is over at its end")
    }

    @Test(arguments: [(cheap, dear), (dear, cheap)])
    func `what was there before two changes of one second is the first, whatever its name`(
        first: ProductID, second: ProductID
    ) {
        let story = Self.story([
            Self.event("1", at: "01-01", (first, "01-01", "02-01")),
            Self.event("2", at: "01-10", (second, "01-01", "02-01")),
            Self.event("3", at: "01-10", ("unknown", "01-01", "02-01")),
        ])
        let told = story.status(at: "2025-12-31", in: Self.catalogue).entitlements.first?.productID?.text
        #expect(told == (first == Self.cheap ? "cheap" : "dear"))
    }

    @Test(arguments: [(cheap, dear), (dear, cheap)])
    func `of two changes in one second the one made first is the first, whatever its name`(
        first: ProductID, second: ProductID
    ) {
        let story = Self.story([
            Self.event("1", at: "01-01", ("unknown", "01-01", "02-01")),
            Self.event("2", at: "01-10", (first, "01-01", "02-01")),
            Self.event("3", at: "01-10", (second, "01-01", "02-01")),
            Self.event("4", at: "01-20", ("unknown", "01-20", "02-20")),
        ])
        let names = [Self.cheap: "cheap", Self.dear: "dear"]
        for (instant, price) in [("2025-12-31", first), ("01-15", second), ("02-25", second)] as [(Instant, ProductID)]
        {
            let told = story.status(at: instant, in: Self.catalogue).entitlements.first?.productID?.text
            #expect(told == names[price], "told at \(instant.text)")
        }
    }

    @Test(arguments: [(cheap, dear), (dear, cheap)])
    func `of changes there and back in one second the first is what was replaced for good first`(
        first: ProductID, second: ProductID
    ) {
        let story = Self.story([
            Self.event("1", at: "01-01", (first, "01-01", "02-01")),
            Self.event("2", at: "01-01", (second, "01-01", "02-01")),
            Self.event("3", at: "01-01", (first, "01-01", "02-01")),
            Self.event("4", at: "01-01", ("unknown", "01-01", "02-01")),
        ])
        let names = [Self.cheap: "cheap", Self.dear: "dear"]
        for (instant, price) in [("2025-12-31", second), ("01-15", first)] as [(Instant, ProductID)] {
            let told = story.status(at: instant, in: Self.catalogue).entitlements.first?.productID?.text
            #expect(told == names[price], "told at \(instant.text)")
        }
    }

    @Test func `of two items each goes on where its own next period begins, though an event was lost`() {
        let story = Self.story([
            Self.event("1", at: "01-01", ("dear", "01-01", "02-01"), item: "a")
                + Self.event("1", at: "01-01", ("cheap", "01-01", "01-29"), item: "b"),
            Self.event("2", at: "02-01", ("dear", "02-01", "03-01"), item: "a")
                + Self.event("2", at: "02-01", ("cheap", "01-29", "02-26"), item: "b"),
            Self.renewal("2", at: "02-01", willRenew: false),
        ])
        #expect(
            Set(Self.lines(story)) == [
                "pro w 01-01..02-01", "basic w 01-01..01-29", "basic w 01-29..02-26", "pro w 02-01..03-01",
            ])
    }

    @Test func `an upgrade beside an item that began earlier begins when it was told`() {
        let year: (ProductID, Instant, Instant) = (Self.cheap, "01-01", "2027-01-01")
        let story = Self.story([
            Self.event("1", at: "01-05", year, item: "a")
                + Self.event("1", at: "01-05", (Self.cheap, "01-05", "02-05"), item: "b"),
            Self.event("2", at: "01-20", year, item: "a")
                + Self.event("2", at: "01-20", (Self.dear, "01-05", "02-05"), item: "b"),
            Self.renewal("2", at: "01-20", willRenew: false),
        ])
        #expect(
            Set(Self.lines(story)) == ["basic w 01-01..2027-01-01", "basic w 01-05..01-20", "pro w 01-20..02-05"])
    }

    @Test func `a change of cadence ends the period where the next one begins, and a renewal leaves no gap`() {
        let story = Self.story([
            Self.event("1", at: "01-01", (Self.cheap, "01-01", "02-01")),
            Self.event("2", at: "01-10", (Self.dear, "01-09", "02-09")),
            Self.event("3", at: "02-10", (Self.dear, "02-09", "03-09")),
            Self.renewal("3", at: "02-10", willRenew: false),
        ])
        #expect(Self.lines(story) == ["basic w 01-01..01-09", "pro w 01-09..02-09", "pro w 02-09..03-09"])
    }

    @Test func `two things under one subscription run side by side, until one is taken off`() {
        let story = Self.story([
            Self.event("1", at: "01-01", (Self.cheap, "01-01", "02-01"), (Self.dear, "01-01", "02-01")),
            Self.event("2", at: "01-15", (Self.cheap, "01-01", "02-01")),
            Self.renewal("2", at: "01-15", willRenew: false),
        ])
        #expect(Self.lines(story) == ["pro w 01-01..01-15", "basic w 01-01..02-01"])
    }

    @Test func `a period that another replaces before its end is superseded, and at its end it is finished`() {
        for (instant, reason) in [
            ("01-20", .superseded), ("01-31 23:59:59.999", .superseded), ("02-01", .finished),
        ] as [(Instant, Explanation.Reason)] {
            let story = Self.story([
                Self.event("1", at: "01-01", (Self.dear, "01-01", "02-01")),
                Self.event("2", at: instant, ("unknown", instant, "03-01")),
            ])
            #expect(story.status(at: "02-15", in: Self.catalogue).explanation.map(\.reason) == [reason])
        }
    }

    @Test func `a subscription is of the product of an item that still runs, though another began later`() {
        let year: (ProductID, Instant, Instant) = (Self.cheap, "01-01", "2027-01-01")
        let story = Self.story([
            Self.event("1", at: "01-05", year, item: "b")
                + Self.event("1", at: "01-05", (Self.dear, "01-05", "02-05"), item: "a"),
            Self.event("2", at: "01-15", year, item: "b"),
        ])
        #expect(story.timeline(in: Self.catalogue).subscriptions.map(\.productID) == ["cheap"])
    }

    @Test func `of items that all run a subscription is of the product of the one that began last`() {
        let folds = (1...10).flatMap { count in
            let others = (1...count).flatMap { number in
                Self.event("1", at: "01-01", (Self.dear, "01-01", "02-01"), item: "a\(number)", mark: "\(number)")
            }
            let last = Self.event("1", at: "01-01", (Self.cheap, "01-05", "02-05"), item: "b")
            return Self.story([others + last]).timeline(in: Self.catalogue).subscriptions.map(\.productID)
        }
        #expect(folds == Array(repeating: "cheap", count: 10))
    }

    @Test func `what is over stays over, whatever is told of it at any time`() {
        let told = [
            Self.event("1", at: "01-01", (Self.dear, "01-01", "02-01")), Self.renewal("1", at: "01-01"),
            Self.renewal("2", at: "01-20", willRenew: false, endedAt: "01-20"),
            Self.renewal("3", at: "01-25", willRenew: false, endedAt: "01-18"),
            Self.event("4", at: "01-30", (Self.dear, "01-01", "02-01")), Self.renewal("4", at: "01-30"),
            Self.event("5", at: "02-01", (Self.dear, "02-01", "03-01")), Self.renewal("5", at: "02-01"),
        ]
        let story = Self.story(told)
        #expect(Self.lines(story) == ["pro w 01-01..01-18"])
        let entitlement = story.status(at: "02-05", in: Self.catalogue).entitlements.first
        #expect(entitlement?.state == .finished && entitlement?.willRenew == false)
    }

    @Test func `of two events of one time the larger id is the newer, and one that ends is newer than any`() {
        let told = [
            Self.event("1", at: "01-01", (Self.dear, "01-01", "02-01"), quantity: 2, offer: "trial"),
            Self.event("3", at: "01-01", (Self.dear, "01-01", "03-01"), quantity: 3),
            Self.event(
                "2", at: "01-01", (Self.dear, "01-01", "04-01"),
                suspension: Suspension(startsAt: "01-05", endsAt: nil)),
            Self.renewal("3", at: "01-01", willRenew: false), Self.renewal("2", at: "01-01"),
        ]
        #expect(Self.lines(Self.story(told)) == ["pro w 01-01..03-01"])
        let ended = VerifiedRenewal(key: Self.key, signedAt: "01-01", willRenew: false, end: .billing, eventID: "0")
        let later = VerifiedRenewal(key: Self.key, signedAt: "01-01", willRenew: true, eventID: "9")
        #expect(VerifiedRenewal.precedes(later, ended) && !VerifiedRenewal.precedes(ended, later))
    }

    @Test func `units are seats where the catalogue says so, as the newest event has them`() {
        let story = Self.story([
            Self.event("1", at: "01-01", (Self.cheap, "01-01", "02-01"), quantity: 2),
            Self.event("2", at: "01-10", (Self.cheap, "01-01", "02-01"), quantity: 7),
        ])
        #expect(story.status(at: "01-15", in: Self.catalogue).devices.allowed == 7)
        let dear = Self.story([Self.event("1", at: "01-01", (Self.dear, "01-01", "02-01"), quantity: 9)])
        #expect(dear.status(at: "01-15", in: Self.catalogue).devices.allowed == 3)
    }

    @Test func `no number of units is more seats than a catalogue may say, and none ends what ran`() {
        let story = Self.story([
            Self.event("1", at: "01-01", (Self.cheap, "01-01", "02-01"), quantity: .max),
            Self.event("2", at: "01-10", (Self.cheap, "01-01", "02-01"), quantity: 0),
            Self.event("3", at: "01-20", (Self.cheap, "01-01", "02-01"), quantity: 2),
            Self.renewal("3", at: "01-20", willRenew: false),
        ])
        #expect(Self.lines(story) == ["basic w 01-01..01-10", "basic w 01-20..02-01"])
        #expect(story.status(at: "01-05", in: Self.catalogue).devices.allowed == 2)
        let many = Self.story([Self.event("1", at: "01-01", (Self.cheap, "01-01", "02-01"), quantity: .max)])
        #expect(many.status(at: "01-05", in: Self.catalogue).devices.allowed == 10_000)
        let none = Self.story([Self.event("1", at: "01-01", (Self.cheap, "01-01", "02-01"), quantity: 0)])
        #expect(none.status(at: "01-05", in: Self.catalogue).entitlements.isEmpty)
    }

    @Test func `a pause lasts from the first event of a run that says so to the next that does not`() {
        let pause = Suspension(startsAt: "01-10", endsAt: nil)
        func event(_ id: String, at signedAt: Instant, isPaused: Bool) -> [Statement] {
            Self.event(
                id, at: signedAt, (Self.dear, "01-01", "02-01"),
                suspension: isPaused ? Suspension(startsAt: signedAt, endsAt: nil) : nil)
        }
        let told = [
            event("1", at: "01-01", isPaused: false), event("2", at: "01-10", isPaused: true),
            event("3", at: "01-12", isPaused: true),
        ]
        let paused = Self.story(told + [Self.renewal("3", at: "01-12", willRenew: false)])
        #expect(Self.lines(paused) == ["pro w 01-01..01-10"])
        #expect(paused.status(at: "01-15", in: Self.catalogue).entitlements.map(\.state) == [.suspended])
        #expect(paused.timeline(in: Self.catalogue).nextChange(after: "01-09") == pause.startsAt)
        let resumed = Self.story(
            told + [
                event("4", at: "01-20", isPaused: false), event("5", at: "01-25", isPaused: true),
                event("6", at: "01-28", isPaused: false), Self.renewal("6", at: "01-28", willRenew: false),
            ])
        #expect(Self.lines(resumed) == ["pro w 01-01..01-10", "pro w 01-20..01-25", "pro w 01-28..02-01"])
    }

    @Test func `a copy that tells of a refund revokes its period and says nothing else of it`() {
        let revoked = VerifiedPurchase(
            key: Self.key, transactionID: TransactionID("ch"), isOriginal: false, periodID: "01-01 \(Self.dear)",
            productID: Self.dear, type: .plan, purchasedAt: "01-01",
            revocation: Revocation(revokedAt: "01-12", share: 100_000), signedAt: "01-12", eventID: "9")
        let story = Self.story([
            Self.event("1", at: "01-01", (Self.dear, "01-01", "02-01"), offer: "trial"), [.purchase(revoked)],
            Self.event("2", at: "01-20", (Self.dear, "01-01", "02-01"), offer: "trial"),
            Self.renewal("2", at: "01-20", willRenew: false),
        ])
        #expect(Self.lines(story) == ["pro w 01-01..01-12"])
        #expect(story.timeline(in: Self.catalogue).purchases.first?.windows.first?.offer == "trial")
    }
}
