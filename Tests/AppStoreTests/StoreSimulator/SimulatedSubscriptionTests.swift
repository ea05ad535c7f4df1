import AppStore
import StoreSimulator
import Testing

/// A chain of the simulated store tells each act in one notification, as Apple does.
@Suite struct SimulatedSubscriptionTests {
    private typealias Refusal = SimulatedSubscription.Refusal

    private static let start: Int64 = 1_768_478_400_000
    private static let day = SimulatedStory.day

    private static func begun(isFamilyMember: Bool = false) -> SimulatedSubscription {
        SimulatedSubscription.begin(
            order("annual.3", "1"), by: SimulatedStory.buyer(isFamilyMember: isFamilyMember), at: start
        ).subscription
    }

    private static func order(_ product: String, _ id: String, at: Int64 = start) -> SimulatedSubscription.Order {
        SimulatedSubscription.Order(product, as: id, until: at + 30 * day)
    }

    @Test func `every act is told by its type and subtype, and the status goes with it`() throws {
        let told = try SimulatedStory().chapters.map { chapter in
            let event = chapter.event
            let subtype = event.subtype.map { " " + $0.rawValue } ?? ""
            let status = event.status.map { " \($0.rawValue)" } ?? ""
            return "\(chapter.name): \(event.notificationType.rawValue)\(subtype)\(status)"
        }
        let goods = ["credits.100", "addon.xyz", "pass.30d"].flatMap { product in
            [
                "bought: ONE_TIME_CHARGE", "asked about: CONSUMPTION_REQUEST", "declined: REFUND_DECLINED",
                "refunded: REFUND", "reversed: REFUND_REVERSED", "refunded in part: REFUND", "revoked: REVOKE",
            ].map { "\(product) \($0)" }
        }
        let plans = [
            "subscribed: SUBSCRIBED INITIAL_BUY 1", "cancelled: DID_CHANGE_RENEWAL_STATUS AUTO_RENEW_DISABLED 1",
            "enabled: DID_CHANGE_RENEWAL_STATUS AUTO_RENEW_ENABLED 1", "upgraded: DID_CHANGE_RENEWAL_PREF UPGRADE 1",
            "downgrade chosen: DID_CHANGE_RENEWAL_PREF DOWNGRADE 1",
            "downgrade taken back: DID_CHANGE_RENEWAL_PREF 1",
            "downgrade chosen again: DID_CHANGE_RENEWAL_PREF DOWNGRADE 1", "price asked: PRICE_INCREASE PENDING 1",
            "price accepted: PRICE_INCREASE ACCEPTED 1", "renewed: DID_RENEW 1", "refunded: REFUND 5",
            "reversed: REFUND_REVERSED 1", "past refunded: REFUND 1", "subscribed: SUBSCRIBED INITIAL_BUY 1",
            "grace: DID_FAIL_TO_RENEW GRACE_PERIOD 4", "recovered in grace: DID_RENEW BILLING_RECOVERY 1",
            "grace again: DID_FAIL_TO_RENEW GRACE_PERIOD 4", "grace over: GRACE_PERIOD_EXPIRED 3",
            "recovered late: DID_RENEW BILLING_RECOVERY 1", "no grace: DID_FAIL_TO_RENEW 3",
            "given up: EXPIRED BILLING_RETRY 2", "resubscribed: SUBSCRIBED RESUBSCRIBE 1",
            "subscribed: SUBSCRIBED INITIAL_BUY 1",
            "cancelled before: DID_CHANGE_RENEWAL_STATUS AUTO_RENEW_DISABLED 1",
            "ended by the customer: EXPIRED VOLUNTARY 2", "subscribed: SUBSCRIBED INITIAL_BUY 1",
            "consent asked: PRICE_INCREASE PENDING 1", "ended by the price: EXPIRED PRICE_INCREASE 2",
            "subscribed: SUBSCRIBED INITIAL_BUY 1", "ended by the shop: EXPIRED PRODUCT_NOT_FOR_SALE 2",
            "subscribed: SUBSCRIBED INITIAL_BUY 1", "ended otherwise: EXPIRED 2",
            "shared: SUBSCRIBED INITIAL_BUY 1", "sharing ended: REVOKE 5",
        ]
        #expect(told == plans + goods + ["test: TEST"])
    }

    @Test func `outer and inner texts are signed at one instant, each event later than the one before`() throws {
        var plan = Self.begun()
        var signed: [Int64] = []
        for event in [
            try plan.cancel(at: Self.start), try plan.enable(at: Self.start), try plan.refund(at: Self.start + 5),
            try plan.reverseRefund(at: Self.start),
        ] {
            #expect(event.transaction?.signedDate == event.signedDate)
            #expect(event.renewalInfo?.signedDate == event.signedDate)
            signed.append(event.signedDate)
        }
        #expect(signed == [2, 3, 5, 6].map { Self.start + $0 })
    }

