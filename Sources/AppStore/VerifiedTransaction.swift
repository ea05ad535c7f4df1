package import Entitlements

/// A transaction that the App Store signed, of one of our apps, from Sandbox or Production. Only ``EvidenceVerifier`` makes one.
package struct VerifiedTransaction: Sendable {
    /// The text it was made from.
    package let signed: SignedTransaction
    /// SHA-256 of the compact text: finds a literal replay, never an identity (`semantics.md` §5).
    package let jwsHash: [UInt8]
    package let environment: StoreEnvironment
    package let payload: TransactionPayload
    let chain: SigningChain

    fileprivate init(
        _ signed: SignedTransaction, _ authentic: AuthenticPayload, _ payload: TransactionPayload,
        _ environment: StoreEnvironment
    ) {
        self.signed = signed
        self.jwsHash = authentic.textDigest
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
