package import AppStore
package import Entitlements
import LedgerStore

/// Carries out what Apple's notifications say, for the request that brings one and for the job that tries it again.
///
/// What it does may be done twice, in any order and at the same time: the signed texts are ordered by their own dates,
/// and a state that is known changes nothing (`semantics.md` §1).
package struct AppleInbox: Sendable {
    private let service: any EntitlementService
    private let verifier: @Sendable () -> AppStoreVerifier
    private let realNow: @Sendable () -> Instant

    /// - Parameters:
    ///   - verifier: The verifier for the apps that are sold in now.
    ///   - realNow: Bounds the dates of what was signed.
    package init(
        service: any EntitlementService, verifier: @escaping @Sendable () -> AppStoreVerifier,
        realNow: @escaping @Sendable () -> Instant
    ) {
        self.service = service
        self.verifier = verifier
        self.realNow = realNow
    }

    /// Why a stored delivery could not be placed.
    package enum Failure: Error {
        /// What this server stands on is away; to be tried again.
        case service(ServiceFailure)
        /// Apple could not be asked; to be tried again.
        case certificateStatus(CertificateStatusUnavailable)
        /// The text was genuine when it came and is not any more, as when its app is sold no more.
        case refused(EvidenceError)

        /// Whether it will pass when Apple can be asked again.
        package var isAppleAway: Bool {
            if case .certificateStatus = self { true } else { false }
        }
    }

    /// Verifies a notification and the texts inside it.
    ///
    /// - Throws: ``CertificateStatusUnavailable``.
    func verify(
        _ signed: SignedNotification
    ) async throws(CertificateStatusUnavailable) -> Result<VerifiedDelivery, EvidenceError> {
        try await verifier().verify(delivery: signed, at: realNow().milliseconds)
    }

    /// Places the stored delivery `id`. A delivery whose text was erased has nothing left to place.
    ///
    /// - Throws: ``Failure``.
    package func place(stored id: UInt64) async throws(Failure) {
        let verdict: Result<VerifiedDelivery, EvidenceError>
        do {
            guard let text = try await service.text(ofDelivery: id) else {
                _ = try await settle(id, as: DeliveryStanding(.ignored))
                return
            }
            verdict = try await verify(SignedNotification(text))
            if case .success(let delivery) = verdict { _ = try await place(delivery, stored: id) }
        } catch let failure as ServiceFailure {
            throw .service(failure)
        } catch let unavailable as CertificateStatusUnavailable {
            throw .certificateStatus(unavailable)
        } catch {
            throw .service(.unavailable(retryAfterSeconds: 1))
        }
        if case .failure(let refusal) = verdict { throw .refused(refusal) }
    }

    /// Records what a delivery shows, gives its purchase to the user whom it names, and notes what became of it, all in
    /// one transaction.
    ///
    /// - Parameter id: Of the delivery as it is stored.
    /// - Throws: ``ServiceFailure``.
    func place(
        _ delivery: VerifiedDelivery, stored id: UInt64
    ) async throws(ServiceFailure) -> DeliveryStanding {
        let effect = NotificationEffect(of: delivery.notification.payload.notificationType)
        guard let transaction = delivery.transaction else {
            return try await settle(id, as: effect.standingOfNothing)
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
            return placed.mapReply { _ in standing }.adding(DeliveryOutcome(of: id, standing))
        }
        return recorded.answer.get()
    }

    private func settle(_ id: UInt64, as standing: DeliveryStanding) async throws(ServiceFailure) -> DeliveryStanding {
        try await service.record([], for: [], keys: [], everythingOf: nil, audit: nil) {
            _, _ -> Decision<DeliveryStanding, Never> in
            Decision(sideRows: [DeliveryOutcome(of: id, standing)], answer: .success(standing))
        }.answer.get()
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