    @Test func `a renewal follows without a gap and is of the product that was chosen`() throws {
        var plan = Self.begun()
        _ = try plan.downgrade(to: "monthly.1", price: 990, at: Self.start + 1)
        #expect(plan.newest.productId == "annual.3")
        let event = try plan.renew(as: "2", until: Self.start + 60 * Self.day, at: Self.start + Self.day)
        let transaction = try #require(event.transaction)
        #expect(transaction.transactionId == "2" && transaction.originalTransactionId == "1")
        #expect(transaction.purchaseDate == Self.start + 30 * Self.day && transaction.transactionReason == .renewal)
        #expect(transaction.productId == "monthly.1" && transaction.price == 990)
        #expect(transaction.originalPurchaseDate == Self.start)
        #expect(event.renewalInfo?.autoRenewProductId == "monthly.1")
    }

    @Test func `an upgrade begins at once, and only the texts of the old period say that it ended`() throws {
        var plan = Self.begun()
        let at = Self.start + Self.day
        let event = try plan.upgrade(to: Self.order("annual.10", "2", at: at), at: at)
        #expect(event.transaction?.purchaseDate == at && event.transaction?.transactionReason == .purchase)
        #expect(event.transaction?.isUpgraded == nil)
        #expect(plan.transaction(of: plan.periods[0], signedAt: at).isUpgraded == true)
        #expect(plan.transaction(of: plan.periods[0], signedAt: at).expiresDate == Self.start + 30 * Self.day)
    }

    @Test func `renewal info tells what follows, and names no price while renewal is off`() throws {
        var plan = Self.begun()
        let off = try #require(try plan.cancel(at: Self.start + 1).renewalInfo)
        #expect(off.autoRenewStatus == .off && off.renewalPrice == nil && off.currency == nil)
        #expect(off.renewalDate == Self.start + 30 * Self.day && off.expirationIntent == nil)
        _ = try plan.enable(at: Self.start + 2)
        let asked = try #require(try plan.increasePrice(to: 7990, isAccepted: false, at: Self.start + 3).renewalInfo)
        #expect(asked.priceIncreaseStatus == .pending && asked.renewalPrice == 7990 && asked.autoRenewStatus == .on)
        let ended = try #require(try plan.expire(at: Self.start + Self.day).renewalInfo)
        #expect(ended.expirationIntent == .priceIncreaseDeclined && ended.isInBillingRetryPeriod == false)
        #expect(ended.autoRenewStatus == .off && ended.priceIncreaseStatus == nil)
        #expect(plan.newest.expiresDate == Self.start + Self.day)
    }

    @Test func `failed billing ends the period, and a recovery within grace leaves no gap`() throws {
        var plan = Self.begun()
        let (failed, until) = (Self.start + 20 * Self.day, Self.start + 99 * Self.day)
        let event = try plan.failBilling(graceUntil: failed + 6 * Self.day, at: failed)
        #expect(event.transaction?.expiresDate == failed)
        #expect(event.renewalInfo?.gracePeriodExpiresDate == failed + 6 * Self.day)
        #expect(event.renewalInfo?.isInBillingRetryPeriod == true && event.renewalInfo?.autoRenewStatus == .on)
        var late = plan
        _ = try plan.recover(as: "2", until: until, at: failed + 5 * Self.day)
        #expect(plan.newest.purchaseDate == failed)
        _ = try late.recover(as: "2", until: until, at: failed + 6 * Self.day)
        #expect(late.newest.purchaseDate == failed + 6 * Self.day)
        #expect(plan.renewalInfo(signedAt: plan.signedAt).gracePeriodExpiresDate == nil)
    }

    @Test func `a refund touches its period alone, and its reversal leaves no trace`() throws {
        var plan = Self.begun()
        _ = try plan.renew(as: "2", until: Self.start + 60 * Self.day, at: Self.start + 1)
        let refunded = try plan.refund("1", percentage: 50_000, at: Self.start + 2)
        #expect(refunded.transaction?.transactionId == "1" && refunded.status == .active)
        #expect(refunded.transaction?.revocationType == .proratedRefund)
        #expect(refunded.transaction?.revocationPercentage == 50_000)
        #expect(refunded.transaction?.revocationDate == Self.start + 2)
        let reversed = try #require(try plan.reverseRefund(of: "1", at: Self.start + 3).transaction)
        #expect(reversed.revocationDate == nil && reversed.revocationReason == nil)
        #expect(reversed.revocationType == nil && reversed.revocationPercentage == nil)
    }

