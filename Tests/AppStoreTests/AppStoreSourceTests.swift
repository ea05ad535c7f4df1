import AppStore
import Crypto
import Entitlements
import StoreSimulator
import Support
import Testing

/// What Apple's transactions come to in our words.
@Suite struct AppStoreSourceTests {
    private static let now = HostileVectors.now
    private static let bundleId = HostileVectors.app.bundleId
    private static let key = SymmetricKey(data: Array(UInt8(0)..<32))
    private static let labels = Labels { Array(HMAC<SHA256>.authenticationCode(for: $0, using: key)) }

    private let authority: DevelopmentAuthority
    private let verifier: EvidenceVerifier

    init() throws {
        authority = try HostileFixture.minted().authority
        verifier = EvidenceVerifier(apps: [HostileVectors.app], roots: try authority.trustRoots)
    }

    private func verified(_ change: (inout SimulatedTransaction) -> Void = { _ in }) throws -> VerifiedTransaction {
        var transaction = SimulatedTransaction(
            "1001", of: "pass.30d", type: .nonRenewingSubscription, bundleId: Self.bundleId, at: Self.now - 3_600_000)
        change(&transaction)
        return try verifier.verify(authority.sign(transaction), at: Self.now)
    }

    private func purchase(_ change: (inout SimulatedTransaction) -> Void = { _ in }) throws -> VerifiedPurchase {
        VerifiedPurchase(try verified(change), labels: Self.labels)
    }

