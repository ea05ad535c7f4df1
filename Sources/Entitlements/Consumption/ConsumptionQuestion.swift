/// A question of the App Store how much of a purchase was used, before it decides on a refund (`semantics.md` §5).
package struct ConsumptionQuestion: Hashable, Sendable {
    package let purchase: PurchaseKey
    /// The transaction that the refund is asked for; of a plan, one period.
    package let transaction: TransactionID
    package let askedAt: Instant

    package init(about transaction: TransactionID, of purchase: PurchaseKey, askedAt: Instant) {
        self.purchase = purchase
        self.transaction = transaction
        self.askedAt = askedAt
    }

    /// The time in which the App Store takes an answer, in milliseconds. A repeat within it is the same question.
    package static func patience(in environment: StoreEnvironment) -> Int64 {
        switch environment {
        case .production: 12 * Instant.millisecondsPerHour
        case .sandbox: 5 * 60_000
        }
    }

    /// The first instant at which an answer comes too late.
    package var deadline: Instant { askedAt + Self.patience(in: purchase.environment) }

    /// Returns what is told about the purchase at `now`, or why nothing is. The reasons have the order of the cases of
    /// ``ConsumptionSilence``.
    ///
    /// - Parameter ledger: The ledger of the user who has the purchase.
    package func answer(
        given ledger: UserLedger, in context: FoldContext, under policy: ConsumptionPolicy, at now: Instant
    ) -> Result<ConsumptionAnswer, ConsumptionSilence> {
        guard !ledger.user.isErased else { return .failure(.erased) }
        guard ledger.consentsToConsumption else { return .failure(.noConsent) }
        guard !isRefunded(in: ledger, at: now) else { return .failure(.refunded) }
        guard now < deadline else { return .failure(.late) }
        let timeline = Timeline(folding: ledger, given: context.catalogue, settings: context.settings)
        let (isDelivered, share) = timeline.consumption(of: purchase, at: now)
        return .success(ConsumptionAnswer(isDelivered: isDelivered, share: share, under: policy))
    }

    /// True if the App Store refunded everything that the question is about. An operator's withdrawal is no refund.
    private func isRefunded(in ledger: UserLedger, at now: Instant) -> Bool {
        let states = ledger.entries.compactMap(\.fact.state).filter {
            $0.key == purchase && ($0.type != .plan || $0.transactionID == transaction)
        }
        return ShareTrack(of: states).share(at: now) >= Revocation.fullShare
    }
}

/// The settings `apple.consumption`: what an operator wants to become of refunds.
package struct ConsumptionPolicy: Hashable, Sendable {
    package let preference: RefundPreference
    /// True if customers could try the content before they bought it.
    package let providesSamples: Bool

    package init(preference: RefundPreference = .none, providesSamples: Bool = false) {
        self.preference = preference
        self.providesSamples = providesSamples
    }
}

/// The refund that the server asks the App Store for. The raw value stands in settings, in the database and in lists.
package enum RefundPreference: String, Hashable, Sendable, CaseIterable {
    /// The App Store decides alone.
    case none
    case decline
    case grantFull = "grant_full"
    /// The share that was not used.
    case grantProrated = "grant_prorated"
}

/// The reason why the App Store is told nothing about a purchase, in order of precedence. The raw value stands in the
/// database and in lists.
package enum ConsumptionSilence: String, Error, Hashable, Sendable, CaseIterable {
    /// There are no App Store credentials.
    case notConfigured = "not_configured"
    /// Nobody has the purchase.
    case unowned
    /// The person who has the purchase was erased.
    case erased
    /// The last act of the user who has the purchase does not allow it, or there is none.
    case noConsent = "no_consent"
    /// The App Store has refunded everything already.
    case refunded
    /// The deadline has passed.
    case late
    /// The App Store refused the answer.
    case refused
}
