import AppStore
import Entitlements
import StrictJSON

/// Reads the proof in a request: a signed app transaction, which shows the sender's Apple account.
extension AccountProof {
    private static let name = "signedAppTransaction"

    /// The app transaction in the optional member of the requests attach and restore.
    ///
    /// - Throws: `payload_too_large` for a text over 16 KiB, `invalid_request` for anything but a string or null.
    static func member(of body: JSONBody) throws(Problem) -> SignedAppTransaction? {
        guard let value = body.value[name], !value.isNull else { return nil }
        guard let text = value.string else { throw .invalidRequest("The member must be a string.", at: "#/" + name) }
        guard text.utf8.count <= SignedAppTransaction.maximumBytes else { throw .tooLong(text) }
        return SignedAppTransaction(text)
    }

    /// The Apple account that a genuine app transaction names, with its app and environment.
    ///
    /// A text that is not genuine is ignored: the purchase is judged as if none had been sent. So a client with an
    /// outdated text can still attach what was paid for.
    ///
    /// - Throws: `unavailable` if Apple cannot be asked about the certificates.
    static func verified(_ signed: SignedAppTransaction?, _ call: UserCall) async throws(Problem) -> AccountProof? {
        guard let signed else { return nil }
        let labels = try call.labels()
        do throws(CertificateStatusUnavailable) {
            let verdict = try await call.api.verifier().verify(signed, at: call.now.milliseconds)
            call.api.metrics.verified(.appTransaction, verdict)
            guard case .success(let transaction) = verdict else { return nil }
            return AccountProof(transaction, labels: labels)
        } catch {
            call.api.metrics.couldNotVerify(.appTransaction)
            throw Problem(error)
        }
    }
}