    @Test func `a family member's copy carries no account token, and only it can be withdrawn`() throws {
        var copy = Self.begun(isFamilyMember: true)
        let event = try copy.revokeSharing(at: Self.start + 1)
        #expect(event.transaction?.inAppOwnershipType == .familyShared && event.transaction?.appAccountToken == nil)
        #expect(event.transaction?.revocationType == .familyRevoke)
        #expect(throws: Refusal.notRefunded) { _ = try copy.reverseRefund(at: Self.start + 2) }
        var own = Self.begun()
        #expect(throws: Refusal.notShared) { _ = try own.revokeSharing(at: Self.start + 1) }
    }

    @Test func `who comes back within sixty days goes on with the run, and later begins a new one`() throws {
        for (days, isNew) in [(Int64(60), false), (61, true)] {
            var plan = Self.begun()
            _ = try plan.cancel(at: Self.start + 1)
            _ = try plan.expire(at: Self.start + 30 * Self.day)
            let back = Self.start + (30 + days) * Self.day
            let event = try plan.resubscribe(Self.order("monthly.1", "2", at: back), at: back)
            #expect(event.transaction?.originalTransactionId == "1" && event.transaction?.purchaseDate == back)
            #expect(event.renewalInfo?.recentSubscriptionStartDate == (isNew ? back : Self.start))
            #expect(event.renewalInfo?.expirationIntent == nil && event.renewalInfo?.autoRenewStatus == .on)
        }
    }

    @Test func `what cannot happen is refused and changes nothing`() throws {
        let begun = Self.begun()
        var (cancelled, asked, failed, ended, ahead, refunded) = (begun, begun, begun, begun, begun, begun)
        let (at, until) = (Self.start + Self.day, Self.start + 90 * Self.day)
        _ = try cancelled.cancel(at: at)
        _ = try asked.increasePrice(isAccepted: false, at: at)
        _ = try failed.failBilling(at: at)
        _ = try ended.expire(at: at)
        _ = try ahead.renew(as: "2", until: until, at: at)
        _ = try refunded.refund(at: at)
        let other = Self.order("annual.10", "3", at: at)
        let cases: [(SimulatedSubscription, Refusal, (inout SimulatedSubscription) throws(Refusal) -> SimulatedEvent)] =
            [
                (cancelled, .renewalIs(on: false), { (it) throws(Refusal) in try it.cancel(at: at) }),
                (begun, .renewalIs(on: true), { (it) throws(Refusal) in try it.enable(at: at) }),
                (
                    cancelled, .renewalIs(on: false),
                    { (it) throws(Refusal) in try it.renew(as: "9", until: until, at: at) }
                ),
                (asked, .awaitsConsent, { (it) throws(Refusal) in try it.renew(as: "9", until: until, at: at) }),
                (failed, .inRetry, { (it) throws(Refusal) in try it.renew(as: "9", until: until, at: at) }),
                (ended, .over, { (it) throws(Refusal) in try it.renew(as: "9", until: until, at: at) }),
                (refunded, .revoked, { (it) throws(Refusal) in try it.renew(as: "9", until: until, at: at) }),
                (begun, .noTime, { (it) throws(Refusal) in try it.renew(as: "9", until: at, at: at) }),
                (begun, .noTime, { (it) throws(Refusal) in try it.failBilling(graceUntil: at, at: at) }),
                (ended, .over, { (it) throws(Refusal) in try it.failBilling(at: at) }),
                (begun, .notInRetry, { (it) throws(Refusal) in try it.recover(as: "9", until: until, at: at) }),
                (failed, .notInRetry, { (it) throws(Refusal) in try it.endGrace(at: at) }),
                (ended, .over, { (it) throws(Refusal) in try it.expire(at: at) }),
                (
                    ahead, .notBegun(at: begun.newest.expiresDate),
                    { (it) throws(Refusal) in try it.expire(at: at + 1) }
                ),
                (begun, .running, { (it) throws(Refusal) in try it.resubscribe(other, at: at) }),
                (ended, .over, { (it) throws(Refusal) in try it.upgrade(to: other, at: at) }),
                (begun, .over, { (it) throws(Refusal) in try it.upgrade(to: other, at: until) }),
                (
                    begun, .sameProduct("annual.3"),
                    { (it) throws(Refusal) in try it.upgrade(to: Self.order("annual.3", "3", at: at), at: at) }
                ),
                (
                    begun, .sameProduct("annual.3"),
                    { (it) throws(Refusal) in try it.downgrade(to: "annual.3", at: at) }
                ),
                (refunded, .revoked, { (it) throws(Refusal) in try it.refund(at: at) }),
                (begun, .unknownTransaction("9"), { (it) throws(Refusal) in try it.refund("9", at: at) }),
                (begun, .notRefunded, { (it) throws(Refusal) in try it.reverseRefund(at: at) }),
            ]
        for (place, (before, refusal, act)) in cases.enumerated() {
            var after = before
            #expect(throws: refusal, "case \(place)") { _ = try act(&after) }
            #expect(after == before, "case \(place)")
        }
    }
}
