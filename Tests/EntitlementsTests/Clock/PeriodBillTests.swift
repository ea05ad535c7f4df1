import Testing

@testable import Entitlements

/// Which periods are paid, of a source that tells by events and by bills (`semantics.md` §7, "Cards").
@Suite struct PeriodBillTests {
    private static let key = PurchaseKey(
        source: .stripe, app: .cards, environment: .production, externalID: ExternalID("w"))

    /// A period of an item as one event tells of it.
    private struct Told {
        let item: String
        let product: ProductID
        let startsAt: Instant
        let endsAt: Instant
        private(set) var missing: Bill?

        init(_ item: String = "a", _ product: ProductID = dear, from startsAt: Instant, until endsAt: Instant) {
            self.item = item
            self.product = product
            self.startsAt = startsAt
            self.endsAt = endsAt
        }

        /// The money for the bill is missing, and may be until an end of grace.
        func owing(_ bill: String? = nil, until graceEndsAt: Instant) -> Told {
            var told = self
            told.missing = Bill(bill, isPaid: false, graceEndsAt: graceEndsAt)
            return told
        }
    }

    private static let cheap = ProductID("price_cheap")
    private static let dear = ProductID("price_dear")
    private static let usage = ProductID("price_usage")

    private static let catalogue = CatalogueVersions(
        .example(adding: [
            Product(
                id: "cheap", app: .vpn, terms: .plan(tier: "basic", planID: "annual_1", familyShareable: false),
                cardNames: ["price_cheap"]),
            Product(
                id: "dear", app: .vpn, terms: .plan(tier: "pro", planID: "monthly_3", familyShareable: false),
                cardNames: ["price_dear"]),
        ]))

    private static func event(
        _ id: String, at signedAt: Instant, _ told: Told..., willRenew: Bool = true
    ) -> [Statement] {
        told.map { period in
            let name = "\(period.item) \(period.startsAt.text) \(period.product)"
            return .purchase(
                VerifiedPurchase(
                    key: key, transactionID: TransactionID(name), isOriginal: true, periodID: name,
                    productID: period.product, type: .plan, purchasedAt: period.startsAt, expiresAt: period.endsAt,
                    signedAt: signedAt, eventID: id, item: period.item, bill: period.missing))
        } + [
            .renewal(
                VerifiedRenewal(
                    key: key, signedAt: signedAt, willRenew: willRenew,
                    isInRetry: willRenew && told.contains { $0.missing != nil }, eventID: id))
        ]
    }

    /// A bill for a period of an item; of none for what is charged beside.
    private static func bill(
        _ id: String, at signedAt: Instant, _ item: String? = "a", _ product: ProductID = dear,
        from startsAt: Instant, isPaid: Bool, amountPaid: Int64? = nil
    ) -> [Statement] {
        [
            .purchase(
                VerifiedPurchase(
                    key: key, transactionID: TransactionID("\(id) \(item ?? "") \(product)"), isOriginal: false,
                    productID: product, type: .plan, purchasedAt: startsAt, signedAt: signedAt, item: item,
                    bill: Bill(id, isPaid: isPaid, amountPaid: amountPaid)))
        ]
    }

    private static func story(
        _ statements: [[Statement]], sourceLocation: SourceLocation = #_sourceLocation
    ) -> Story {
        .inBothOrders(statements, of: key, given: catalogue, sourceLocation: sourceLocation)
    }

    private static func lines(_ story: Story) -> [String] { story.covers(given: catalogue) }

    private static let january = event("1", at: "01-01", Told(from: "01-01", until: "02-01"))
    private static let paidJanuary = bill("in_1", at: "01-01", from: "01-01", isPaid: true)

    @Test func `a period that is not paid goes on in grace from its start, and then is tried again`() {
        let told = [
            Self.january, Self.event("2", at: "02-01", Told(from: "02-01", until: "03-01")),
            Self.event(
                "3", at: "02-02", Told(from: "02-01", until: "03-01").owing(until: "02-15")),
        ]
        let unpaid = Self.story(told)
        #expect(Self.lines(unpaid) == ["pro w 01-01..02-01", "pro w 02-01..02-15"])
        let within = unpaid.status(at: "02-10", in: Self.catalogue)
        #expect(within.state == .grace && within.entitlements.first?.plan?.graceEndsAt == "02-15")
        let after = unpaid.status(at: "02-16", in: Self.catalogue).entitlements
        #expect(after.map(\.state) == [.billingRetry] && after.map(\.willRenew) == [true])
        let paid = Self.story(
            told + [Self.event("4", at: "02-08", Told(from: "02-01", until: "03-01"), willRenew: false)])
        #expect(Self.lines(paid) == ["pro w 01-01..02-01", "pro w 02-01..03-01"])
    }

