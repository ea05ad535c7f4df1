import Testing

@testable import Entitlements

/// When two states, and two identities, are one (`semantics.md` §1, §5).
@Suite struct VerifiedPurchaseTests {
    private static func state(
        _ key: PurchaseKey = key(), transaction: String = "1", isOriginal: Bool = true, period: String? = "w",
        product: String = "p", otherNames: [ProductID] = ["price"],
        type: StatedType = .pass, purchasedAt: Int64 = 1, originallyPurchasedAt: Int64 = 2,
        expiresAt: Int64? = 3, quantity: Int = 1, isFamilyShared: Bool = false, isUpgraded: Bool = false,
        offer: String? = "offer", group: String? = "group",
        suspension: Suspension? = Suspension(startsAt: Instant(milliseconds: 7), endsAt: nil),
        price: Price? = Price(milliunits: 8, currency: "EUR"),
        revocation: Revocation? = Revocation(revokedAt: Instant(milliseconds: 4), share: 5),
        accountToken: Label? = "token",
        account: Label? = "a", eventID: String? = "event", item: String? = "item",
        bill: Bill? = Bill("bill", isPaid: true), isBought: Bool = true, signedAt: Int64 = 6
    ) -> VerifiedPurchase {
        VerifiedPurchase(
            key: key, transactionID: TransactionID(transaction), isOriginal: isOriginal, periodID: period,
            productID: ProductID(product), otherNames: otherNames, type: type,
            purchasedAt: Instant(milliseconds: purchasedAt),
            originallyPurchasedAt: Instant(milliseconds: originallyPurchasedAt),
            expiresAt: expiresAt.map(Instant.init(milliseconds:)), quantity: quantity, isFamilyShared: isFamilyShared,
            isUpgraded: isUpgraded, offer: offer, subscriptionGroup: group, suspension: suspension, price: price,
            revocation: revocation, accountToken: accountToken,
            account: account, signedAt: Instant(milliseconds: signedAt), eventID: eventID, item: item, bill: bill,
            isBought: isBought)
    }

    private static func key(
        _ source: Source = .appleIAP, app: String = "com.airport.vpn", environment: StoreEnvironment = .production,
        id: String = "1"
    ) -> PurchaseKey {
        PurchaseKey(source: source, app: AppID(app), environment: environment, externalID: ExternalID(id))
    }

    @Test func `a state that differs in one field is another, and has other content`() {
        let others = [
            Self.state(Self.key(id: "2")), Self.state(transaction: "2"), Self.state(period: nil),
            Self.state(product: "q"), Self.state(type: .consumable), Self.state(purchasedAt: 0),
            Self.state(originallyPurchasedAt: 0), Self.state(expiresAt: nil), Self.state(quantity: 2),
            Self.state(isFamilyShared: true), Self.state(isUpgraded: true), Self.state(revocation: nil),
            Self.state(revocation: Revocation(revokedAt: Instant(milliseconds: 4), share: nil)),
            Self.state(accountToken: nil), Self.state(account: nil), Self.state(isOriginal: false),
            Self.state(otherNames: []), Self.state(offer: nil), Self.state(group: nil), Self.state(suspension: nil),
            Self.state(suspension: Suspension(startsAt: Instant(milliseconds: 7), endsAt: Instant(milliseconds: 9))),
            Self.state(price: nil), Self.state(price: Price(milliunits: 8, currency: "USD")),
            Self.state(eventID: nil), Self.state(item: nil), Self.state(bill: nil), Self.state(isBought: false),
            Self.state(bill: Bill("bill", isPaid: false)), Self.state(bill: Bill("bill", isPaid: true, amountPaid: 9)),
            Self.state(revocation: Revocation(revokedAt: Instant(milliseconds: 4), share: 5, payment: 9)),
        ]
        #expect(others.allSatisfy { $0 != Self.state() && !$0.hasSameContent(as: Self.state()) })
        #expect(Set(others).count == others.count)
    }

