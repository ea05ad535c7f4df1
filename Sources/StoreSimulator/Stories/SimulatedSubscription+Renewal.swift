import AppStore

/// Events at the end of a period: the chain renews, its billing fails, or it ends (`apple.md` §3.11, §4.1).
extension SimulatedSubscription {
    /// The next period is charged: `DID_RENEW`. It follows the present period without a gap and is of the product that
    /// the customer chose.
    ///
    /// - Throws: ``Refusal``.
    package mutating func renew(
        as transactionId: String, until expiresDate: Int64, at instant: Int64
    ) throws(Refusal) -> SimulatedEvent {
        guard phase == .active else { throw phase == .ended ? .over : .inRetry }
        guard willRenew else { throw .renewalIs(on: false) }
        guard consentsToPrice != false else { throw .awaitsConsent }
        guard newest.revocation == nil else { throw .revoked }
        try continueChain(as: transactionId, from: newest.expiresDate, until: expiresDate)
        return event(.didRenew, at: instant)
    }

    /// The charge for the next period fails: `DID_FAIL_TO_RENEW`, with the subtype `GRACE_PERIOD` if there is grace.
    ///
    /// A period that would end later is cut off at `instant`.
    ///
    /// - Throws: ``Refusal``.
    package mutating func failBilling(
        graceUntil graceEndsAt: Int64? = nil, at instant: Int64
    ) throws(Refusal) -> SimulatedEvent {
        guard phase == .active else { throw phase == .ended ? .over : .inRetry }
        guard willRenew else { throw .renewalIs(on: false) }
        if let graceEndsAt, graceEndsAt <= instant { throw .noTime }
        try cutShort(at: instant)
        phase = .retry
        expirationIntent = ExpirationIntent.billingError.rawValue
        self.graceEndsAt = graceEndsAt
        return event(.didFailToRenew, graceEndsAt == nil ? nil : .gracePeriod, at: instant)
    }

    /// Grace ends, but Apple still retries the charge: `GRACE_PERIOD_EXPIRED`.
    ///
    /// - Throws: ``Refusal``.
    package mutating func endGrace(at instant: Int64) throws(Refusal) -> SimulatedEvent {
        guard phase == .retry, graceEndsAt != nil else { throw .notInRetry }
        graceEndsAt = nil
        return event(.gracePeriodExpired, at: instant)
    }

    /// A retry of the charge succeeds: `DID_RENEW`, `BILLING_RECOVERY`. Within grace the new period begins at the end
    /// of the old one, and later at `instant`.
    ///
    /// - Throws: ``Refusal``.
    package mutating func recover(
        as transactionId: String, until expiresDate: Int64, at instant: Int64
    ) throws(Refusal) -> SimulatedEvent {
        guard phase == .retry else { throw .notInRetry }
        try continueChain(as: transactionId, from: recoversFrom(at: instant), until: expiresDate)
        return event(.didRenew, .billingRecovery, at: instant)
    }

    /// The start of the new period if a retry of the charge succeeds at `instant`.
    package func recoversFrom(at instant: Int64) -> Int64 {
        graceEndsAt.map { instant < $0 } == true ? newest.expiresDate : instant
    }

    /// The chain ends: `EXPIRED`, with a subtype that gives the reason.
    ///
    /// A period that would end later is cut off at `instant`, as when Xcode's StoreKit testing expires a subscription.
    ///
    /// - Parameter isUnavailable: True if the product is not sold any more.
    /// - Throws: ``Refusal``.
    package mutating func expire(
        isUnavailable: Bool = false, at instant: Int64
    ) throws(Refusal) -> SimulatedEvent {
        guard phase != .ended else { throw .over }
        try cutShort(at: instant)
        let (intent, subtype) = end(isUnavailable: isUnavailable)
        phase = .ended
        willRenew = false
        graceEndsAt = nil
        consentsToPrice = nil
        expirationIntent = intent.rawValue
        return event(.expired, subtype, at: instant)
    }

    private func end(isUnavailable: Bool) -> (ExpirationIntent, NotificationSubtype?) {
        if phase == .retry { return (.billingError, .billingRetry) }
        if !willRenew { return (.customerCancelled, .voluntary) }
        if consentsToPrice == false { return (.priceIncreaseDeclined, .priceIncrease) }
        return isUnavailable ? (.productUnavailable, .productNotForSale) : (.other, nil)
    }

    private mutating func continueChain(
        as transactionId: String, from start: Int64, until expiresDate: Int64
    ) throws(Refusal) {
        guard expiresDate > start else { throw .noTime }
        let order = Order(nextProductId, as: transactionId, until: expiresDate, price: nextPrice)
        periods.append(Period(order, at: start, isRenewal: true))
        resume()
    }

    /// Makes the chain active again, and forgets all reasons for which it might end.
    mutating func resume() {
        phase = .active
        willRenew = true
        expirationIntent = nil
        graceEndsAt = nil
        consentsToPrice = nil
    }

    private mutating func cutShort(at instant: Int64) throws(Refusal) {
        guard newest.purchaseDate < instant else { throw .notBegun(at: newest.purchaseDate) }
        newest.expiresDate = min(newest.expiresDate, instant)
    }
}
