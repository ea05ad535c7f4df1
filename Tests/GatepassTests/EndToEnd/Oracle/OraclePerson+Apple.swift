import AppStore
import Entitlements
import StoreSimulator

/// What is bought in the App Store.
extension OraclePerson {
    mutating func buyPasses() throws {
        let product = pick(["pass.30", "basic.30", "pair.7", "ebb.30"])
        for _ in 0..<between(1, 3) { try buy(pick([product, "pass.30"]), .nonRenewingSubscription) }
    }

    mutating func buyAddOn() throws {
        try buy(pick(["addon.maps", "addon.night"]), .nonConsumable)
    }

    mutating func buyCoins() throws {
        try buy("coins.100", .consumable)
    }

    /// A one-time purchase and what becomes of it: signed anew, restored elsewhere, refunded, reversed.
    private mutating func buy(_ product: String, _ type: ProductType) throws {
        var sale = SimulatedTransaction(newID(), of: product, type: type, bundleId: EndToEndServer.bundleID, at: past())
        sale.environment = oneIn(8) ? .sandbox : .production
        if type != .nonConsumable, oneIn(5) { sale.quantity = Int64(between(2, 3)) }
        sale.appAccountToken = accountToken
        if oneIn(8) { sale = sale.familyShared() }
        note(sale.originalTransactionId)
        if accountToken != nil, sale.inAppOwnershipType == .familyShared {
            try claim(sale)
        } else {
            try tell(.oneTimeCharge(sale), claims: true)
        }
        var latest = sale.signedDate
        for _ in 0..<between(0, 4) {
            let instant = oneIn(10) ? latest : latest + hours(0, 20 * 24)
            guard instant + 2_000 <= now else { return }
            latest = try turn(&sale, at: instant)
        }
    }

    /// One more state of a purchase; when it was signed.
    private mutating func turn(_ sale: inout SimulatedTransaction, at instant: Int64) throws -> Int64 {
        mention(instant)
        if sale.revocationDate != nil, oneIn(2) {
            sale = sale.reversed(at: instant)
            try tell(.refundReversed(sale, at: instant))
        } else if oneIn(5) {
            var copy = sale.signed(at: instant)
            copy.transactionId = newID()
            copy.purchaseDate = max(instant - 1_000, sale.purchaseDate)
            try tell(.oneTimeCharge(copy))
        } else if oneIn(3) {
            sale = sale.signed(at: instant)
            try tell(.oneTimeCharge(sale))
        } else {
            let percentage = oneIn(2) ? 100_000 : Int64(between(0, 100_000))
            let date = oneIn(4) ? max(sale.purchaseDate, instant - hours(0, 72)) : instant
            sale = sale.refunded(at: date, percentage: percentage).signed(at: instant)
            if oneIn(6) { sale.revocationType = nil }
            mention(date)
            try tell(SimulatedEvent(.refund, about: sale))
        }
        return instant
    }

    /// A plan from its beginning to the present, or its end.
    mutating func subscribe() throws {
        let isMember = oneIn(5)
        let product = isMember && !oneIn(4) ? "monthly.1" : pick(["monthly.1", "annual.3", "tide.monthly"])
        let buyer = SimulatedSubscription.Buyer(
            bundleId: EndToEndServer.bundleID, subscriptionGroup: "1", environment: oneIn(8) ? .sandbox : .production,
            appAccountToken: accountToken, isFamilyMember: isMember)
        let began = past()
        var (plan, event) = SimulatedSubscription.begin(order(product, from: began), by: buyer, at: began)
        note(plan.originalTransactionId)
        if isMember, accountToken != nil {
            try tell(event)
            if let transaction = event.transaction { try claim(transaction) }
        } else {
            try tell(event, claims: true)
        }
        var clock = began
        for _ in 0..<between(0, 12) {
            guard let (instant, event) = turn(&plan, after: clock) else { continue }
            clock = instant
            try tell(event)
        }
    }

    private mutating func order(_ product: String, from instant: Int64) -> SimulatedSubscription.Order {
        let length = product == "annual.3" ? 60 : 30
        return .init(product, as: newID(), until: instant + days(length) + Int64(between(0, 999)))
    }

    /// The next thing that happens to a plan, and when; nil if it cannot, or lies ahead.
    private mutating func turn(
        _ plan: inout SimulatedSubscription, after clock: Int64
    ) -> (Int64, SimulatedEvent)? {
        let isDue = plan.phase == .active && !oneIn(3)
        let instant = isDue ? max(clock + 1_000, plan.newest.expiresDate) : clock + hours(0, 12 * 24) + 1_000
        guard instant + 2_000 <= now else { return nil }
        if let grace = plan.graceEndsAt { mention(grace) }
        let id = newID()
        var next = plan
        do throws(SimulatedSubscription.Refusal) {
            let event: SimulatedEvent
            switch (plan.phase, between(0, 9)) {
            case (.active, 0...4) where isDue && plan.willRenew:
                event = try next.renew(as: id, until: plan.newest.expiresDate + days(30), at: instant)
            case (.active, 5...8) where isDue && plan.willRenew:
                let grace = oneIn(2) ? instant + days(16) : nil
                event = try next.failBilling(graceUntil: grace, at: instant)
            case (.active, _) where isDue: event = try next.expire(at: instant)
            case (.active, 0...1) where plan.willRenew: event = try next.cancel(at: instant)
            case (.active, 0...2) where !plan.willRenew: event = try next.enable(at: instant)
            case (.active, 3...4): event = try next.upgrade(to: order("annual.3", from: instant), at: instant)
            case (.active, 5): event = try next.downgrade(to: "monthly.1", at: instant)
            case (.active, 6): event = try next.increasePrice(isAccepted: oneIn(2), at: instant)
            case (_, 7...8):
                let percentage = oneIn(2) ? 100_000 : Int64(between(1, 99_999))
                event = try next.refund(percentage: percentage, at: instant)
            case (_, 9) where plan.newest.revocation != nil: event = try next.reverseRefund(at: instant)
            case (.active, _): event = try next.notify(.didChangeRenewalPreference, at: instant)
            case (.retry, 0...4):
                let start = plan.recoversFrom(at: instant)
                event = try next.recover(as: id, until: start + days(30), at: instant)
            case (.retry, 5) where plan.graceEndsAt != nil: event = try next.endGrace(at: instant)
            case (.retry, _): event = try next.expire(at: instant)
            case (.ended, _):
                event = try next.resubscribe(order(pick(["monthly.1", "annual.3"]), from: instant), at: instant)
            }
            plan = next
            return (instant, event)
        } catch {
            return nil  // it cannot happen as the plan stands
        }
    }
}
