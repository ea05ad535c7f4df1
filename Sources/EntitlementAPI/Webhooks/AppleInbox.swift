package import AppStore
package import Entitlements
import LedgerStore

/// Carries out what Apple's notifications say.
package struct AppleInbox: Sendable {
    private let service: any EntitlementService
    private let verifier: @Sendable () -> AppStoreVerifier
    private let now: @Sendable () -> Instant

    /// - Parameters:
    ///   - verifier: The verifier for the apps that are sold in now.
    ///   - now: Bounds the dates of what was signed.
    package init(
        service: any EntitlementService, verifier: @escaping @Sendable () -> AppStoreVerifier,
        now: @escaping @Sendable () -> Instant
    ) {
        self.service = service
        self.verifier = verifier
        self.now = now
    }

    /// Verifies a notification and the texts inside it.
    ///
    /// - Throws: ``CertificateStatusUnavailable``.
    func verify(
        _ signed: SignedNotification
    ) async throws(CertificateStatusUnavailable) -> Result<VerifiedDelivery, EvidenceError> {
        try await verifier().verify(delivery: signed, at: now().milliseconds)
    }

    /// Places a stored text, the delivery `id`, and returns what became of it.
    ///
    /// - Throws: ``StoreInbox/Failure``.
    func place(_ text: String, as id: UInt64) async throws(StoreInbox.Failure) -> DeliveryStanding {
        let verdict: Result<VerifiedDelivery, EvidenceError>
        do throws(CertificateStatusUnavailable) {
            verdict = try await verify(SignedNotification(text))
        } catch {
            throw .certificateStatus(error)
        }
        switch verdict {
        case .failure(let refusal): throw .refused(refusal)
        case .success(let delivery):
            do throws(ServiceFailure) {
                return try await place(delivery, stored: id)
            } catch {
                throw .service(error)
            }
        }
    }

    /// Records what a delivery shows, gives its purchase to the user whom it names, and notes what became of it, all in
    /// one transaction.
    ///
    /// - Parameter id: Of the delivery as it is stored.
    /// - Throws: ``ServiceFailure``.
    func place(
        _ delivery: VerifiedDelivery, stored id: UInt64
    ) async throws(ServiceFailure) -> DeliveryStanding {
        let effect = NotificationEffect(of: delivery)
        guard delivery.isReadable, let transaction = delivery.transaction else {
            return try await service.settle(id, as: effect.standingOfNothing)
        }
        let labels = try service.labels()
        let purchase = VerifiedPurchase(transaction, labels: labels)
        var evidence = [Evidence(purchase, provedBy: Evidence.Proof(transaction))]
        if let renewalInfo = delivery.renewalInfo {
            evidence.append(Evidence(.renewal(VerifiedRenewal(renewalInfo, beside: transaction))))
        }
        let rules = service.rules
        let named = try await named(by: transaction, under: labels)
        let recorded = try await service.record(
            evidence, for: named.map { [$0] } ?? [], keys: [], everythingOf: nil, audit: nil
        ) { history, _ in
            let placed = PlacePurchase(purchase.key, for: named, under: rules).decide(given: history)
            let hasChanged = history.isEvidenceNew || !placed.bindings.isEmpty
            let standing = effect.standing(isOwned: placed.answer.get() != nil, hasChanged: hasChanged)
            let outcome = DeliveryOutcome(of: id, standing, about: purchase.key.externalID)
            return placed.mapReply { _ in standing }.adding(outcome)
        }
        return recorded.answer.get()
    }

    /// The user whom the transaction's account token names: the one whom it was issued to, or by the legacy form, where
    /// that is read, one who may never have been seen.
    private func named(
        by transaction: VerifiedTransaction, under labels: Labels
    ) async throws(ServiceFailure) -> UserID? {
        guard let token = transaction.payload.appAccountToken.flatMap({ AccountToken($0) }) else { return nil }
        let holder = try await service.holder(of: labels.label(of: token))
        // The token of an erased person places nothing; one that nobody holds yet may name somebody by its old form.
        guard holder?.isErased != true else { return nil }
        guard let user = token.legacyUserID else { return holder }
        return service.rules.decodesLegacyTokens ? user : nil
    }
}

extension NotificationEffect {
    /// What becomes of a delivery without a transaction.
    fileprivate var standingOfNothing: DeliveryStanding {
        switch self {
        case .recorded: DeliveryStanding(.ignored)
        case .ignored(let reason): DeliveryStanding(.ignored, because: reason)
        }
    }

    /// What becomes of a delivery with a transaction.
    fileprivate func standing(isOwned: Bool, hasChanged: Bool) -> DeliveryStanding {
        switch self {
        case .ignored(let reason): DeliveryStanding(.ignored, because: reason)
        case .recorded where !isOwned: DeliveryStanding(.parked, because: .noUser)
        case .recorded: DeliveryStanding(hasChanged ? .applied : .duplicate)
        }
    }
}
