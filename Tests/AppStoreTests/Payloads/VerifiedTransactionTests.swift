import Entitlements
import AppStore
import Crypto
import StoreSimulator
import Support
import Testing

/// What an accepted transaction says.
@Suite struct VerifiedTransactionTests {
    private let mint: HostileMint
    private let verifier: EvidenceVerifier
    private let now = HostileVectors.now

    init() throws {
        let fixture = try HostileFixture.minted()
        mint = try fixture.mint
        verifier = EvidenceVerifier(apps: [HostileVectors.app], roots: try fixture.authority.trustRoots)
    }

    @Test func `a pass is read member by member`() throws {
        let verified = try verify(mint.payload)
        let payload = verified.payload
        #expect(verified.environment == .sandbox)
        #expect(payload.transactionId == "2000001027701928")
        #expect(payload.originalTransactionId == "2000001027701928")
        #expect(payload.bundleId == "com.airport.vpn")
        #expect(payload.productId == "com.airport.vpn.pass.30d")
        #expect(payload.type == .nonRenewingSubscription)
        #expect(payload.quantity == 1)
        #expect(payload.purchaseDate == now - 3_600_000)
        #expect(payload.originalPurchaseDate == now - 3_600_000)
        #expect(payload.signedDate == now - 3_599_000)
        #expect(payload.inAppOwnershipType == .purchased)
        #expect(payload.appAccountToken == "7e3fb20b-4cdb-47cc-936d-99d65f608138")
        #expect(payload.appTransactionId == "704897469903383919")
        #expect(payload.transactionReason == .purchase)
        #expect(payload.storefront == "USA")
        #expect(payload.storefrontId == "143441")
        #expect(payload.price == 4990)
        #expect(payload.currency == "USD")
        #expect(payload.expiresDate == nil)
        #expect(payload.webOrderLineItemId == nil)
        #expect(payload.subscriptionGroupIdentifier == nil)
        #expect(payload.revocationDate == nil)
        #expect(payload.isUpgraded == nil)
        #expect(payload.offerType == nil)
    }

    @Test func `a refunded subscription is read member by member`() throws {
        let payload = try verify(mint.fullPayload).payload
        #expect(payload.type == .autoRenewableSubscription)
        #expect(payload.webOrderLineItemId == "20000010277019291")
        #expect(payload.subscriptionGroupIdentifier == "21482456")
        #expect(payload.expiresDate == now + 86_400_000)
        #expect(payload.revocationDate == now - 60_000)
        #expect(payload.revocationReason == .other)
        #expect(payload.revocationType == .proratedRefund)
        #expect(payload.revocationPercentage == 50_000)
        #expect(payload.isUpgraded == true)
        #expect(payload.offerType == .promotional)
        #expect(payload.offerIdentifier == "spring")
        #expect(payload.offerDiscountType == .payUpFront)
        #expect(payload.offerPeriod == "P1M")
        #expect(payload.billingPlanType == .monthly)
    }

    @Test func `the states of a purchase follow one another`() throws {
        let bought = mint.transaction
        let refunded = bought.refunded(at: now - 1000)
        #expect(try verify(refunded.payload).payload.revocationPercentage == 100_000)
        #expect(try verify(refunded.payload).payload.revocationType == .fullRefund)
        let reversed = refunded.reversed(at: now)
        #expect(try verify(reversed.payload).payload.revocationDate == nil)
        #expect(try verify(reversed.payload).payload.signedDate == now)
        let shared = try verify(bought.familyShared().payload).payload
        #expect(shared.inAppOwnershipType == .familyShared)
        #expect(shared.appAccountToken == nil)
        #expect(try verify(bought.familyRevoked(at: now - 1000).payload).payload.revocationType == .familyRevoke)
        let renewed = SimulatedTransaction.subscription(
            "1", of: "x", group: "2", bundleId: HostileVectors.app.bundleId, at: now - 2000, until: now - 1000
        ).renewed(as: "3", until: now + 1000)
        let renewal = try verify(renewed.payload).payload
        #expect(renewal.transactionId == "3" && renewal.originalTransactionId == "1")
        #expect(renewal.transactionReason == .renewal && renewal.purchaseDate == now - 1000)
    }

    @Test func `values that did not exist yet are kept`() throws {
        var payload = mint.fullPayload
        payload["type"] = .string("Lifetime Pass")
        payload["inAppOwnershipType"] = .string("GIFTED")
        payload["revocationType"] = .string("REFUND_ODD")
        payload["revocationReason"] = .integer(77)
        payload["revocationPercentage"] = .integer(-5)
        payload["offerType"] = .integer(9)
        payload["transactionReason"] = .string("MIRACLE")
        let read = try verify(payload).payload
        #expect(read.type == .unknown("Lifetime Pass"))
        #expect(read.type.rawValue == "Lifetime Pass")
        #expect(read.inAppOwnershipType?.rawValue == "GIFTED")
        #expect(read.revocationType?.rawValue == "REFUND_ODD")
        #expect(read.revocationReason?.rawValue == 77)
        #expect(read.revocationPercentage == -5)
        #expect(read.offerType?.rawValue == 9)
        #expect(read.transactionReason?.rawValue == "MIRACLE")
        for type in [
            "Consumable", "Non-Consumable", "Non-Renewing Subscription", "Auto-Renewable Subscription", "consumable",
        ] {
            #expect(ProductType(rawValue: type).rawValue == type)
        }
    }