    @Test func `shares follow type and percentage`() throws {
        let cases: [(RevocationType?, Int64?, Int?)] = [
            (.fullRefund, nil, 100_000), (.fullRefund, 5, 100_000), (.familyRevoke, nil, 100_000),
            (.proratedRefund, 66_667, 66_667), (.proratedRefund, 0, 0), (.proratedRefund, nil, nil),
            (.proratedRefund, 100_001, nil), (.proratedRefund, -1, nil), (nil, nil, 100_000), (nil, 50_000, 50_000),
            (nil, 100_001, nil), (RevocationType(rawValue: "NEW"), nil, nil), (RevocationType(rawValue: "NEW"), 7, 7),
        ]
        for (type, percentage, share) in cases {
            let purchase = try purchase {
                $0.revocationDate = $0.purchaseDate + 5
                $0.revocationType = type
                $0.revocationPercentage = percentage
            }
            #expect(
                purchase.revocation?.share == share, "\(String(describing: type)) \(String(describing: percentage))")
        }
        #expect(try purchase { $0.revocationType = .fullRefund }.revocation == nil)
    }

    @Test func `a transaction becomes a purchase`() throws {
        let purchase = try purchase {
            $0.quantity = 3
            $0.appAccountToken = "0F3B8C9E-5F6D-4A7B-8C9D-0E1F2A3B4C5D"
            $0.originalTransactionId = "1000"
        }
        #expect(purchase.key.externalID.text == "1000" && purchase.transactionID.text == "1001" && !purchase.isOriginal)
        #expect(purchase.type == .pass && purchase.quantity == 3 && purchase.periodID == nil)
        #expect(purchase.accountToken?.text == "7lg0whEgb1keOMafl9Yw-g")
        #expect(purchase.key.environment == .sandbox && purchase.expiresAt == nil && purchase.revocation == nil)
        #expect(try self.purchase { $0.appAccountToken = "x" }.accountToken == nil)
    }

    @Test func `while Apple tries to charge again nothing has ended, though the reason is said already`() throws {
        let transaction = try verified { $0.type = .autoRenewableSubscription }
        var info = SimulatedRenewalInfo(
            for: .subscription(
                "1001", of: "annual", group: "g", bundleId: Self.bundleId, at: Self.now - 3_600_000, until: Self.now))
        info.expirationIntent = .billingError
        for (isInRetry, end) in [(true, nil), (false, .billing), (nil, .billing)] as [(Bool?, RenewalEnd?)] {
            info.isInBillingRetryPeriod = isInRetry
            let renewal = VerifiedRenewal(
                try verifier.verify(authority.sign(info), at: Self.now), beside: transaction)
            #expect(renewal.isInRetry == (isInRetry ?? false) && renewal.end == end)
        }
    }

    @Test func `what is told of the next period and of offers to come back is kept, as far as it can be read`() throws {
        let transaction = try verified { $0.type = .autoRenewableSubscription }
        func renewal(_ change: (inout SimulatedRenewalInfo) -> Void) throws -> VerifiedRenewal {
            var info = SimulatedRenewalInfo(
                for: .subscription(
                    "1001", of: "annual", group: "g", bundleId: Self.bundleId, at: Self.now - 3_600_000,
                    until: Self.now))
            change(&info)
            return VerifiedRenewal(try verifier.verify(authority.sign(info), at: Self.now), beside: transaction)
        }
        let told = try renewal {
            ($0.renewalPrice, $0.currency) = (19_990, "CHF")
            ($0.offerType, $0.offerIdentifier) = (.promotional, "half price")
            $0.eligibleWinBackOfferIds = ["back", String(repeating: "é", count: 65)]
        }
        #expect(told.price == Price(milliunits: 19_990, currency: "CHF") && told.offer == "half price")
        #expect(told.winBackOffers == ["back", String(repeating: "é", count: 64)])
        #expect(try renewal { $0.offerType = .winBack }.offer == "win_back")
        #expect(try renewal { $0.renewalPrice = nil }.price == nil)
        #expect(try renewal { $0.currency = nil }.price == nil)
        #expect(try renewal { _ in }.winBackOffers == [] && renewal { _ in }.offer == nil)
        let many = try renewal { $0.eligibleWinBackOfferIds = (0..<50).map { "offer \($0)" } }
        #expect(many.winBackOffers == (0..<20).map { "offer \($0)" })
        #expect(!many.hasSameContent(as: told) && told.hasSameContent(as: told))
    }

    @Test func `only auto-renewables have periods`() throws {
        func period(_ change: (inout SimulatedTransaction) -> Void) throws -> String? {
            try purchase {
                $0.type = .autoRenewableSubscription
                $0.expiresDate = $0.purchaseDate + 86_400_000
                change(&$0)
            }.periodID
        }
        #expect(try period { $0.webOrderLineItemId = "9" } == "9")
        #expect(try period { $0.webOrderLineItemId = nil } == "1001")
        #expect(try purchase { $0.webOrderLineItemId = "9" }.periodID == nil)
    }

    @Test func `accounts and tokens are labels, whichever text names them`() throws {
        let purchase = try purchase { $0.appAccountToken = "0000002a-0000-0000-0000-000000000000" }
        #expect(purchase.account?.text == "txyQkt8sK9cjrulfFeTwew")
        #expect(purchase.accountToken?.text == "legacy:Wc1OOejJcvwNmfXcjdbnXg")
        #expect(try self.purchase { $0.appTransactionId = nil }.account == nil)
        #expect(try self.purchase { $0.appTransactionId = "7 0" }.account == nil)
        let download = SimulatedAppTransaction(bundleId: Self.bundleId, at: Self.now - 1000)
        let shown = try verifier.verify(authority.sign(download), at: Self.now)
        let proof = try #require(AccountProof(shown, labels: Self.labels))
        #expect(proof.account == purchase.account && proof.app.text == Self.bundleId && proof.environment == .sandbox)
        var older = download
        older.appTransactionId = nil
        #expect(AccountProof(try verifier.verify(authority.sign(older), at: Self.now), labels: Self.labels) == nil)
        let elsewhere = Self.labels.appleAccount("704897469903383919", in: AppID(Self.bundleId), .production)
        #expect(elsewhere != purchase.account, "Apple names an account anew in each environment")
    }

    @Test func `a purchase says its price, its offer and its group`() throws {
        let purchase = try purchase {
            $0.subscriptionGroupIdentifier = "21482456"
            $0.offerIdentifier = "spring 2026"
            $0.offerType = .offerCode
        }
        #expect(purchase.price == Price(milliunits: 4990, currency: "USD"))
        #expect(purchase.offer == "spring 2026" && purchase.subscriptionGroup == "21482456")
        #expect(try self.purchase { $0.currency = nil }.price == nil)
        #expect(try self.purchase { $0.price = nil }.price == nil)
        #expect(try self.purchase { $0.subscriptionGroupIdentifier = "two words" }.subscriptionGroup == nil)
        let offers: [(OfferType?, String?)] = [
            (nil, nil), (.introductory, "introductory"), (.promotional, "promotional"), (.offerCode, "offer_code"),
            (.winBack, "win_back"), (OfferType(rawValue: 9), "9"),
        ]
        for (type, text) in offers { #expect(try self.purchase { $0.offerType = type }.offer == text) }
        let long = String(repeating: "é", count: 65)
        #expect(try self.purchase { $0.offerIdentifier = long }.offer == String(long.dropLast()))
    }

    @Test func `what Apple says beyond the statement stands beside it`() throws {
        let plain = StoreDetails(try verified())
        #expect(
            plain
                == StoreDetails(
                    productType: "Non-Renewing Subscription", reason: "PURCHASE", storefront: "USA",
                    storefrontID: "143441"))
        let details = StoreDetails(
            try verified {
                $0.type = .unknown("Bond")
                $0.storefront = "the moon"
                $0.offerType = .winBack
                $0.offerDiscountType = .freeTrial
                $0.revocationDate = $0.purchaseDate + 5
                $0.revocationReason = .other
                $0.revocationType = .proratedRefund
                $0.revocationPercentage = 1 << 40
                $0.offerPeriod = "P1M"
                $0.storefrontId = "143441"
                $0.webOrderLineItemId = "9"
            })
        #expect(details.productType == "Bond" && details.storefront == nil && details.revocationReason == 0)
        #expect(details.offerType == 4 && details.offerDiscountType == "FREE_TRIAL")
        #expect(details.revocationType == "REFUND_PRORATED" && details.revocationPercentage == 1 << 40)
        #expect(details.offerPeriod == "P1M" && details.storefrontID == "143441")
        #expect(details.webOrderLineItemID == "9")
    }
}
