package import Entitlements

/// Renewal info that the App Store signed, from Sandbox or Production. Only ``EvidenceVerifier`` makes one.
///
/// Renewal info names no app, so it counts only together with a transaction for which ``agrees(with:)`` is true.
package struct VerifiedRenewalInfo: Sendable {
    package let environment: StoreEnvironment
    package let payload: RenewalInfoPayload
    let chain: SigningChain

    fileprivate init(
        _ authentic: AuthenticPayload, _ payload: RenewalInfoPayload,
        _ environment: StoreEnvironment
    ) {
        self.environment = environment
        self.payload = payload
        self.chain = authentic.chain
    }

    /// True if both are about one subscription: they have the same original transaction and environment, and the same
    /// Apple account if both name one (`apple.md` §1.6).
    package func agrees(with transaction: VerifiedTransaction) -> Bool {
        guard environment == transaction.environment,
            payload.originalTransactionId == transaction.payload.originalTransactionId
        else { return false }
        guard let mine = payload.appTransactionId, let theirs = transaction.payload.appTransactionId else {
            return true
        }
        return mine == theirs
    }
}

extension EvidenceVerifier {
    /// Verifies renewal info. It is never `wrong_app`, because renewal info names no app.
    ///
    /// - Parameter now: Milliseconds since the epoch; `signedDate` must not lie after it.
    /// - Throws: The first reason, in order of precedence.
    package func verify(_ signed: SignedRenewalInfo, at now: Int64) throws(EvidenceError) -> VerifiedRenewalInfo {
        let authentic = try open(signed.text, maximumBytes: SignedRenewalInfo.maximumBytes)
        let (payload, environment) = try authentic.decode(as: .renewalInfo, at: now) {
            (reader) throws(EvidenceError) in (try RenewalInfoPayload(reader), reader.environment("environment"))
        }
        return VerifiedRenewalInfo(authentic, payload, try requireEnvironment(environment))
    }
}
