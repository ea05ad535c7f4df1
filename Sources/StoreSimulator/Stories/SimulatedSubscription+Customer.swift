import AppStore

/// Acts of the customer while the chain runs, or after it (`apple.md` §3.8, §4.1).
extension SimulatedSubscription {
    /// The gap after which a customer who comes back begins a new run: 60 days (`apple.md` §2.2).
    private static let longestGap: Int64 = 60 * 86_400_000

    /// The customer switches renewal off: `DID_CHANGE_RENEWAL_STATUS`, `AUTO_RENEW_DISABLED`.
    ///
    /// - Throws: ``Refusal``.
    package mutating func cancel(at instant: Int64) throws(Refusal) -> SimulatedEvent {
        try setRenewal(false)
        return event(.didChangeRenewalStatus, .autoRenewDisabled, at: instant)
    }

    /// The customer switches renewal on again: `DID_CHANGE_RENEWAL_STATUS`, `AUTO_RENEW_ENABLED`.
    ///
    /// - Throws: ``Refusal``.
    package mutating func enable(at instant: Int64) throws(Refusal) -> SimulatedEvent {
        try setRenewal(true)
        return event(.didChangeRenewalStatus, .autoRenewEnabled, at: instant)
    }

    private mutating func setRenewal(_ on: Bool) throws(Refusal) {
        guard phase != .ended else { throw .over }
        guard willRenew != on else { throw .renewalIs(on: on) }
        willRenew = on
    }

    /// The customer goes to a higher product, at once: `DID_CHANGE_RENEWAL_PREF`, `UPGRADE`. The period that this ends
    /// is not told of any more.
    ///
    /// - Throws: ``Refusal``.
    package mutating func upgrade(to order: Order, at instant: Int64) throws(Refusal) -> SimulatedEvent {
        guard phase == .active else { throw phase == .ended ? .over : .inRetry }
        guard newest.productId != order.productId else { throw .sameProduct(order.productId) }
        guard newest.purchaseDate <= instant else { throw .notBegun(at: newest.purchaseDate) }
        guard instant < newest.expiresDate, newest.revocation == nil else { throw .over }
        guard order.expiresDate > instant else { throw .noTime }
        newest.isUpgraded = true
        begin(order, at: instant)
        return event(.didChangeRenewalPreference, .upgrade, at: instant)
    }

    /// The customer chooses a lower product for the next period: `DID_CHANGE_RENEWAL_PREF`, `DOWNGRADE`; without a
    /// subtype for the present product, which takes a choice back.
    ///
    /// - Parameter price: Thousandths of the currency's unit.
    /// - Throws: ``Refusal``.
    package mutating func downgrade(
        to productId: String, price: Int64 = 4990, at instant: Int64
    ) throws(Refusal) -> SimulatedEvent {
        guard phase == .active else { throw phase == .ended ? .over : .inRetry }
        guard willRenew else { throw .renewalIs(on: false) }
        guard nextProductId != productId else { throw .sameProduct(productId) }
        nextProductId = productId
        nextPrice = price
        let subtype: NotificationSubtype? = productId == newest.productId ? nil : .downgrade
        return event(.didChangeRenewalPreference, subtype, at: instant)
    }

    /// A higher price is planned: `PRICE_INCREASE`, `PENDING` while the customer has to consent, or `ACCEPTED`.
    ///
    /// - Parameter price: Thousandths of the currency's unit; nil leaves it.
    /// - Throws: ``Refusal``.
    package mutating func increasePrice(
        to price: Int64? = nil, isAccepted: Bool, at instant: Int64
    ) throws(Refusal) -> SimulatedEvent {
        guard phase == .active else { throw phase == .ended ? .over : .inRetry }
        guard willRenew else { throw .renewalIs(on: false) }
        nextPrice = price ?? nextPrice
        consentsToPrice = isAccepted
        return event(.priceIncrease, isAccepted ? .accepted : .pending, at: instant)
    }

    /// The customer comes back after the end, to any product of the group: `SUBSCRIBED`, `RESUBSCRIBE`.
    ///
    /// - Throws: ``Refusal``.
    package mutating func resubscribe(_ order: Order, at instant: Int64) throws(Refusal) -> SimulatedEvent {
        guard phase == .ended else { throw .running }
        guard order.expiresDate > instant else { throw .noTime }
        if instant - newest.expiresDate > Self.longestGap { runStartedAt = instant }
        begin(order, at: instant)
        return event(.subscribed, .resubscribe, at: instant)
    }

    private mutating func begin(_ order: Order, at instant: Int64) {
        periods.append(Period(order, at: instant))
        nextProductId = order.productId
        nextPrice = order.price
        resume()
    }
}
