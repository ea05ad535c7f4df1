package import Entitlements

/// An app transaction that the App Store signed for one of the configured apps. Only ``EvidenceVerifier`` makes one.
///
/// An app transaction proves the Apple account of its sender (`semantics.md` §5).
package struct VerifiedAppTransaction: Sendable {
    package let environment: StoreEnvironment
    package let payload: AppTransactionPayload
    let chain: SigningChain

    fileprivate init(
        _ authentic: AuthenticPayload, _ payload: AppTransactionPayload,
        _ environment: StoreEnvironment
    ) {
        self.environment = environment
        self.payload = payload
        self.chain = authentic.chain
    }
}

extension EvidenceVerifier {
    /// Verifies an app transaction. It has `receiptCreationDate` and `receiptType` in place of `signedDate` and
    /// `environment`.
    ///
    /// - Parameter now: Milliseconds since the epoch; the date must not lie after it.
    /// - Throws: The first reason, in order of precedence.
    package func verify(_ signed: SignedAppTransaction, at now: Int64) throws(EvidenceError) -> VerifiedAppTransaction {
        let authentic = try open(signed.text, maximumBytes: SignedAppTransaction.maximumBytes)
        let (payload, environment) = try authentic.decode(as: .appTransaction, at: now) {
            (reader) throws(EvidenceError) in (try AppTransactionPayload(reader), reader.environment("receiptType"))
        }
        try requireApp(payload.bundleId, appAppleId: payload.appAppleId, in: environment)
        return VerifiedAppTransaction(authentic, payload, try requireEnvironment(environment))
    }
}
