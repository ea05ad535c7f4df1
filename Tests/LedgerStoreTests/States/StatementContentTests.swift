import Entitlements
import Support
import Testing

@testable import LedgerStore

/// What stands in ledgers never changes its form, because hashes cover it, and comes back as it went in.
@Suite struct StatementContentTests {
    private static let key = PurchaseKey(
        source: .appleIAP, app: Sample.app, environment: .sandbox, externalID: ExternalID("1"))

    private static func at(_ milliseconds: Int64) -> Instant { Instant(milliseconds: milliseconds) }

    /// A state that says everything that one can say.
    private static let full = VerifiedPurchase(
        key: key, transactionID: TransactionID("2"), isOriginal: true, periodID: "w", productID: ProductID("p"),
        otherNames: [ProductID("price"), ProductID("look\"up")], type: .unknown("Bundle"), purchasedAt: at(5),
        originallyPurchasedAt: at(4), expiresAt: at(9), quantity: 3, isFamilyShared: true, isUpgraded: true,
        offer: "half", subscriptionGroup: "g", suspension: Suspension(startsAt: at(6), endsAt: at(7)),
        price: Price(milliunits: 4_990, currency: "EUR"), revocation: Revocation(revokedAt: at(8), share: nil),
        accountToken: Label("legacy:t"), account: Label("a"), signedAt: at(10))

