import Entitlements
import AppStore
import StoreSimulator
import Support
import Testing

/// Notifications, renewal info and app transactions: what is accepted, what is read, what is refused and for what.
@Suite struct VerifiedNotificationTests {
    private let mint: HostileMint
    private let verifier: EvidenceVerifier
    private let now = HostileVectors.now
    private let app = HostileVectors.app

    init() throws {
        let fixture = try HostileFixture.minted()
        mint = try fixture.mint
        verifier = EvidenceVerifier(apps: [HostileVectors.app], roots: try fixture.authority.trustRoots)
    }

    private var subscription: SimulatedTransaction {
        .subscription(
            "11", of: "com.visla.gps.annual3", group: "2", bundleId: app.bundleId, at: now - 5000, until: now + 5000)
    }

    private func notification(
        _ type: NotificationType = .didRenew, _ content: SimulatedNotification.Content? = nil
    ) throws -> SimulatedNotification {
        let data = SimulatedNotification.Content.data(
            transaction: try mint.authority.sign(subscription).text,
            renewalInfo: try mint.authority.sign(SimulatedRenewalInfo(for: subscription)).text, status: .active)
        return SimulatedNotification(
            type, .billingRecovery, uuid: "9ad56bd2-0bc6-42e0-af24-fd996d87a1e6", about: content ?? data,
            bundleId: app.bundleId, at: now - 1000)
    }

    @Test func `a notification is read with the texts inside it`() throws {
        let verified = try verifier.verify(try mint.authority.sign(try notification()), at: now)
        #expect(verified.environment == .sandbox)
        #expect(verified.payload.notificationType == .didRenew)
        #expect(verified.payload.subtype == .billingRecovery)
        #expect(verified.payload.notificationUUID == "9ad56bd2-0bc6-42e0-af24-fd996d87a1e6")
        #expect(verified.payload.version == "2.0")
        #expect(verified.payload.signedDate == now - 1000)
        #expect(verified.text.digest.count == 32)
        guard case .data(let data) = verified.payload.content else { throw Missing() }
        #expect(data.status == .active && data.bundleVersion == "1")
        let transaction = try verifier.verify(try #require(data.signedTransactionInfo), at: now)
        let renewalInfo = try verifier.verify(try #require(data.signedRenewalInfo), at: now)
        #expect(verified.covers(transaction))
        #expect(renewalInfo.agrees(with: transaction))
    }

    @Test func `each container is read`() throws {
        guard
            case .summary(let summary) = try read(
                .summary(productId: "p", requestIdentifier: "r", succeeded: 5, failed: 2))
        else { throw Missing() }
        #expect(
            summary.productId == "p" && summary.requestIdentifier == "r" && summary.succeededCount == 5
                && summary.failedCount == 2)
        #expect(summary.storefrontCountryCodes == ["USA", "DEU"])
        guard case .externalPurchaseToken(let token) = try read(.externalPurchaseToken(id: "SANDBOX_1", createdAt: 7))
        else { throw Missing() }
        #expect(
            token.externalPurchaseId == "SANDBOX_1" && token.tokenCreationDate == 7 && token.environment == .sandbox)
        guard
            case .externalPurchaseToken(let sold) = try read(
                .externalPurchaseToken(id: "1", createdAt: 7), appAppleId: app.appAppleId)
        else { throw Missing() }
        #expect(sold.environment == .production)
        guard case .appData(let appData) = try read(.appData(appTransaction: "a.b.c")) else { throw Missing() }
        #expect(appData.signedAppTransactionInfo == SignedAppTransaction("a.b.c"))
        guard case .data(let test) = try read(.data(transaction: nil, renewalInfo: nil, status: nil)) else {
            throw Missing()
        }
        #expect(test.signedTransactionInfo == nil && test.status == nil)
    }

    @Test func `notifications are refused for their one defect`() throws {
        let base = try notification().payload
        func change(_ name: String, _ value: SimulatedPayload.Value?) -> SimulatedPayload {
            var payload = base
            payload[name] = value
            return payload
        }
        func changeData(_ name: String, _ value: SimulatedPayload.Value?) -> SimulatedPayload {
            var payload = base
            guard case .object(var data) = payload["data"] else { return payload }
            data[name] = value
            payload["data"] = .object(data)
            return payload
        }
        let cases: [(SimulatedPayload, EvidenceError.Reason)] = [
            (change("notificationType", nil), .payloadMalformed), (change("notificationUUID", nil), .payloadMalformed),
            (change("notificationUUID", .string("")), .payloadMalformed),
            (change("signedDate", .string("x")), .payloadMalformed),
            (change("signedDate", .integer(now + 400_000)), .signedDateOutOfRange),
            (changeData("bundleId", .string("x")), .wrongApp),
            (changeData("bundleId", nil), .wrongApp),
            (changeData("environment", .string("Xcode")), .wrongEnvironment),
            (changeData("environment", nil), .wrongEnvironment),
            (changeData("environment", .string("Production")), .wrongApp), (mint.payload, .wrongPayloadKind),
            (SimulatedAppTransaction(bundleId: app.bundleId, at: now).payload, .wrongPayloadKind),
        ]
        for (place, (payload, expected)) in cases.enumerated() {
            check("case \(place)", expected) { () throws(EvidenceError) in
                _ = try verifier.verify(SignedNotification(signed(payload)), at: now)
            }
        }
    }

