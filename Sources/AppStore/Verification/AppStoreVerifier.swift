/// Verifies Apple's evidence for the rest of the server: ``EvidenceVerifier``, and optionally a question to Apple
/// whether a certificate is revoked.
///
/// A refusal is returned; a fault is thrown. Without `statusCheck` a call neither throws nor suspends, so it stays on
/// its thread. With it, Apple is asked last, and only about evidence that passed all other checks. So nobody can make
/// this server send requests with certificates of their own. A revoked chain is refused as `chain_untrusted`.
package struct AppStoreVerifier: Sendable {
    /// The checks that need no network.
    package let evidence: EvidenceVerifier
    private let statusCheck: CertificateStatusCheck?

    /// - Parameter statusCheck: The check that asks Apple; `nil` to rely on the certificates' dates alone.
    package init(evidence: EvidenceVerifier, statusCheck: CertificateStatusCheck? = nil) {
        self.evidence = evidence
        self.statusCheck = statusCheck
    }

    /// Verifies a transaction. If the text is among `texts`, its signature is not checked again.
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

    /// Verifies a notification, but not the texts inside it.
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

    /// Returns the verdict, or `chain_untrusted` if Apple says that the chain is revoked.
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