    private static let goldens: [(Statement, String)] = [
        (
            .purchase(Sample.pass("1")),
            #"[["apple_iap","com.airport.vpn","Production","1"],"1767225601000",null,null,null,"pass.30","pass","#
                + #""1767225600000"]"#
        ),
        (
            .purchase(Sample.pass("1", transaction: "7", signedDay: 9, revokedDay: 8)),
            #"[["apple_iap","com.airport.vpn","Production","1"],"1768003200000","7",null,null,"pass.30","pass","#
                + #""1767225600000",null,null,null,null,null,"1767916800000"]"#
        ),
        (
            .purchase(full),
            #"[["apple_iap","com.airport.vpn","Sandbox","1"],"10","2","true","w",["p","price","look\"up"],"?Bundle","#
                + #""5","4","9","3","true","true","8","unclear","a","legacy:t","4990","EUR","half","g","6","7"]"#
        ),
        (
            .renewal(VerifiedRenewal(key: key, signedAt: at(10), willRenew: false)),
            #"[["apple_iap","com.airport.vpn","Sandbox","1"],"10","false",null,null,"false"]"#
        ),
        (
            .renewal(
                VerifiedRenewal(
                    key: key, signedAt: at(10), willRenew: true, renewsInto: ProductID("plan.year"),
                    graceEndsAt: at(20), isInRetry: true, end: .priceIncrease, priceConsent: .pending)),
            #"[["apple_iap","com.airport.vpn","Sandbox","1"],"10","true","plan.year","20","true","price_increase","#
                + #""pending"]"#
        ),
        (
            .renewal(
                VerifiedRenewal(
                    key: key, signedAt: at(10), willRenew: false, end: .cancelled, endedAt: at(9), eventID: "evt_1")),
            #"[["apple_iap","com.airport.vpn","Sandbox","1"],"10","false",null,null,"false","cancelled",null,"9","#
                + #""evt_1"]"#
        ),
        (
            .renewal(
                VerifiedRenewal(
                    key: key, signedAt: at(10), willRenew: true, offer: "half",
                    price: Price(milliunits: 2_490, currency: "EUR"), winBackOffers: ["back", "\"again\""])),
            #"[["apple_iap","com.airport.vpn","Sandbox","1"],"10","true",null,null,"false",null,null,null,null,"half","#
                + #""2490","EUR",["back","\"again\""]]"#
        ),
        (
            .renewal(VerifiedRenewal(key: key, signedAt: at(10), willRenew: true, course: .grace)),
            #"[["apple_iap","com.airport.vpn","Sandbox","1"],"10","true",null,null,"false",null,null,null,null,null,"#
                + #"null,null,null,"grace"]"#
        ),
        (
            .renewal(VerifiedRenewal(key: key, signedAt: at(10), willRenew: true, winBackOffers: ["back"])),
            #"[["apple_iap","com.airport.vpn","Sandbox","1"],"10","true",null,null,"false",null,null,null,null,null,"#
                + #"null,null,["back"]]"#
        ),
        (
            .purchase(
                VerifiedPurchase(
                    key: key, transactionID: TransactionID("1"), productID: ProductID("p"), type: .oneTime,
                    purchasedAt: at(5), signedAt: at(10), eventID: "evt_1")),
            #"[["apple_iap","com.airport.vpn","Sandbox","1"],"10",null,null,null,"p","one_time","5","#
                + String(repeating: "null,", count: 15) + #""evt_1"]"#
        ),
        (
            .purchase(
                VerifiedPurchase(
                    key: key, transactionID: TransactionID("1"), productID: ProductID("p"), type: .oneTime,
                    purchasedAt: at(5), signedAt: at(10), item: "si",
                    bill: Bill("in", isPaid: false, graceEndsAt: at(9)))),
            #"[["apple_iap","com.airport.vpn","Sandbox","1"],"10",null,null,null,"p","one_time","5","#
                + String(repeating: "null,", count: 16) + #""si","in","false","9"]"#
        ),
        (
            .purchase(
                VerifiedPurchase(
                    key: key, transactionID: TransactionID("1"), productID: ProductID("p"), type: .oneTime,
                    purchasedAt: at(5), signedAt: at(10), bill: Bill(nil, isPaid: true))),
            #"[["apple_iap","com.airport.vpn","Sandbox","1"],"10",null,null,null,"p","one_time","5","#
                + String(repeating: "null,", count: 18) + #""true"]"#
        ),
        (
            .purchase(
                VerifiedPurchase(
                    key: key, transactionID: TransactionID("1"), productID: ProductID("p"), type: .oneTime,
                    purchasedAt: at(5), signedAt: at(10), bill: Bill(nil, isPaid: true, amountPaid: 999))),
            #"[["apple_iap","com.airport.vpn","Sandbox","1"],"10",null,null,null,"p","one_time","5","#
                + String(repeating: "null,", count: 18) + #""true",null,"999"]"#
        ),
        (
            .purchase(
                VerifiedPurchase(
                    key: key, transactionID: TransactionID("1"), productID: ProductID("p"), type: .oneTime,
                    purchasedAt: at(5), revocation: Revocation(revokedAt: at(8), share: 7, payment: 999),
                    signedAt: at(10))),
            #"[["apple_iap","com.airport.vpn","Sandbox","1"],"10",null,null,null,"p","one_time","5","#
                + #"null,null,null,null,null,"8","7","# + String(repeating: "null,", count: 14) + #""999"]"#
        ),
    ]

    private static func read(_ json: String, as kind: FactKind) -> Fact? {
        guard case .list(let fields)? = JSONField(json: json) else { return nil }
        return FactContent.read(fields, of: kind)
    }

    @Test func `statements are written as ever, and read again`() {
        for (statement, json) in Self.goldens {
            #expect(StatementContent.of(statement).json == json)
            #expect(Self.read(json, as: FactKind(of: .stated(statement))) == .stated(statement))
        }
    }