    @Test func `what Apple signed in a form that is not known is verified, unless it names what is not ours`() throws {
        func change(_ name: String, _ value: SimulatedPayload.Value?) throws -> SimulatedPayload {
            var payload = try notification().payload
            payload[name] = value
            return payload
        }
        func container(_ members: [(String, SimulatedPayload.Value)]) throws -> SimulatedPayload {
            var payload = try change("data", nil)
            payload["novelty"] = .object(SimulatedPayload(members.map { ($0.0, $0.1) }))
            return payload
        }
        let (ours, sandbox) = (SimulatedPayload.Value.string(app.bundleId), SimulatedPayload.Value.string("Sandbox"))
        let named = [("bundleId", ours), ("environment", sandbox)]
        func data(_ member: (String, SimulatedPayload.Value)) throws -> SimulatedPayload {
            try change("data", .object(SimulatedPayload((named + [member]).map { ($0.0, $0.1) })))
        }
        let unreadable: [(SimulatedPayload, StoreEnvironment)] = [
            (try container(named), .sandbox), (try container([("bundleId", ours)]), .production),
            (try container([]), .production), (try change("data", nil), .production),
            (try change("data", .string("x")), .production), (try change("data", .array([])), .production),
            (try change("summary", .object(SimulatedPayload())), .sandbox),
            (try data(("signedTransactionInfo", .integer(1))), .sandbox),
            (try data(("appAppleId", .string("1"))), .sandbox), (try data(("status", .string("1"))), .sandbox),
        ]
        for (place, (payload, environment)) in unreadable.enumerated() {
            let verified = try verifier.verify(SignedNotification(signed(payload)), at: now)
            guard case .unreadable = verified.payload.content else { throw Missing() }
            #expect(verified.environment == environment, "case \(place)")
        }
        let bare = try verifier.verify(SignedNotification(signed(try change("subtype", .integer(1)))), at: now)
        #expect(bare.payload.subtype == nil)
        for (members, expected) in [
            ([("bundleId", .string("x")), ("environment", sandbox)], .wrongApp),
            ([("bundleId", ours), ("environment", .string("Xcode"))], .wrongEnvironment),
        ] as [([(String, SimulatedPayload.Value)], EvidenceError.Reason)] {
            let text = signed(try container(members))
            check("\(expected)", expected) { () throws(EvidenceError) in
                _ = try verifier.verify(SignedNotification(text), at: now)
            }
        }
    }

    /// A name longer than any that is read of a sender who is not known, and more names than of such a sender.
    private static let unbounded: [[(String, SimulatedPayload.Value)]] = [
        [(String(repeating: "n", count: 257), .integer(1))], (0..<1_025).map { ("n\($0)", .integer(1)) },
    ]

    @Test func `a genuine notification with names beyond the bounds is kept as unreadable, a forged one is refused`()
        throws
    {
        for members in Self.unbounded {
            var payload = try notification().payload
            for (name, value) in members { payload[name] = value }
            let text = try mint.sign(payload)
            let verified = try verifier.verify(SignedNotification(text), at: now)
            guard case .unreadable = verified.payload.content else { throw Missing() }
            #expect(verified.environment == .sandbox && verified.payload.content.bundleId == app.bundleId)
            #expect(verified.payload.notificationType == .didRenew)
            let forged = SignedNotification(String(text.dropLast(86)) + String(repeating: "A", count: 86))
            check("forged", .signatureMismatch) { () throws(EvidenceError) in _ = try verifier.verify(forged, at: now) }
            payload["signedDate"] = .integer(1)
            let ancient = SignedNotification(try mint.sign(payload))
            check("ancient", .chainExpired) { () throws(EvidenceError) in _ = try verifier.verify(ancient, at: now) }
        }
        var transaction = subscription.payload
        for (name, value) in Self.unbounded[0] { transaction[name] = value }
        let purchase = SignedTransaction(try mint.sign(transaction))
        check("a purchase", .payloadMalformed) { () throws(EvidenceError) in
            _ = try verifier.verify(purchase, at: now)
        }
    }

