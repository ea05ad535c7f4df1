package import Entitlements

/// Renewal info that the App Store signed, from Sandbox or Production. Only ``EvidenceVerifier`` makes one.
///
/// Renewal info names no app, so it counts only beside a transaction that it ``agrees(with:)``.
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

    /// True if both are about one subscription: same original transaction, same environment, and the same Apple account
    /// where both name one (`apple.md` §1.6).
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
    /// Verifies renewal info. `wrong_app` is no reason here, because renewal info names no app.
    ///
    /// - Parameter now: Milliseconds since the epoch; bounds `signedDate`, and nothing else.
    /// - Throws: The first reason, in order of precedence.
    package func verify(_ signed: SignedRenewalInfo, at now: Int64) throws(EvidenceError) -> VerifiedRenewalInfo {
        let authentic = try open(signed.text, maximumBytes: SignedRenewalInfo.maximumBytes)
        let (payload, environment) = try authentic.decode(as: .renewalInfo, at: now) {
            (reader) throws(EvidenceError) in (try RenewalInfoPayload(reader), reader.environment("environment"))
        }
        return VerifiedRenewalInfo(authentic, payload, try requireEnvironment(environment))
    }
}
