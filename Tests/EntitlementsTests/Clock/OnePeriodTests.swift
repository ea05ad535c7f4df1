import Entitlements
import Testing

/// Within a chain of the App Store one period runs at a time (`semantics.md` §7).
@Suite struct OnePeriodTests {
    private static let annual = Product(
        id: "pro.annual", app: .vpn, terms: .plan(tier: "pro", planID: "annual_2", familyShareable: false))
    private static let catalogue = CatalogueVersions(.example(adding: [annual]))

    private static func period(
        _ name: String, _ product: ProductID = .proMonthly, at: Instant, until: Instant, isUpgraded: Bool = false,
        isFamilyShared: Bool = false, signedAt: Instant? = nil
    ) -> VerifiedPurchase {
        .state(
            of: "w", product, .plan, transaction: "t\(name)", period: name, at: at, until: until,
            isFamilyShared: isFamilyShared, isUpgraded: isUpgraded, signedAt: signedAt)
    }

    private static func ended(at instant: Instant) -> Statement {
        .renewal(
            VerifiedRenewal(
                key: .pass("w"), signedAt: instant, willRenew: false, end: .cancelled, course: .ended))
    }

    /// Tells the statements in every order and checks what covers, then what covers in grace.
    private func check(
        _ statements: [Statement], covers expected: String..., sourceLocation: SourceLocation = #_sourceLocation
    ) {
        for order in statements.orders {
            let covers = Story.telling(order, of: .pass("w")).covers(given: Self.catalogue)
            #expect(covers == expected, sourceLocation: sourceLocation)
        }
    }

    @Test func `a later period ends the one that it begins in, though nobody says that it was upgraded`() {
        let year = Self.period("1", "pro.annual", at: "01-01", until: "2027-01-01")
        let month = Self.period("2", .basicMonthly, at: "01-06", until: "02-05")
        check(
            [.purchase(year), .purchase(month)], covers: "pro w 01-01..01-06", "basic w 01-06..02-05",
            "basic w 02-05..02-06")
        let next = Self.period("3", .basicMonthly, at: "02-05", until: "03-05")
        check(
            [.purchase(year), .purchase(month), .purchase(next)], covers: "pro w 01-01..01-06",
            "basic w 01-06..02-05", "basic w 02-05..03-05", "basic w 03-05..03-06")
        let last = Self.period("0", at: "01-03", until: "01-10")
        check(
            [.purchase(year), .purchase(month), .purchase(last)], covers: "pro w 01-01..01-03", "pro w 01-03..01-06",
            "basic w 01-06..02-05", "basic w 02-05..02-06")
    }

    @Test func `what an upgrade replaced does not come back when the higher plan expires`() {
        let year = Self.period("1", .annual3, at: "01-01", until: "2027-01-01")
        let month = Self.period("2", at: "01-21", until: "02-21")
        let again = Self.period("2", at: "01-21", until: "02-21", signedAt: "02-21")
        let covers = ["basic w 01-01..01-21", "pro w 01-21..02-21"]
        check(
            [.purchase(year), .purchase(month), .purchase(again), Self.ended(at: "02-21")], covers: covers[0],
            covers[1])
        check([.purchase(year), .purchase(month)], covers: covers[0], covers[1], "pro w 02-21..02-22")
        let upgraded = Self.period("1", .annual3, at: "01-01", until: "2027-01-01", isUpgraded: true, signedAt: "01-22")
        check(
            [.purchase(year), .purchase(upgraded), .purchase(month), Self.ended(at: "02-21")], covers: covers[0],
            covers[1])
        check([.purchase(upgraded), Self.ended(at: "02-21")], covers: "basic w 01-01..01-22")
        let status = Story.telling([.purchase(year), .purchase(month)], of: .pass("w")).status(at: "01-10")
        #expect(status.expiresAt == "02-21" && status.tier == "basic")
    }

    @Test(arguments: [.family, .unknown, .mistyped] as [Part])
    fileprivate func `a period that gives nothing ends the one before it too, and is told`(part: Part) {
        let month = Self.period("1", at: "01-01", until: "02-01")
        let other = Self.period(
            "2", part.product, at: "01-10", until: "01-17", isFamilyShared: part == .family)
        check([.purchase(month), .purchase(other)], covers: "pro w 01-01..01-10")
        let timeline = Story.telling([.purchase(month), .purchase(other)], of: .pass("w")).timeline()
        #expect(timeline.anomaly(of: month.key, at: "01-20") == part.anomaly)
        #expect(timeline.disposition(of: month, at: "01-20") == .counts)
        #expect(timeline.disposition(of: other, at: "01-20") == .recorded(part.obstacle))
        #expect(timeline.disposition(of: month.key, at: "01-20") == .counts)
        let entitlement = timeline.status(at: "01-20").entitlements.first
        #expect(entitlement?.kind == .plan && entitlement?.state == .finished && entitlement?.willRenew == false)
        let back = Self.period("3", at: "01-17", until: "02-17")
        let later = Story.telling([.purchase(month), .purchase(other), .purchase(back)], of: .pass("w")).timeline()
        #expect(later.anomaly(of: month.key, at: "01-20") == nil, "its newest period counts")
        #expect(later.disposition(of: other, at: "01-20") == .recorded(part.obstacle))
    }