    @Test func `in Production the number of the app must be right`() throws {
        var notification = try self.notification()
        notification.environment = .production
        for (number, expected) in [(app.appAppleId, nil), (1, .wrongApp), (nil, .wrongApp)]
            as [(Int64?, EvidenceError.Reason?)]
        {
            notification.appAppleId = number
            let text = try mint.authority.sign(notification)
            check("\(String(describing: number))", expected) { () throws(EvidenceError) in
                _ = try verifier.verify(text, at: now)
            }
        }
        notification.appAppleId = nil
        let unnumbered = EvidenceVerifier(
            apps: [StoreApp(bundleId: app.bundleId)], roots: try mint.authority.trustRoots)
        #expect(try unnumbered.verify(try mint.authority.sign(notification), at: now).environment == .production)
    }

    @Test func `a notification may be larger than a transaction`() throws {
        var payload = try notification().payload
        payload["x"] = .string(String(repeating: "x", count: 100_000))
        #expect(try verifier.verify(SignedNotification(signed(payload)), at: now).payload.notificationType == .didRenew)
        payload["x"] = .string(String(repeating: "x", count: SignedNotification.maximumBytes))
        check("beyond", .malformed) { () throws(EvidenceError) in
            _ = try verifier.verify(SignedNotification(signed(payload)), at: now)
        }
    }

    @Test(arguments: [(true, nil), (false, RenewalEnd.billing)])
    func `while Apple tries to charge again nothing has ended`(_ isInRetry: Bool, _ end: RenewalEnd?) throws {
        var simulated = SimulatedRenewalInfo(for: subscription)
        simulated.expirationIntent = .billingError
        simulated.isInBillingRetryPeriod = isInRetry
        let renewal = VerifiedRenewal(
            try verifier.verify(try mint.authority.sign(simulated), at: now),
            beside: try verifier.verify(try mint.authority.sign(subscription), at: now))
        #expect(renewal.isInRetry == isInRetry && renewal.end == end)
    }

    @Test(
        arguments: [
            (.didFailToRenew, .gracePeriod, .gracePeriod, .grace), (.didFailToRenew, .gracePeriod, nil, .grace),
            (.didChangeRenewalStatus, nil, .gracePeriod, .grace), (.didFailToRenew, nil, .billingRetry, nil),
            (.expired, nil, .expired, .ended), (.gracePeriodExpired, nil, .billingRetry, .ended),
            (.didRenew, nil, .active, nil),
        ] as [(NotificationType, NotificationSubtype?, SubscriptionStatus?, VerifiedRenewal.Course?)])
    func `a notification tells grace by its subtype or its status, and an end by its type`(
        type: NotificationType, subtype: NotificationSubtype?, status: SubscriptionStatus?,
        course: VerifiedRenewal.Course?
    ) throws {
        let about = SimulatedNotification.Content.data(transaction: nil, renewalInfo: nil, status: status)
        let told = SimulatedNotification(
            type, subtype, uuid: "9ad56bd2-0bc6-42e0-af24-fd996d87a1e7", about: about, bundleId: app.bundleId,
            at: now - 1000)
        let verified = try verifier.verify(try mint.authority.sign(told), at: now)
        #expect(VerifiedRenewal.Course(verified.payload) == course)
    }

