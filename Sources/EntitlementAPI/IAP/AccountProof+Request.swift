import AppStore
import Entitlements
import LedgerStore
import StrictJSON

/// Reads the proof in a request: a signed app transaction, which shows the sender's Apple account.
extension AccountProof {
    static let name = "signedAppTransaction"

    /// The app transaction in the member that requests of attach and restore may have.
    ///
    /// - Throws: `payload_too_large` for a text over 16 KiB, `invalid_request` for anything but a string or null.
    static func member(of body: JSONBody) throws(Problem) -> SignedAppTransaction? {
        guard let value = body.value[name], !value.isNull else { return nil }
        guard let text = value.string else { throw .invalidRequest("The member must be a string.", at: "#/" + name) }
        guard text.utf8.count <= SignedAppTransaction.maximumBytes else { throw .tooLong(text) }
        return SignedAppTransaction(text)
    }

    /// The Apple account that a genuine app transaction names, with its app and environment, and what was sent of it.
    ///
    /// A text that is not genuine, or was made before its account was signed out, is ignored: the purchase is judged as
    /// if none had been sent. So a client with an outdated text can still attach what was paid for. After a sign-out
    /// the answer asks for a proof again, because a newer text of the same device is one.
    ///
    /// - Throws: `unavailable` if Apple cannot be asked about the certificates, or the database cannot be reached.
    static func verified(
        _ signed: SignedAppTransaction?, _ call: UserCall
    ) async throws(Problem) -> (proof: AccountProof?, sent: Retry.Proof) {
        guard let signed else { return (nil, .absent) }
        let labels = try call.labels()
        guard case .success(let transaction) = try await call.verdict(on: signed),
            let account = UserID(signedInBy: transaction, labels: labels)
        else { return (nil, .sent) }
        let note = try await call.served { try await $0.accountTokens.note(of: account) }
        guard note?.proves(textOf: Instant(milliseconds: transaction.payload.receiptCreationDate)) ?? true else {
            return (nil, .absent)
        }
        return (AccountProof(transaction, labels: labels), .sent)
    }
}