    @Test func `what decides nothing is unknown where it is of another type, and named`() throws {
        let odd = try verify(mint.oddities).payload
        #expect(Set(odd.unreadable) == Set(HostileMint.idle) && odd.unreadable.count == 12)
        #expect(odd.price == nil && odd.currency == nil && odd.offerType == nil && odd.revocationReason == nil)
        let plain = try verify(mint.fullPayload).payload
        #expect(plain.unreadable == [])
        #expect(odd.transactionId == plain.transactionId && odd.revocationPercentage == plain.revocationPercentage)
        for name in HostileMint.idle {
            for value in ["\"x\"", "-7", "1e300", "false", "[]", "{\"a\":1}"] {
                var payload = mint.fullPayload
                payload[name] = .verbatim(value)
                let unreadable = try verify(payload).payload.unreadable
                #expect(unreadable == [name] || unreadable.isEmpty && "\"-".contains(value.prefix(1)), "\(name)")
            }
        }
    }

    @Test func `a proof of the Apple account needs nothing that decides nothing`() throws {
        let names = [
            "applicationVersion", "versionExternalIdentifier", "originalApplicationVersion", "originalPurchaseDate",
            "preorderDate", "originalPlatform",
        ]
        var payload = SimulatedAppTransaction(bundleId: HostileVectors.app.bundleId, at: now - 1000).payload
        for name in names { payload[name] = .verbatim("[]") }
        let read = try verifier.verify(SignedAppTransaction(try mint.sign(payload)), at: now)
        #expect(read.payload.appTransactionId == "704897469903383919" && read.payload.originalPlatform == nil)
        payload["appTransactionId"] = .integer(7)
        #expect(throws: EvidenceError.self) {
            try verifier.verify(SignedAppTransaction(try mint.sign(payload)), at: now)
        }
    }

    @Test func `what may be absent or null is`() throws {
        var bare = mint.payload
        for name in mint.payload.members.map(\.name)
        where ![
            "transactionId", "originalTransactionId", "bundleId", "productId", "purchaseDate", "signedDate", "type",
            "environment",
        ].contains(name) {
            bare[name] = nil
        }
        #expect(try verify(bare).payload.quantity == 1)
        for (name, _) in mint.fullPayload.members where bare[name] == nil {
            bare[name] = .verbatim("null")
        }
        let payload = try verify(bare).payload
        #expect(
            payload.quantity == 1 && payload.price == nil && payload.isUpgraded == nil
                && payload.appTransactionId == nil)
    }

    @Test func `a purchase may begin after it was signed`() throws {
        #expect(
            try verify(mint.changed("purchaseDate", .integer(now + 86_400_000))).payload.purchaseDate == now
                + 86_400_000)
    }

    @Test func `quantities from one to ten are read`() throws {
        for quantity in Int64(1)...10 {
            #expect(try verify(mint.changed("quantity", .integer(quantity))).payload.quantity == Int(quantity))
        }
    }

    @Test func `the hash is that of the text, and the text is kept`() throws {
        let text = try mint.sign(mint.payload)
        let verified = try verifier.verify(SignedTransaction(text), at: now)
        #expect(verified.text.text == text)
        #expect(verified.text.digest == Array(SHA256.hash(data: Array(text.utf8))))
    }

    @Test func `the other spelling of a signature changes the hash and nothing else`() throws {
        for _ in 0..<50 {
            let text = try mint.sign(mint.payload)
            let parts = text.split(separator: ".")
            let bytes = Array(parts[0].utf8) + [0x2E] + Array(parts[1].utf8)
            let raw = Array(try mint.authority.leafKey.signature(for: bytes).rawRepresentation)
            let other = CompactText.base64URL(raw.prefix(32) + HostileMint.negated(Array(raw.suffix(32))))
            let one = try verifier.verify(
                SignedTransaction("\(parts[0]).\(parts[1]).\(CompactText.base64URL(raw))"), at: now)
            let two = try verifier.verify(SignedTransaction("\(parts[0]).\(parts[1]).\(other)"), at: now)
            #expect(one.payload == two.payload)
            #expect(one.text.digest != two.text.digest)
        }
    }

    @Test func `a transaction of each configured app is accepted`() throws {
        let apps: Set = [StoreApp(bundleId: "a.b"), StoreApp(bundleId: "c.d", appAppleId: 1)]
        let verifier = EvidenceVerifier(apps: apps, roots: try mint.authority.trustRoots)
        for app in apps {
            let text = try mint.sign(mint.changed("bundleId", .string(app.bundleId)))
            #expect(try verifier.verify(SignedTransaction(text), at: now).payload.bundleId == app.bundleId)
        }
    }

    private func verify(_ payload: SimulatedPayload) throws -> VerifiedTransaction {
        try verifier.verify(SignedTransaction(try mint.sign(payload)), at: now)
    }
}