    @Test func `renewal info is read, and counts only beside its transaction`() throws {
        var simulated = SimulatedRenewalInfo(for: subscription)
        simulated.expirationIntent = .billingError
        simulated.isInBillingRetryPeriod = true
        simulated.gracePeriodExpiresDate = now + 1
        simulated.priceIncreaseStatus = .consented
        let verified = try verifier.verify(try mint.authority.sign(simulated), at: now)
        #expect(verified.payload.originalTransactionId == "11" && verified.payload.autoRenewStatus == .on)
        #expect(
            verified.payload.autoRenewProductId == "com.visla.gps.annual3" && verified.payload.renewalDate == now + 5000
        )
        #expect(verified.payload.expirationIntent == .billingError && verified.payload.isInBillingRetryPeriod == true)
        #expect(
            verified.payload.gracePeriodExpiresDate == now + 1 && verified.payload.priceIncreaseStatus == .consented)
        #expect(verified.payload.eligibleWinBackOfferIds.isEmpty)
        var other = subscription
        other.originalTransactionId = "12"
        #expect(!verified.agrees(with: try verifier.verify(try mint.authority.sign(other), at: now)))
        other = subscription
        other.environment = .production
        #expect(!verified.agrees(with: try verifier.verify(try mint.authority.sign(other), at: now)))
        other = subscription
        other.appTransactionId = "1"
        #expect(!verified.agrees(with: try verifier.verify(try mint.authority.sign(other), at: now)))
        other.appTransactionId = nil
        #expect(verified.agrees(with: try verifier.verify(try mint.authority.sign(other), at: now)))
    }

    @Test func `renewal info is refused for its one defect`() throws {
        let base = SimulatedRenewalInfo(for: subscription).payload
        let cases: [(String, SimulatedPayload.Value?, EvidenceError.Reason)] = [
            ("originalTransactionId", nil, .payloadMalformed), ("autoRenewStatus", nil, .payloadMalformed),
            ("autoRenewStatus", .string("1"), .payloadMalformed),
            ("signedDate", nil, .payloadMalformed),
            ("eligibleWinBackOfferIds", .array([.integer(1)]), .payloadMalformed),
            ("isInBillingRetryPeriod", .integer(1), .payloadMalformed),
            ("signedDate", .integer(now + 400_000), .signedDateOutOfRange),
            ("environment", nil, .wrongEnvironment), ("environment", .string("LocalTesting"), .wrongEnvironment),
        ]
        for (name, value, expected) in cases {
            var payload = base
            payload[name] = value
            check(name, expected) { () throws(EvidenceError) in
                _ = try verifier.verify(SignedRenewalInfo(signed(payload)), at: now)
            }
        }
        check("a transaction", .wrongPayloadKind) { () throws(EvidenceError) in
            _ = try verifier.verify(SignedRenewalInfo(signed(mint.payload)), at: now)
        }
    }

    @Test func `an app transaction is read, and refused for its one defect`() throws {
        var simulated = SimulatedAppTransaction(bundleId: app.bundleId, at: now - 1000)
        let verified = try verifier.verify(try mint.authority.sign(simulated), at: now)
        #expect(verified.environment == .sandbox && verified.payload.appTransactionId == "704897469903383919")
        #expect(verified.payload.receiptCreationDate == now - 1000 && verified.payload.originalPlatform == "iOS")
        #expect(verified.payload.originalApplicationVersion == "1.0")
        let base = simulated.payload
        simulated.environment = .production
        let production = simulated.payload
        simulated.appAppleId = app.appAppleId
        #expect(try verifier.verify(try mint.authority.sign(simulated), at: now).environment == .production)
        let cases: [(SimulatedPayload, String, SimulatedPayload.Value?, EvidenceError.Reason)] = [
            (base, "receiptCreationDate", nil, .payloadMalformed), (base, "bundleId", nil, .payloadMalformed),
            (base, "appTransactionId", .integer(1), .payloadMalformed),
            (base, "receiptCreationDate", .integer(now + 400_000), .signedDateOutOfRange),
            (base, "receiptCreationDate", .integer(1), .chainExpired),
            (base, "bundleId", .string("x"), .wrongApp), (production, "appAppleId", nil, .wrongApp),
            (production, "appAppleId", .integer(2), .wrongApp),
            (base, "receiptType", nil, .wrongEnvironment), (base, "receiptType", .string("Xcode"), .wrongEnvironment),
        ]
        for (base, name, value, expected) in cases {
            var payload = base
            payload[name] = value
            check(name, expected) { () throws(EvidenceError) in
                _ = try verifier.verify(SignedAppTransaction(signed(payload)), at: now)
            }
        }
        check("a transaction", .wrongPayloadKind) { () throws(EvidenceError) in
            _ = try verifier.verify(SignedAppTransaction(signed(mint.payload)), at: now)
        }
    }

    private struct Missing: Error {}

    private func read(_ content: SimulatedNotification.Content, appAppleId: Int64? = nil) throws
        -> NotificationPayload.Content
    {
        var notification = try self.notification(.test, content)
        notification.appAppleId = appAppleId
        return try verifier.verify(try mint.authority.sign(notification), at: now).payload.content
    }

    private func signed(_ payload: SimulatedPayload) -> String {
        do {
            return try mint.sign(payload)
        } catch {
            Issue.record(error)
            return ""
        }
    }

    private func check(_ name: String, _ expected: EvidenceError.Reason?, _ verify: () throws(EvidenceError) -> Void) {
        do throws(EvidenceError) {
            try verify()
            #expect(expected == nil, "accepted: \(name)")
        } catch {
            #expect(error.reason == expected, "\(name): \(error.detail)")
        }
    }
}