    @Test func `a first period has its grace too, and so has one whose predecessor was never seen`() {
        let story = Self.story([
            Self.event("1", at: "02-01", Told(from: "02-01", until: "03-01")),
            Self.event(
                "2", at: "02-01 01:00", Told(from: "02-01", until: "03-01").owing(until: "02-15")),
        ])
        #expect(Self.lines(story) == ["pro w 02-01..02-15"])
    }

    @Test func `a paid period stays whole when a change within it cannot be charged`() {
        let changed = Self.event(
            "2", at: "01-20", Told(from: "01-01", until: "02-01").owing("in_2", until: "01-15"))
        let paid = Self.story([Self.january, Self.paidJanuary, changed])
        #expect(Self.lines(paid) == ["pro w 01-01..02-01", "pro w 02-01..02-02"])
        let failed = Self.bill("in_2", at: "01-20", nil, from: "01-20", isPaid: false)
        let told = Self.story([Self.january, changed, failed])
        #expect(told.segments(in: Self.catalogue) == ["w 01-01..02-01"], "what failed is not for this period")
        let unknown = Self.story([Self.january, changed])
        #expect(unknown.segments(in: Self.catalogue).isEmpty && Self.lines(unknown) == ["pro w 01-01..01-15"])
        let own = Self.bill("in_2", at: "01-20", from: "01-01", isPaid: false)
        #expect(Self.lines(Self.story([Self.january, changed, own])) == ["pro w 01-01..01-15"])
        #expect(
            Self.lines(Self.story([Self.january, Self.paidJanuary, changed, own])).first == "pro w 01-01..02-01",
            "what was paid once stays paid")
    }

    @Test func `another price within a paid period is paid with it`() {
        let story = Self.story([
            Self.event("1", at: "01-01", Told("a", Self.cheap, from: "01-01", until: "02-01")),
            Self.bill("in_1", at: "01-01", "a", Self.cheap, from: "01-01", isPaid: true),
            Self.event(
                "2", at: "01-20", Told(from: "01-01", until: "02-01").owing("in_2", until: "01-15"),
                willRenew: false),
        ])
        #expect(Self.lines(story) == ["basic w 01-01..01-20", "pro w 01-20..02-01"])
    }

    @Test func `periods that follow unpaid have the grace of the first, until one is paid`() {
        let february = Self.event(
            "2", at: "02-02", Told(from: "02-01", until: "03-01").owing("in_2", until: "02-15"))
        let march = Self.event(
            "3", at: "03-01", Told(from: "03-01", until: "04-01").owing("in_3", until: "03-15"))
        let april = Self.event(
            "4", at: "04-01", Told(from: "04-01", until: "05-01").owing("in_4", until: "04-15"))
        let unpaid = Self.story([Self.january, Self.paidJanuary, february, march, april])
        #expect(Self.lines(unpaid) == ["pro w 01-01..02-01", "pro w 02-01..02-15"])
        let paid = Self.bill("in_3", at: "03-20", from: "03-01", isPaid: true)
        #expect(
            Self.lines(Self.story([Self.january, Self.paidJanuary, february, march, april, paid])) == [
                "pro w 01-01..02-01", "pro w 03-01..04-01", "pro w 02-01..02-15", "pro w 04-01..04-15",
            ])
    }

    @Test func `a period that is paid parts the unpaid ones around it, though no event told of it`() {
        let february = Self.event(
            "2", at: "02-02", Told(from: "02-01", until: "03-01").owing("in_2", until: "02-15"))
        let april = Self.event(
            "4", at: "04-01", Told(from: "04-01", until: "05-01").owing("in_4", until: "04-15"))
        let march = Self.bill("in_3", at: "03-20", from: "03-01", isPaid: true)
        #expect(
            Self.lines(Self.story([Self.january, Self.paidJanuary, february, march, april])) == [
                "pro w 01-01..02-01", "pro w 02-01..02-15", "pro w 04-01..04-15",
            ])
    }

    @Test func `a grace ends with the subscription, and is told no more`() {
        let february = Self.event(
            "2", at: "02-02", Told(from: "02-01", until: "03-01").owing("in_2", until: "02-15"))
        for (endedAt, end) in [("02-08", "02-08"), ("02-20", "02-15")] as [(Instant, String)] {
            let over = VerifiedRenewal(
                key: Self.key, signedAt: endedAt, willRenew: false, end: .billing, endedAt: endedAt, eventID: "9")
            let story = Self.story([Self.january, Self.paidJanuary, february, [.renewal(over)]])
            #expect(Self.lines(story) == ["pro w 01-01..02-01", "pro w 02-01..\(end)"])
            let told = story.status(at: "02-05", in: Self.catalogue).entitlements.first
            #expect(told?.state == .grace && told?.plan?.graceEndsAt == nil)
        }
    }

    @Test func `a grace that is longer than a period goes on through the next`() {
        let weeks = [
            Self.event("1", at: "01-01", Told(from: "01-01", until: "01-08").owing(until: "01-15")),
            Self.event("2", at: "01-08", Told(from: "01-08", until: "01-15").owing(until: "01-22")),
            Self.event("3", at: "01-15", Told(from: "01-15", until: "01-22").owing(until: "01-29")),
        ]
        #expect(Self.lines(Self.story(weeks)) == ["pro w 01-01..01-08", "pro w 01-08..01-15"])
    }

    @Test func `a grace ends when the source gives up, and is not there at all where none is granted`() {
        let pastDue = Self.event(
            "2", at: "02-02", Told(from: "02-01", until: "03-01").owing(until: "02-15"))
        let unpaid = Self.event(
            "3", at: "02-10", Told(from: "02-01", until: "03-01").owing(until: "02-10"), willRenew: false)
        let again = Self.event(
            "4", at: "02-12", Told(from: "02-01", until: "03-01").owing(until: "02-12"), willRenew: false)
        let story = Self.story([Self.january, Self.paidJanuary, pastDue, unpaid, again])
        #expect(Self.lines(story) == ["pro w 01-01..02-01", "pro w 02-01..02-10"])
        #expect(story.status(at: "02-11", in: Self.catalogue).entitlements.map(\.willRenew) == [false])
        let strict = Self.event("2", at: "02-02", Told(from: "02-01", until: "03-01").owing(until: "02-01"))
        #expect(Self.lines(Self.story([Self.january, strict])) == ["pro w 01-01..02-01"])
    }

    @Test func `each thing in a subscription is paid, renewed and in grace by itself`() {
        let both = Self.event(
            "1", at: "01-01", Told("a", Self.dear, from: "01-01", until: "02-01"),
            Told("b", Self.cheap, from: "01-01", until: "02-01"))
        let failed = Self.event(
            "2", at: "02-02", Told("a", Self.dear, from: "02-01", until: "03-01").owing(until: "02-15"),
            Told("b", Self.cheap, from: "02-01", until: "03-01").owing(until: "02-15"))
        #expect(
            Self.lines(Self.story([both, failed])) == [
                "pro w 01-01..02-01", "basic w 01-01..02-01", "pro w 02-01..02-15", "basic w 02-01..02-15",
            ])
        #expect(
            Self.lines(Self.story([both])).suffix(2) == ["pro w 02-01..02-02", "basic w 02-01..02-02"],
            "each has its leeway")
    }

    @Test func `a month that fails takes nothing of the year beside it`() {
        let year = Told("a", Self.cheap, from: "01-01", until: "2027-01-01")
        let story = Self.story([
            Self.event("1", at: "01-01", year, Told("b", Self.dear, from: "01-01", until: "02-01")),
            Self.event(
                "2", at: "02-02", year.owing("in_2", until: "01-15"),
                Told("b", Self.dear, from: "02-01", until: "03-01").owing("in_2", until: "02-15")),
            Self.bill("in_2", at: "02-02", "b", from: "02-01", isPaid: false),
        ])
        #expect(
            story.segments(in: Self.catalogue) == ["w 01-01..02-01", "w 01-01..2027-01-01"]
                && Self.lines(story).contains("pro w 02-01..02-15"))
        for (instant, product, planID, tier) in [
            ("01-15", "dear", "monthly_3", "pro"), ("02-10", "dear", "monthly_3", "pro"),
            ("02-20", "cheap", "annual_1", "basic"),
        ] as [(Instant, ProductID, String, TierID)] {
            let status = story.status(at: instant, in: Self.catalogue)
            let told = status.entitlements.first
            #expect(status.tier == tier && told?.tier == tier, "what wins is told")
            #expect(told?.productID == product && told?.planID == planID)
        }
        let later = story.status(at: "02-20", in: Self.catalogue).entitlements.first
        #expect(later?.state == .running && later?.willRenew == true && later?.plan?.isInBillingRetry == false)
        let during = story.status(at: "02-10", in: Self.catalogue).entitlements.first
        #expect(during?.state == .running, "the year is paid, though the month is in grace")
    }

    @Test func `what the catalogue does not know says nothing of what it does`() {
        let year = Told("a", Self.cheap, from: "01-01", until: "2027-01-01")
        let story = Self.story([
            Self.event("1", at: "01-01", year, Told("b", Self.usage, from: "01-01", until: "02-01")),
            Self.event("2", at: "02-01", year, Told("b", Self.usage, from: "02-01", until: "03-01")),
        ])
        #expect(Self.lines(story) == ["basic w 01-01..2027-01-01", "basic w 2027-01-01..2027-01-02"])
        let told = story.status(at: "02-10", in: Self.catalogue).entitlements.first
        #expect(told?.willRenew == true && told?.kind == .plan && told?.productID == "cheap")
    }

    @Test func `what is taken off a subscription has no leeway, and neither renews`() {
        let story = Self.story([
            Self.event(
                "1", at: "01-01", Told("a", Self.dear, from: "01-01", until: "02-01"),
                Told("b", Self.cheap, from: "01-01", until: "02-01")),
            Self.event("2", at: "02-01", Told("b", Self.cheap, from: "02-01", until: "03-01")),
        ])
        #expect(
            Self.lines(story) == [
                "pro w 01-01..02-01", "basic w 01-01..02-01", "basic w 02-01..03-01", "basic w 03-01..03-02",
            ])
        let before = story.status(at: "01-31", in: Self.catalogue).entitlements.first
        #expect(before?.productID == "dear" && before?.willRenew == false)
    }

    @Test func `a refund of a period takes all of it that no payment of its own covers`() {
        let charged = VerifiedPurchase(
            key: Self.key, transactionID: TransactionID("ch"), isOriginal: false, periodID: "a 01-01 \(Self.cheap)",
            productID: Self.cheap, type: .plan, purchasedAt: "01-01",
            revocation: Revocation(revokedAt: "01-15", share: 100_000), signedAt: "01-15", eventID: "9", item: "a")
        let told = [
            Self.event("1", at: "01-01", Told("a", Self.cheap, from: "01-01", until: "02-01")),
            Self.bill("in_1", at: "01-01", "a", Self.cheap, from: "01-01", isPaid: true),
            Self.event("2", at: "01-10", Told(from: "01-01", until: "02-01"), willRenew: false),
            [.purchase(charged)],
        ]
        #expect(Self.lines(Self.story(told)) == ["basic w 01-01..01-10", "pro w 01-10..01-15"])
        for (item, isPaid, end) in [(nil, true, "02-01"), (nil, false, "01-15"), ("a", true, "02-01")]
            as [(String?, Bool, String)]
        {
            let upgrade = Self.bill("in_2", at: "01-10", item, from: item == nil ? "01-10" : "01-01", isPaid: isPaid)
            #expect(Self.lines(Self.story(told + [upgrade])) == ["basic w 01-01..01-10", "pro w 01-10..\(end)"])
        }
        let other = Self.bill("in_2", at: "02-01", nil, from: "02-01", isPaid: true)
        #expect(Self.lines(Self.story(told + [other])).last == "pro w 01-10..01-15", "it is for the next period")
        let earlier = Self.bill("in_0", at: "2025-12-01", from: "2025-12-01", isPaid: true)
        #expect(Self.lines(Self.story(told + [earlier])).last == "pro w 01-10..01-15", "it was for the one before")
    }

    /// A payment of January that went back whole, or did not after all.
    private static func back(
        _ id: String, at signedAt: Instant, _ payment: Int64?, for product: ProductID = dear, isBack: Bool = true
    ) -> [Statement] {
        let revocation = Revocation(revokedAt: signedAt, share: Revocation.fullShare, payment: payment)
        return [
            .purchase(
                VerifiedPurchase(
                    key: key, transactionID: TransactionID(id), isOriginal: false, periodID: "a 01-01 \(product)",
                    productID: product, type: .plan, purchasedAt: "01-01", revocation: isBack ? revocation : nil,
                    signedAt: signedAt, eventID: "\(id) \(signedAt.text)", item: "a"))
        ]
    }

    @Test func `a period ends once the payments that went back come to what was paid of its bill, and not before`() {
        let month = Self.event("1", at: "01-01", Told(from: "01-01", until: "02-01"), willRenew: false)
        let paid = Self.bill("in_1", at: "01-01", from: "01-01", isPaid: true, amountPaid: 1_000)
        let first = Self.back("ch_1", at: "01-10", 400)
        for (takings, pieces) in [
            ([first], ["01-01..02-01"]), ([first, Self.back("ch_2", at: "01-20", 599)], ["01-01..02-01"]),
            ([first, Self.back("ch_2", at: "01-20", 600)], ["01-01..01-20"]),
            ([first, Self.back("ch_2", at: "01-20", 601)], ["01-01..01-20"]),
            ([first, Self.back("ch_1", at: "01-20", 600)], ["01-01..02-01"]),
            ([first, Self.back("dispute", at: "01-20", nil)], ["01-01..01-20"]),
            ([Self.back("ch_1", at: "01-10", 1_000)], ["01-01..01-10"]),
            ([first, Self.back("ch_2", at: "01-12", .max), Self.back("ch_3", at: "01-14", .max)], ["01-01..01-12"]),
            (
                [first, Self.back("ch_2", at: "01-12", 600), Self.back("ch_2", at: "01-15", nil, isBack: false)],
                ["01-01..01-12", "01-15..02-01"]
            ),
        ] as [([[Statement]], [String])] {
            #expect(Self.lines(Self.story([month, paid] + takings)) == pieces.map { "pro w " + $0 })
        }
        let unsaid = Self.story([month, Self.paidJanuary, first])
        #expect(Self.lines(unsaid) == ["pro w 01-01..01-10"], "nobody says what was paid in all")
        let less = Self.bill("in_1", at: "01-02", from: "01-01", isPaid: true, amountPaid: 400)
        #expect(Self.lines(Self.story([month, paid, less, first])) == ["pro w 01-01..02-01"], "the larger counts")
        let february = Self.bill("in_2", at: "02-01", from: "02-01", isPaid: true, amountPaid: 1_000)
        #expect(Self.lines(Self.story([month, february, first])) == ["pro w 01-01..01-10"], "another month's bill")
    }

    @Test func `payments for a period take together what no payment of its own covers`() {
        let told = [
            Self.event("1", at: "01-01", Told("a", Self.cheap, from: "01-01", until: "02-01")),
            Self.bill("in_1", at: "01-01", "a", Self.cheap, from: "01-01", isPaid: true, amountPaid: 1_000),
            Self.event("2", at: "01-10", Told(from: "01-01", until: "02-01"), willRenew: false),
            Self.back("ch_1", at: "01-15", 400, for: Self.cheap),
        ]
        #expect(Self.lines(Self.story(told)) == ["basic w 01-01..01-10", "pro w 01-10..02-01"])
        let both = told + [Self.back("ch_2", at: "01-20", 600, for: Self.cheap)]
        #expect(Self.lines(Self.story(both)) == ["basic w 01-01..01-10", "pro w 01-10..01-20"])
        let own = both + [Self.bill("in_2", at: "01-10", from: "01-01", isPaid: true, amountPaid: 500)]
        #expect(Self.lines(Self.story(own)) == ["basic w 01-01..01-10", "pro w 01-10..02-01"])
        let taken = own + [Self.back("ch_3", at: "01-25", 500)]
        #expect(Self.lines(Self.story(taken)) == ["basic w 01-01..01-10", "pro w 01-10..01-25"])
    }

    @Test func `bills alone make no purchase`() {
        let story = Self.story([Self.paidJanuary])
        #expect(story.status(at: "01-15", in: Self.catalogue).entitlements.isEmpty)
    }
}
