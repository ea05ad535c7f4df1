import AppStore

/// The customer's acts on a chain (`apple.md` §3.8, §4.1).
extension SimulatedSubscription {
    /// The longest gap in milliseconds after which a returning customer still continues the former run: 60 days
    /// (`apple.md` §2.2).
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

    /// The customer upgrades to a higher product, at once: `DID_CHANGE_RENEWAL_PREF`, `UPGRADE`. No later event is
    /// about the period that the upgrade ends.
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

    /// The customer chooses a lower product for the next period: `DID_CHANGE_RENEWAL_PREF`, `DOWNGRADE`. Choosing the
    /// present product again takes a downgrade back; the event then has no subtype.
    ///
    /// - Parameter price: The price in thousandths of the currency's unit.
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

    /// A price increase is announced: `PRICE_INCREASE`, with `PENDING` until the customer consents, or `ACCEPTED`.
    ///
    /// - Parameter price: The new price in thousandths of the currency's unit; nil leaves the planned price unchanged.
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

    /// The customer subscribes again after the chain's end, to any product of the group: `SUBSCRIBED`, `RESUBSCRIBE`.
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
