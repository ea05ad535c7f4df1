import AppStore
import Entitlements
import StoreSimulator
import Testing

struct AppStoreSourceTests {
    private func purchase(_ change: (inout SimulatedTransaction) -> Void) throws -> VerifiedPurchase {
        let authority = try Fixture.authority()
        let verifier = EvidenceVerifier(apps: [StoreApp(bundleId: Fixture.app.text)], roots: try authority.trustRoots)
        var transaction = Fixture.pass()
        change(&transaction)
        return VerifiedPurchase(
            try verifier.verify(authority.sign(transaction), at: Fixture.now.milliseconds))
    }

    @Test func sharesFollowTypeAndPercentage() throws {
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

    @Test func aTransactionBecomesAPurchase() throws {
        let purchase = try purchase {
            $0.quantity = 3
            $0.appAccountToken = "0F3B8C9E-5F6D-4A7B-8C9D-0E1F2A3B4C5D"
            $0.originalTransactionId = "1000"
        }
        #expect(purchase.key.externalID.text == "1000" && purchase.transactionID.text == "1001" && !purchase.isOriginal)
        #expect(purchase.type == .nonRenewing && purchase.quantity == 3 && purchase.periodID == nil)
        #expect(purchase.accountToken?.description == "0f3b8c9e-5f6d-4a7b-8c9d-0e1f2a3b4c5d")
        #expect(purchase.key.environment == .sandbox && purchase.expiresAt == nil && purchase.revocation == nil)
        #expect(try self.purchase { $0.appAccountToken = "x" }.accountToken == nil)
    }

    @Test func onlyAutoRenewablesHavePeriods() throws {
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
}
