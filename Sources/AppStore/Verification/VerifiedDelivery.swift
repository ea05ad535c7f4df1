/// A notification and the texts inside it. Each text is verified, and all are about the same app, environment and
/// purchase.
package struct VerifiedDelivery: Sendable {
    package let notification: VerifiedNotification
    /// The transaction that the notification brings, if any.
    package let transaction: VerifiedTransaction?
    /// The state of the chain's renewal; only together with a transaction.
    package let renewalInfo: VerifiedRenewalInfo?
    /// The app transaction that the notification brings, if any.
    package let appTransaction: VerifiedAppTransaction?
    /// The instant at which Apple signed the notification. If the notification has no date, the latest date of a text
    /// inside.
    package let signedDate: Int64
    /// True if every part can be read. Otherwise the notification has no effect.
    package let isReadable: Bool
}

extension AppStoreVerifier {
    /// Verifies a notification and the texts inside it.
    ///
    /// - Returns: The delivery, or the first reason to refuse it; the notification's reasons come before those of the
    ///   texts inside. Texts that do not belong together are `payload_malformed`. An authentic text inside that cannot
    ///   be read is no reason to refuse; it makes the delivery unreadable.
    /// - Throws: ``CertificateStatusUnavailable``.
    package func verify(
        delivery signed: SignedNotification, at now: Int64
    ) async throws(CertificateStatusUnavailable) -> Result<VerifiedDelivery, EvidenceError> {
        let notification: VerifiedNotification
        switch try await verify(signed, at: now) {
        case .success(let verified): notification = verified
        case .failure(let refusal): return .failure(refusal)
        }
        var transaction: VerifiedTransaction?
        var renewalInfo: VerifiedRenewalInfo?
        var appTransaction: VerifiedAppTransaction?
        var isReadable = true
        switch notification.payload.content {
        case .data(let data):
            if let signed = data.signedTransactionInfo {
                switch try await verify(signed, at: now) {
                case .success(let verified): transaction = verified
                case .failure(let refusal) where refusal.reason == .payloadMalformed: isReadable = false
                case .failure(let refusal): return .failure(refusal)
                }
            }
            if let signed = data.signedRenewalInfo {
                switch try await verify(signed, at: now) {
                case .success(let verified): renewalInfo = verified
                case .failure(let refusal) where refusal.reason == .payloadMalformed: isReadable = false
                case .failure(let refusal): return .failure(refusal)
                }
            }
        case .appData(let data):
            if let signed = data.signedAppTransactionInfo {
                switch try await verify(signed, at: now) {
                case .success(let verified): appTransaction = verified
                case .failure(let refusal) where refusal.reason == .payloadMalformed: isReadable = false
                case .failure(let refusal): return .failure(refusal)
                }
            }
        case .unreadable: isReadable = false
        case .summary, .externalPurchaseToken: break
        }
        return Result { () throws(EvidenceError) in
            if isReadable { try notification.requireTogether(transaction, renewalInfo) }
            let inner = [
                transaction?.payload.signedDate, renewalInfo?.payload.signedDate,
                appTransaction?.payload.receiptCreationDate,
            ].compactMap(\.self).max()
            return VerifiedDelivery(
                notification: notification, transaction: transaction, renewalInfo: renewalInfo,
                appTransaction: appTransaction, signedDate: try notification.signedDate(or: inner),
                isReadable: isReadable)
        }
    }
}

extension VerifiedNotification {
    /// Checks that the texts inside belong to the notification and to each other.
    ///
    /// - Throws: `payload_malformed` for a text about another app, environment or purchase.
    fileprivate func requireTogether(
        _ transaction: VerifiedTransaction?, _ renewalInfo: VerifiedRenewalInfo?
    ) throws(EvidenceError) {
        if let transaction, !covers(transaction) {
            throw EvidenceError(.payloadMalformed, "The transaction inside is of another app or environment.")
        }
        guard let renewalInfo else { return }
        guard let transaction, renewalInfo.agrees(with: transaction) else {
            throw EvidenceError(.payloadMalformed, "The renewal info inside is not about the transaction inside.")
        }
    }

    /// The notification's own date, else `inner`, the date of a text inside. If `inner` is used, the certificates must
    /// be valid at that date.
    ///
    /// - Throws: `payload_malformed` if there is no date, or `chain_expired`.
    fileprivate func signedDate(or inner: Int64?) throws(EvidenceError) -> Int64 {
        if let signedDate = payload.signedDate { return signedDate }
        guard let inner else {
            throw EvidenceError(.payloadMalformed, "Neither the notification nor a text inside it is dated.")
        }
        guard chain.period.contains(inner) else {
            throw EvidenceError(.chainExpired, "A certificate was not valid when the text was signed.")
        }
        return inner
    }
}