    @Test(arguments: [1, 40_000, Revocation.fullShare, nil])
    func `a refund says its share, or that it is unclear`(share: Int?) {
        let state = Sample.pass("1", signedDay: 9, revokedDay: 8, share: share)
        #expect(
            Self.read(StatementContent.of(.purchase(state)).json, as: .purchaseState)?.state?.revocation?.share == share
        )
    }

    @Test func `each kind of fact comes back, and none from nothing or from less than it needs`() {
        let handover = Handover(cause: .merge, ran: 5, units: 6, request: Label("r"))
        let grants: [Grant.Gift] = [
            .pass(tier: TierID("pro"), length: 5), .window(tier: TierID("pro"), endsAt: Self.at(9)),
            .addOn(ProductID("x"), app: Sample.app), .credits(unit: "coin", amount: 5, expiresAt: nil),
            .credits(unit: "coin", amount: 5, expiresAt: Self.at(9)),
        ]
        let facts =
            FactRoundTripTests.facts + Self.goldens.map { .stated($0.0) }
            + grants.map { .granted(Grant(key: Self.key, gift: $0, grantedAt: Self.at(1))) } + [
                .bound(Self.key), .withdrawn(Self.key),
                .gaveAway(Self.key, handover),
                .received(Self.key, Handover(cause: .policy)),
            ]
        #expect(Set(facts.map { FactKind(of: $0) }) == Set(FactKind.allCases))
        for fact in facts {
            let (kind, content) = (FactKind(of: fact), FactContent.of(fact))
            #expect(Self.read(content.json, as: kind) == fact, "\(content.json)")
            guard case .list(let fields) = content else { return #expect(Bool(false), "\(content.json)") }
            #expect(FactContent.read([], of: kind) == nil)
            #expect(FactContent.read([.null] + fields.dropFirst(), of: kind) == nil, "\(content.json)")
            #expect(FactContent.read([.list([.list([])])] + fields.dropFirst(), of: kind) == nil, "\(content.json)")
        }
    }

    private static let malformed: [(FactKind, String)] = [
        (.purchaseState, #"[["apple_iap","a","Xcode","1"],"1",null,null,null,"p","pass","1"]"#),
        (.purchaseState, #"[["apple_iap","a","Sandbox"],"1",null,null,null,"p","pass","1"]"#),
        (.purchaseState, #"[["apple_iap","a","Sandbox","1"],"x",null,null,null,"p","pass","1"]"#),
        (.purchaseState, #"[["apple_iap","a","Sandbox","1"],"1",null,null,null,null,"pass","1"]"#),
        (.purchaseState, #"[["apple_iap","a","Sandbox","1"],"1",null,null,null,[],"pass","1"]"#),
        (.purchaseState, #"[["apple_iap","a","Sandbox","1"],"1",null,null,null,"p",null,"1"]"#),
        (.purchaseState, #"[["apple_iap","a","Sandbox","1"],"1",null,null,null,"p","pass"]"#),
        (
            .purchaseState,
            #"[["s","a","Sandbox","1"],"1",null,null,null,"p","pass","1",null,null,null,null,null,"1","half"]"#
        ),
        (
            .purchaseState,
            #"[["s","a","Sandbox","1"],"1",null,null,null,"p","pass","1",null,null,null,null,null,null,null,null,null,"#
                + #""1"]"#
        ),
        (.renewalState, #"[["apple_iap","a","Sandbox","1"],"1",null,null,null,"true"]"#),
        (.renewalState, #"[["apple_iap","a","Sandbox","1"],"1","true",null,null,"no"]"#),
        (.renewalState, #"[["apple_iap","a","Sandbox","1"],null,"true",null,null,"true"]"#),
        (
            .renewalState,
            #"[["apple_iap","a","Sandbox","1"],"1","true",null,null,"true",null,null,null,null,null,"5"]"#
        ),
        (.bound, #"[["s","a","Sandbox","1"],"gift"]"#), (.bound, #"[["s","a","Sandbox","1"],null]"#),
        (.received, #"[["s","a","Sandbox","1"],"gift","0","0",null]"#),
        (.spent, #"["k","r","coin","Sandbox","1",[["x","1"]],"0"]"#),
        (.granted, #"[["s","a","Sandbox","1"],"1","gift","pro","1"]"#),
    ]

    @Test(arguments: malformed.indices)
    func `what this program would never write is no fact`(_ index: Int) {
        let (kind, json) = Self.malformed[index]
        #expect(JSONField(json: json) != nil, "the text itself is in order")
        #expect(Self.read(json, as: kind) == nil)
    }

    @Test func `random states come back, and their digests tell them apart by all but the instant of signing`() {
        var chance = SeededChance("statements")
        var digests: [[UInt8]: VerifiedPurchase] = [:]
        for _ in 0..<2_000 {
            let state = Self.state(&chance)
            #expect(
                Self.read(StatementContent.of(.purchase(state)).json, as: .purchaseState) == .stated(.purchase(state)))
            let digest = StatementContent.row(of: state).digest
            if let other = digests[digest] { #expect(other.hasSameContent(as: state)) }
            digests[digest] = state
            let later = Self.copy(state, signedAt: state.signedAt + 1)
            #expect(StatementContent.row(of: later).digest == digest && later != state)
        }
        #expect(digests.count > 1_900)
    }

    private static func copy(_ state: VerifiedPurchase, signedAt: Instant) -> VerifiedPurchase {
        VerifiedPurchase(
            key: state.key, transactionID: state.transactionID, isOriginal: state.isOriginal, periodID: state.periodID,
            productID: state.productID, otherNames: state.otherNames, type: state.type, purchasedAt: state.purchasedAt,
            originallyPurchasedAt: state.originallyPurchasedAt, expiresAt: state.expiresAt, quantity: state.quantity,
            isFamilyShared: state.isFamilyShared, isUpgraded: state.isUpgraded, offer: state.offer,
            subscriptionGroup: state.subscriptionGroup, suspension: state.suspension, price: state.price,
            revocation: state.revocation, accountToken: state.accountToken, account: state.account, signedAt: signedAt,
            eventID: state.eventID, item: state.item, bill: state.bill)
    }

    private static func state(_ chance: inout SeededChance) -> VerifiedPurchase {
        func maybe<Field>(_ field: Field) -> Field? { Bool.random(using: &chance) ? field : nil }
        let texts = ["1", "2", "", "é\"\\\u{1}", "unclear", "true"]
        func text() -> String { texts.randomElement(using: &chance) ?? "" }
        func instant() -> Instant { at(Int64.random(in: -5...1_767_225_600_000, using: &chance)) }
        let types: [StatedType] = [.consumable, .addOn, .pass, .plan, .unknown(text())]
        return VerifiedPurchase(
            key: key, transactionID: TransactionID(text()), isOriginal: maybe(true) ?? false, periodID: maybe(text()),
            productID: ProductID(text()), otherNames: maybe([ProductID(text()), ProductID(text())]) ?? [],
            type: types.randomElement(using: &chance) ?? .pass, purchasedAt: instant(),
            originallyPurchasedAt: maybe(instant()), expiresAt: maybe(instant()),
            quantity: Int.random(in: 1...3, using: &chance), isFamilyShared: maybe(true) ?? false,
            isUpgraded: maybe(true) ?? false, offer: maybe(text()), subscriptionGroup: maybe(text()),
            suspension: maybe(Suspension(startsAt: instant(), endsAt: maybe(instant()))),
            price: maybe(Price(milliunits: Int64.random(in: 0...9, using: &chance), currency: text())),
            revocation: maybe(
                Revocation(
                    revokedAt: instant(), share: maybe(Int.random(in: 0...100_000, using: &chance)),
                    payment: maybe(Int64.random(in: 0...9, using: &chance)))),
            accountToken: maybe(Label(text())), account: maybe(Label(text())), signedAt: instant(),
            eventID: maybe(text()), item: maybe(text()),
            bill: maybe(
                Bill(
                    maybe(text()), isPaid: Bool.random(using: &chance), graceEndsAt: maybe(instant()),
                    amountPaid: maybe(Int64.random(in: 0...9, using: &chance)))))
    }
}
