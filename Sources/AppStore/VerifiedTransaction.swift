package import Entitlements

/// A transaction that the App Store signed, of one of our apps, from Sandbox or Production. Only ``EvidenceVerifier`` makes one.
///
/// A class, because a restore hands hundreds about and each has some thirty fields.
package final class VerifiedTransaction: Sendable {
    /// The text it was made from.
    package let text: SignedText
    package let environment: StoreEnvironment
    package let payload: TransactionPayload
    let chain: SigningChain

    fileprivate init(
        _ signed: SignedTransaction, _ authentic: AuthenticPayload, _ payload: TransactionPayload,
        _ environment: StoreEnvironment
    ) {
        self.text = authentic.proof(in: signed.text)
        self.environment = environment
        self.payload = payload
        self.chain = authentic.chain
    }
}

extension EvidenceVerifier {
    /// Verifies a transaction.
    ///
    /// - Parameter now: Milliseconds since the epoch; bounds `signedDate`, and nothing else.
    /// - Throws: The first reason, in the contract's order.
    package func verify(_ signed: SignedTransaction, at now: Int64) throws(EvidenceError) -> VerifiedTransaction {
        let authentic = try open(signed.text, maximumBytes: SignedTransaction.maximumBytes)
        let (payload, environment) = try authentic.decode(as: .transaction, at: now) {
            (reader) throws(EvidenceError) in (try TransactionPayload(reader), reader.environment("environment"))
        }
        _ = try requireApp(payload.bundleId)
        return VerifiedTransaction(signed, authentic, payload, try requireEnvironment(environment))
    }
}
