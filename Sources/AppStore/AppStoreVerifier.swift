/// What the rest of the server verifies Apple's evidence with: ``EvidenceVerifier`` and, if the operator wants it, a question to
/// Apple about revocation.
///
/// A refusal is returned, a fault is thrown. Without the revocation check nothing is ever thrown and nothing suspends, so a call
/// does not leave its thread. With it, Apple is asked last, and only about evidence that passed everything else: nobody can make
/// this server send requests with certificates of his own. A revoked chain is `chain_untrusted`.
package struct AppStoreVerifier: Sendable {
    /// The checks that need no network.
    package let evidence: EvidenceVerifier
    private let revocation: RevocationCheck?

    /// - Parameter revocation: The check to ask Apple with; `nil` to rely on the certificates' dates alone.
    package init(evidence: EvidenceVerifier, revocation: RevocationCheck? = nil) {
        self.evidence = evidence
        self.revocation = revocation
    }

    /// Verifies a transaction, of those among `texts` without the signature.
    ///
    /// - Throws: ``RevocationUnavailable``.
    package func verify(
        _ signed: SignedTransaction, at now: Int64, knowing texts: KnownTexts = .none
    ) async throws(RevocationUnavailable) -> Result<VerifiedTransaction, EvidenceError> {
        let verdict = Result { () throws(EvidenceError) in try evidence.verify(signed, at: now, knowing: texts) }
        return try await unlessRevoked(verdict, at: now) { ($0.chain, $0.payload.signedDate) }
    }

    /// Verifies renewal info.
    ///
    /// - Throws: ``RevocationUnavailable``.
    package func verify(
        _ signed: SignedRenewalInfo, at now: Int64
    ) async throws(RevocationUnavailable) -> Result<VerifiedRenewalInfo, EvidenceError> {
        let verdict = Result { () throws(EvidenceError) in try evidence.verify(signed, at: now) }
        return try await unlessRevoked(verdict, at: now) { ($0.chain, $0.payload.signedDate) }
    }

    /// Verifies a notification, not the texts inside it.
    ///
    /// - Throws: ``RevocationUnavailable``.
    package func verify(
        _ signed: SignedNotification, at now: Int64
    ) async throws(RevocationUnavailable) -> Result<VerifiedNotification, EvidenceError> {
        let verdict = Result { () throws(EvidenceError) in try evidence.verify(signed, at: now) }
        return try await unlessRevoked(verdict, at: now) { ($0.chain, $0.payload.signedDate) }
    }

    /// Verifies an app transaction.
    ///
    /// - Throws: ``RevocationUnavailable``.
    package func verify(
        _ signed: SignedAppTransaction, at now: Int64
    ) async throws(RevocationUnavailable) -> Result<VerifiedAppTransaction, EvidenceError> {
        let verdict = Result { () throws(EvidenceError) in try evidence.verify(signed, at: now) }
        return try await unlessRevoked(verdict, at: now) { ($0.chain, $0.payload.receiptCreationDate) }
    }

    /// The verdict, or that the chain was revoked.
    ///
    /// - Throws: ``RevocationUnavailable``.
    func unlessRevoked<Verified>(
        _ verdict: Result<Verified, EvidenceError>, at now: Int64, _ signing: (Verified) -> (SigningChain, Int64)
    ) async throws(RevocationUnavailable) -> Result<Verified, EvidenceError> {
        guard let revocation, case .success(let verified) = verdict else { return verdict }
        let (chain, signedAt) = signing(verified)
        guard try await revocation.permits(chain, signedAt: signedAt, at: now) else {
            return .failure(
                EvidenceError(.chainUntrusted, "Apple does not vouch for a certificate of the chain any more."))
        }
        return verdict
    }
}
