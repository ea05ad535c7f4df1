/// Verifies Apple's evidence for the rest of the server: ``EvidenceVerifier`` and, if the operator wants it, a question
/// to Apple about revocation.
///
/// A refusal is returned, a fault is thrown. Without that question nothing is ever thrown and nothing suspends,
/// so a call does not leave its thread. With it, Apple is asked last, and only about evidence that passed everything
/// else: nobody can make this server send requests with certificates of his own. A revoked chain is `chain_untrusted`.
package struct AppStoreVerifier: Sendable {
    /// The checks that need no network.
    package let evidence: EvidenceVerifier
    private let statusCheck: CertificateStatusCheck?

    /// - Parameter statusCheck: The check to ask Apple with; `nil` to rely on the certificates' dates alone.
    package init(evidence: EvidenceVerifier, statusCheck: CertificateStatusCheck? = nil) {
        self.evidence = evidence
        self.statusCheck = statusCheck
    }

    /// Verifies a transaction, of those among `texts` without the signature.
    ///
    /// - Throws: ``CertificateStatusUnavailable``.
    package func verify(
        _ signed: SignedTransaction, at now: Int64, knowing texts: KnownTexts = .none
    ) async throws(CertificateStatusUnavailable) -> Result<VerifiedTransaction, EvidenceError> {
        let verdict = Result { () throws(EvidenceError) in try evidence.verify(signed, at: now, knowing: texts) }
        return try await unlessRevoked(verdict, at: now) { ($0.chain, $0.payload.signedDate) }
    }

    /// Verifies renewal info.
    ///
    /// - Throws: ``CertificateStatusUnavailable``.
    package func verify(
        _ signed: SignedRenewalInfo, at now: Int64
    ) async throws(CertificateStatusUnavailable) -> Result<VerifiedRenewalInfo, EvidenceError> {
        let verdict = Result { () throws(EvidenceError) in try evidence.verify(signed, at: now) }
        return try await unlessRevoked(verdict, at: now) { ($0.chain, $0.payload.signedDate) }
    }

    /// Verifies a notification, not the texts inside it.
    ///
    /// - Throws: ``CertificateStatusUnavailable``.
    package func verify(
        _ signed: SignedNotification, at now: Int64
    ) async throws(CertificateStatusUnavailable) -> Result<VerifiedNotification, EvidenceError> {
        let verdict = Result { () throws(EvidenceError) in try evidence.verify(signed, at: now) }
        return try await unlessRevoked(verdict, at: now) { ($0.chain, $0.payload.signedDate ?? now) }
    }

    /// Verifies an app transaction.
    ///
    /// - Throws: ``CertificateStatusUnavailable``.
    package func verify(
        _ signed: SignedAppTransaction, at now: Int64
    ) async throws(CertificateStatusUnavailable) -> Result<VerifiedAppTransaction, EvidenceError> {
        let verdict = Result { () throws(EvidenceError) in try evidence.verify(signed, at: now) }
        return try await unlessRevoked(verdict, at: now) { ($0.chain, $0.payload.receiptCreationDate) }
    }

    /// The verdict, or that the chain was revoked.
    ///
    /// - Throws: ``CertificateStatusUnavailable``.
    func unlessRevoked<Verified>(
        _ verdict: Result<Verified, EvidenceError>, at now: Int64, _ signing: (Verified) -> (SigningChain, Int64)
    ) async throws(CertificateStatusUnavailable) -> Result<Verified, EvidenceError> {
        guard let statusCheck, case .success(let verified) = verdict else { return verdict }
        let (chain, signedAt) = signing(verified)
        guard try await statusCheck.permits(chain, signedAt: signedAt, at: now) else {
            return .failure(
                EvidenceError(.chainUntrusted, "Apple does not vouch for a certificate of the chain any more."))
        }
        return verdict
    }
}
