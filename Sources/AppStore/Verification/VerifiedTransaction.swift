package import Entitlements

/// A transaction that the App Store signed for one of the configured apps, from Sandbox or Production. Only
/// ``EvidenceVerifier`` makes one.
///
/// This is a class because a restore passes hundreds of them along, and each has some thirty fields.
package final class VerifiedTransaction: Sendable {
    /// The signed text.
    package let text: SignedText
    package let environment: StoreEnvironment
    package let payload: TransactionPayload
    let chain: SigningChain

    fileprivate init(
        _ authentic: AuthenticPayload, _ payload: TransactionPayload, _ environment: StoreEnvironment
    ) {
        self.text = authentic.proof
        self.environment = environment
        self.payload = payload
        self.chain = authentic.chain
    }
}

extension EvidenceVerifier {
    /// Verifies a transaction.
    ///
    /// - Parameters:
    ///   - now: Milliseconds since the epoch; `signedDate` must not lie after it.
    ///   - texts: The texts whose signatures were verified before.
    /// - Throws: The first reason, in order of precedence.
    package func verify(
        _ signed: SignedTransaction, at now: Int64, knowing texts: KnownTexts = .none
    ) throws(EvidenceError) -> VerifiedTransaction {
        try transaction(in: open(signed.segments.get(), knowing: texts), at: now)
    }

    /// Verifies a transaction under `chain`, the certificate chain that was already built from its header.
    ///
    /// - Throws: The first reason that applies, in the order of ``EvidenceError/Reason`` from `chain_expired` on.
    func verify(
        _ jws: CompactJWS, under chain: SigningChain, at now: Int64, knowing texts: KnownTexts
    ) throws(EvidenceError) -> VerifiedTransaction {
        try transaction(in: open(jws, under: chain, knowing: texts), at: now)
    }

    /// Decodes the transaction, and checks its app and environment.
    ///
    /// - Throws: The first reason from `payload_malformed` on.
    private func transaction(
        in authentic: AuthenticPayload, at now: Int64
    ) throws(EvidenceError) -> VerifiedTransaction {
        let (payload, environment) = try authentic.decode(as: .transaction, at: now) {
            (reader) throws(EvidenceError) in (try TransactionPayload(reader), reader.environment("environment"))
        }
        _ = try requireApp(payload.bundleId)
        return VerifiedTransaction(authentic, payload, try requireEnvironment(environment))
    }
}