    @Test func `a quarantined period is told, and the rest of the chain counts`() {
        let month = Self.period("1", at: "01-01", until: "02-01")
        let torn = [ProductID.proMonthly, .basicMonthly].map { Self.period("2", $0, at: "02-01", until: "03-01") }
        let timeline = Story.telling([month, torn[0], torn[1]].map { .purchase($0) }, of: .pass("w")).timeline()
        #expect(timeline.anomaly(of: month.key, at: "01-20") == .quarantined)
        #expect(timeline.disposition(of: torn[1], at: "01-20") == .recorded(.quarantined))
        #expect(timeline.disposition(of: month, at: "01-20") == .counts)
    }

    @Test func `of two that begin together the one that was stated later stays, then the larger id`() {
        let first = Self.period("2", .basicMonthly, at: "01-01", until: "03-01")
        let later = Self.period("1", at: "01-01", until: "02-01", signedAt: "01-02")
        check([.purchase(first), .purchase(later)], covers: "pro w 01-01..02-01", "pro w 02-01..02-02")
        let again = Self.period("2", .basicMonthly, at: "01-01", until: "03-01", signedAt: "01-03")
        check(
            [.purchase(first), .purchase(later), .purchase(again)], covers: "pro w 01-01..02-01",
            "pro w 02-01..02-02")
        let together = Self.period("1", at: "01-01", until: "02-01")
        check([.purchase(first), .purchase(together)], covers: "basic w 01-01..03-01", "basic w 03-01..03-02")
    }

    @Test func `a restored copy of an old period ends nothing`() {
        let month = Self.period("1", at: "01-01", until: "02-01")
        let copy = Self.period("0", .basicMonthly, at: "01-10", until: "2025-12-20")
        check([.purchase(month), .purchase(copy)], covers: "pro w 01-01..02-01", "pro w 02-01..02-02")
        check([.purchase(copy)])
        let story = Story.telling([.purchase(month), .purchase(copy)], of: .pass("w"))
        #expect(story.status(at: "02-05").entitlements.map(\.productID) == [.proMonthly])
        #expect(story.timeline().anomaly(of: month.key, at: "02-05") == nil)
        let alone = Story.telling([.purchase(copy)], of: .pass("w")).status(at: "01-15")
        #expect(alone.entitlements.map(\.state) == [.finished] && alone.state == .none)
    }

    @Test func `what is paid after a withdrawal is told, unless the store gave it back`() {
        let month = Self.period("1", at: "01-01", until: "02-01")
        let next = Self.period("2", at: "02-01", until: "03-01")
        func anomaly(_ states: [VerifiedPurchase], withdrawnAt: Instant) -> Anomaly? {
            Story.telling(states.map { .purchase($0) }, of: .pass("w")).told(.withdrawn(.pass("w")), at: withdrawnAt)
                .timeline().anomaly(of: month.key, at: "02-02")
        }
        #expect(anomaly([month, next], withdrawnAt: "01-15") == .paidAfterWithdrawal)
        #expect(anomaly([month, next], withdrawnAt: "02-01") == .paidAfterWithdrawal)
        #expect(anomaly([month, next], withdrawnAt: "02-01 00:00:00.001") == nil)
        #expect(anomaly([month], withdrawnAt: "01-15") == nil)
        let back = next.with(revocation: Revocation(revokedAt: "02-03", share: 100_000), signedAt: "02-03")
        #expect(anomaly([month, next, back], withdrawnAt: "01-15") == nil)
        let story = Story.telling([.purchase(month), .purchase(next)], of: .pass("w"))
            .told(.withdrawn(.pass("w")), at: "01-15")
        #expect(story.covers(given: .example) == ["pro w 01-01..01-15"])
    }

    /// A kind of period that gives nothing.
    fileprivate enum Part {
        case family
        case unknown
        case mistyped

        var product: ProductID {
            switch self {
            case .family: .proMonthly
            case .unknown: "pro.weekly"
            case .mistyped: .pro30
            }
        }

        var obstacle: Purchase.Obstacle {
            switch self {
            case .family: .familyShared
            case .unknown: .unknownProduct
            case .mistyped: .productTypeMismatch
            }
        }

        var anomaly: Anomaly {
            switch self {
            case .family: .familyShared
            case .unknown: .unknownProduct
            case .mistyped: .productTypeMismatch
            }
        }
    }
}

extension Story {
    /// The statements, in this order, about a purchase that is the user's.
    static func telling(_ statements: [Statement], of key: PurchaseKey) -> Story {
        statements.reduce(Story()) { $0.states($1, at: "12-01") }.told(.bound(key), at: "12-01")
    }
}

extension Array {
    /// Every order of the elements.
    var orders: [[Element]] {
        guard count > 1 else { return [self] }
        return indices.flatMap { index in
            var rest = self
            let first = rest.remove(at: index)
            return rest.orders.map { [first] + $0 }
        }
    }
}
