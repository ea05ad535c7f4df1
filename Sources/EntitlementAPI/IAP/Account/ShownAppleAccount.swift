import AppStore
import Entitlements
import LedgerStore

/// The Apple account whose app transaction a request shows (`semantics.md` §5, *The Apple account as sign-in*). The
/// text is a credential, so nothing of it is stored or logged.
struct ShownAppleAccount {
    /// The account's own user.
    let user: UserID
    /// The instant at which Apple made the text.
    let madeAt: Instant
    let note: AppleAccountNote?

    /// Verifies the member `signedAppTransaction` of a request's body.
    ///
    /// - Throws: The problem of a defective request, of a text that is not genuine or names no account, `unavailable`.
    init(in call: some Call) async throws(Problem) {
        let body = try await call.json()
        try body.requireObject()
        let signed = try body.required(AccountProof.name) { _ throws(Problem) in try AccountProof.member(of: body) }
        switch try await call.verdict(on: signed) {
        case .failure(let refusal): throw Problem(refusal, detail: refusal.detail(about: signed.text))
        case .success(let transaction):
            guard transaction.payload.revocationDate == nil else { throw Problem(AppleAccountRefusal.revoked) }
            guard let user = UserID(signedInBy: transaction, labels: try call.labels()) else {
                throw Problem(AppleAccountRefusal.noAppleAccount)
            }
            self.user = user
            madeAt = Instant(milliseconds: transaction.payload.receiptCreationDate)
            note = try await call.served { try await $0.accountTokens.note(of: user) }
        }
    }
}

extension Call {
    /// The verdict on an app transaction.
    ///
    /// - Throws: `unavailable` if Apple cannot be asked about the certificates.
    func verdict(
        on signed: SignedAppTransaction
    ) async throws(Problem) -> Result<VerifiedAppTransaction, EvidenceError> {
        do throws(CertificateStatusUnavailable) {
            let verdict = try await api.verifier().verify(signed, at: now.milliseconds)
            api.metrics.verified(.appTransaction, verdict)
            return verdict
        } catch {
            api.metrics.couldNotVerify(.appTransaction)
            throw Problem(error)
        }
    }
}
