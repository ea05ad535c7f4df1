package import AppStore
package import Entitlements
import LedgerStore

/// Turns notifications of the App Store into deliveries in this server's terms.
package struct AppleReader: Sendable {
    private let verifier: @Sendable () -> AppStoreVerifier
    private let decodesLegacyTokens: Bool
    private let now: @Sendable () -> Instant

    /// - Parameters:
    ///   - verifier: The verifier for the apps of the present catalogue.
    ///   - rules: Say whether account tokens of the legacy form name users.
    ///   - now: The clock by which the dates of the texts are judged.
    package init(
        verifier: @escaping @Sendable () -> AppStoreVerifier, under rules: ClaimRules,
        now: @escaping @Sendable () -> Instant
    ) {
        self.verifier = verifier
        decodesLegacyTokens = rules.decodesLegacyTokens
        self.now = now
    }

    /// Verifies a notification and the signed texts inside it.
    ///
    /// - Throws: ``CertificateStatusUnavailable``.
    func verify(
        _ signed: SignedNotification
    ) async throws(CertificateStatusUnavailable) -> Result<VerifiedDelivery, EvidenceError> {
        try await verifier().verify(delivery: signed, at: now().milliseconds)
    }

    /// Verifies and reads a stored notification.
    ///
    /// - Throws: ``StoreInbox/Failure``.
    func read(_ text: String, under labels: Labels) async throws(StoreInbox.Failure) -> ReadDelivery {
        let verdict: Result<VerifiedDelivery, EvidenceError>
        do throws(CertificateStatusUnavailable) {
            verdict = try await verify(SignedNotification(text))
        } catch {
            throw .certificateStatus(error)
        }
        switch verdict {
        case .failure(let refusal): throw .refused(refusal)
        case .success(let delivery): return read(delivery, under: labels)
        }
    }

    /// The content of a verified delivery: the users, tokens and numbers that it names, and the purchase states in it.
    func read(_ delivery: VerifiedDelivery, under labels: Labels) -> ReadDelivery {
        let space = NumberSpace(
            source: .appleIAP, app: AppID(delivery.notification.payload.content.bundleId ?? ""),
            environment: delivery.notification.environment)
        var news = DeliveryNews(in: space)
        if case .ignored(let reason) = NotificationEffect(of: delivery) {
            (news.isIgnored, news.remark) = (true, reason)
        }
        guard delivery.isReadable, let transaction = delivery.transaction else {
            news.isIgnored = true
            return ReadDelivery(news)
        }
        let purchase = VerifiedPurchase(transaction, labels: labels)
        news.about = purchase.key
        if delivery.notification.payload.notificationType == .consumptionRequest {
            news.question = ConsumptionQuestion(
                about: purchase.transactionID, of: purchase.key,
                askedAt: Instant(milliseconds: delivery.signedDate))
        }
        if let token = transaction.payload.appAccountToken.flatMap({ AccountToken($0) }) {
            news.token = labels.label(of: token)
            // An account token of the legacy form may name a user who was never seen.
            if decodesLegacyTokens, let user = token.legacyUserID { news.users = [user] }
        }
        var evidence = [Evidence(purchase, provedBy: Evidence.Proof(transaction))]
        if let renewalInfo = delivery.renewalInfo {
            let course = VerifiedRenewal.Course(delivery.notification.payload)
            evidence.append(Evidence(.renewal(VerifiedRenewal(renewalInfo, beside: transaction, telling: course))))
        }
        return ReadDelivery(news, showing: evidence)
    }
}
