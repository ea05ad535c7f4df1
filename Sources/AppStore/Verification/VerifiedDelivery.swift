/// A notification with the texts inside it, each verified on its own and about one app, environment and purchase.
package struct VerifiedDelivery: Sendable {
    package let notification: VerifiedNotification
    /// The newest state of the transaction that it is about; nil where it is about none.
    package let transaction: VerifiedTransaction?
    /// The state of the chain's renewal, only beside a transaction.
    package let renewalInfo: VerifiedRenewalInfo?
    /// The download that it is about; nil where it is about none.
    package let appTransaction: VerifiedAppTransaction?
    /// When Apple signed it: the notification, or where that has no date a text inside it.
    package let signedDate: Int64
    /// True if every part could be read; an unreadable part changes nothing.
    package let isReadable: Bool
}

extension AppStoreVerifier {
    /// Verifies a notification and the texts inside it.
    ///
    /// - Returns: The first reason for a refusal, the outer text's before those of the texts inside. Texts that do not
    ///   belong together are `payload_malformed`; one inside that is authentic and cannot be read is no reason.
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
    /// - Throws: `payload_malformed` for a text of another app, environment or purchase.
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

    /// The notification's own date, else that of a text inside, at which the certificates are judged then.
    ///
    /// - Throws: `payload_malformed` without any date, `chain_expired`.
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