    @Test func `the newest state, quantity and revocation of several are one answer in every order`() {
        let taken = Revocation(revokedAt: Instant(milliseconds: 4), share: 100_000)
        func plain(
            _ transaction: String, _ type: StatedType = .pass, _ revocation: Revocation? = nil,
            purchasedAt: Int64 = 1, quantity: Int = 1, signedAt: Int64
        ) -> VerifiedPurchase {
            Self.state(
                transaction: transaction, type: type, purchasedAt: purchasedAt, quantity: quantity,
                revocation: revocation, eventID: nil, bill: nil, signedAt: signedAt)
        }
        // A pass whose restored copy was signed after its refund, and which was told as two of it before.
        let pass = [
            plain("1", quantity: 2, signedAt: 1), plain("1", .pass, taken, signedAt: 11), plain("2", signedAt: 12),
        ]
        let chain = [
            plain("1", .plan, taken, signedAt: 9), plain("2", .plan, purchasedAt: 5, quantity: 3, signedAt: 9),
        ]
        for (pass, chain) in [(pass, chain), (pass.reversed(), chain.reversed())] {
            #expect(pass.newest?.transactionID.text == "2" && pass.quantity == 2 && pass.revocation == taken)
            #expect(chain.newest?.transactionID.text == "2" && chain.quantity == 3 && chain.revocation == nil)
        }
        let reversed = plain("1", signedAt: 13)
        #expect((pass + [reversed]).revocation == nil, "a refund that was reversed")
        #expect([VerifiedPurchase]().quantity == 1)
    }

    @Test func `a state that is signed again is another of the same content`() {
        let again = Self.state(signedAt: 7)
        #expect(again != Self.state() && again.hasSameContent(as: Self.state()))
    }

    @Test func `a state of a renewal that differs in one field has other content`() {
        func renewal(
            _ key: PurchaseKey = Self.key(), willRenew: Bool = true, into product: ProductID? = "p",
            graceEndsAt: Instant? = "01-03", isInRetry: Bool = true, end: RenewalEnd? = .cancelled,
            consent: VerifiedRenewal.PriceConsent? = .pending, endedAt: Instant? = "01-04", eventID: String? = "event",
            offer: String? = "half", price: Price? = Price(milliunits: 8, currency: "EUR"),
            winBackOffers: [String] = ["back"], signedAt: Instant = "01-01"
        ) -> VerifiedRenewal {
            VerifiedRenewal(
                key: key, signedAt: signedAt, willRenew: willRenew, renewsInto: product, graceEndsAt: graceEndsAt,
                isInRetry: isInRetry, end: end, priceConsent: consent, endedAt: endedAt, eventID: eventID, offer: offer,
                price: price, winBackOffers: winBackOffers)
        }
        let others = [
            renewal(Self.key(id: "2")), renewal(willRenew: false), renewal(into: nil), renewal(graceEndsAt: nil),
            renewal(isInRetry: false), renewal(end: nil), renewal(consent: nil), renewal(endedAt: nil),
            renewal(eventID: nil), renewal(offer: nil), renewal(price: nil), renewal(winBackOffers: []),
        ]
        #expect(others.map { $0.hasSameContent(as: renewal()) } == others.map { _ in false })
        #expect(renewal(signedAt: "01-02").hasSameContent(as: renewal()))
    }

    @Test func `states that say the same are one, wherever they were read`() {
        #expect(Self.state() == Self.state() && Self.state().hashValue == Self.state().hashValue)
    }

    @Test func `without being told, a transaction of the purchase's own id is the original`() {
        #expect(VerifiedPurchase.state(of: "1", at: "01-01").isOriginal)
        #expect(!VerifiedPurchase.state(of: "1", transaction: "2", at: "01-01").isOriginal)
    }

    @Test func `of two identities that tie the smallest external id comes first, bytewise, then the smallest key`() {
        let ordered = [
            Self.key(.manual, id: "09"), Self.key(id: "1"), Self.key(environment: .sandbox, id: "1"),
            Self.key(.manual, id: "1"), Self.key(id: "9"), Self.key(id: "a"), Self.key(id: "\u{E9}"),
        ]
        for (position, key) in ordered.enumerated() {
            for (other, otherKey) in ordered.enumerated() {
                #expect(key.comesFirst(inTieWith: otherKey) == (position < other))
            }
        }
        #expect(Self.key(id: "9") < Self.key(.manual, id: "09"), "keys are locked by source first")
    }

    @Test func `an identity is its four parts`() {
        let others = [
            Self.key(.manual), Self.key(app: "com.airport.vpn2"), Self.key(environment: .sandbox), Self.key(id: "01"),
            // Canonically equivalent, and still another name.
            Self.key(id: "\u{E9}"), Self.key(id: "e\u{301}"),
        ]
        #expect(others.allSatisfy { $0 != Self.key() })
        #expect(Set(others).count == others.count)
        #expect(Self.key() == Self.key() && Set([Self.key(), Self.key()]).count == 1)
    }
}
