package import AppStore
package import Entitlements

/// Makes the transactions, renewal infos and events that the App Store would sign about a chain.
extension SimulatedSubscription {
    /// The environment in which the buyer bought.
    package var environment: StoreEnvironment { StoreEnvironment(rawValue: buyer.environment) ?? .sandbox }

    /// The transaction of a period, signed at `signedDate`.
    package func transaction(of period: Period, signedAt signedDate: Int64) -> SimulatedTransaction {
        var transaction = SimulatedTransaction.subscription(
            period.transactionId, of: period.productId, group: buyer.subscriptionGroup, bundleId: buyer.bundleId,
            at: period.purchaseDate, until: period.expiresDate)
        transaction.originalTransactionId = originalTransactionId
        transaction.originalPurchaseDate = periods.first?.purchaseDate ?? period.purchaseDate
        transaction.environment = environment
        transaction.inAppOwnershipType = buyer.isFamilyMember ? .familyShared : .purchased
        transaction.appAccountToken = buyer.appAccountToken
        transaction.appTransactionId = buyer.appTransactionId
        transaction.transactionReason = period.isRenewal ? .renewal : .purchase
        transaction.price = period.price
        transaction.isUpgraded = period.isUpgraded ? true : nil
        transaction.offerType = period.offer.map { OfferType(rawValue: $0.type) }
        transaction.offerIdentifier = period.offer?.identifier
        transaction.offerDiscountType = period.offer?.discountType.map(OfferDiscountType.init(rawValue:))
        transaction.offerPeriod = period.offer?.period
        if let revocation = period.revocation {
            transaction =
                revocation.percentage.map { transaction.refunded(at: revocation.date, percentage: $0) }
                ?? transaction.familyRevoked(at: revocation.date)
        }
        return transaction.signed(at: signedDate)
    }

    /// The renewal info beside the newest period, signed at `signedDate`.
    package func renewalInfo(signedAt signedDate: Int64) -> SimulatedRenewalInfo {
        var info = SimulatedRenewalInfo(for: transaction(of: newest, signedAt: signedDate))
        info.autoRenewProductId = nextProductId
        info.autoRenewStatus = willRenew ? .on : .off
        info.renewalPrice = willRenew ? nextPrice : nil
        info.currency = willRenew ? info.currency : nil
        info.recentSubscriptionStartDate = runStartedAt
        info.expirationIntent = expirationIntent.map(ExpirationIntent.init(rawValue:))
        info.isInBillingRetryPeriod = phase == .active ? nil : phase == .retry
        info.gracePeriodExpiresDate = graceEndsAt
        info.priceIncreaseStatus = consentsToPrice.map { $0 ? .consented : .pending }
        return info
    }

    /// The chain's status at `instant`.
    package func status(at instant: Int64) -> SubscriptionStatus {
        switch phase {
        case .ended: .expired
        case .retry: graceEndsAt.map { $0 > instant } == true ? .gracePeriod : .billingRetry
        case .active: newest.revocation == nil ? .active : .revoked
        }
    }

    /// The event about `period`, or about the newest one if nil. It is made after the chain has been changed.
    ///
    /// Its texts are signed at `instant`, or later if needed: each signing date is after all earlier ones, so that the
    /// dates give the order.
    mutating func event(
        _ type: NotificationType, _ subtype: NotificationSubtype? = nil, about period: Period? = nil, at instant: Int64
    ) -> SimulatedEvent {
        signedAt = max(instant, signedAt + 1)
        var event = SimulatedEvent(type, subtype, about: transaction(of: period ?? newest, signedAt: signedAt))
        event.renewalInfo = renewalInfo(signedAt: signedAt)
        event.status = status(at: signedAt)
        return event
    }

    /// Any event about a transaction of the chain in its present state; nil means the newest transaction.
    ///
    /// - Throws: ``Refusal``.
    package mutating func notify(
        _ type: NotificationType, _ subtype: NotificationSubtype? = nil, of transactionId: String? = nil,
        at instant: Int64
    ) throws(Refusal) -> SimulatedEvent {
        event(type, subtype, about: periods[try place(of: transactionId)], at: instant)
    }

    /// The index of a transaction's period; of the newest one for nil.
    func place(of transactionId: String?) throws(Refusal) -> Int {
        guard let transactionId else { return periods.count - 1 }
        guard let place = periods.firstIndex(where: { $0.transactionId == transactionId }) else {
            throw .unknownTransaction(transactionId)
        }
        return place
    }
}
