package import AppStore
import Entitlements
import LedgerStore
import Logging

/// The vouchers for legacy receipts: Apple's signature, or verifyReceipt where a secret is shared with Apple.
package struct Receipts: Sendable {
    let verifier: ReceiptVerifier
    /// verifyReceipt; nil without the setting `apple.shared_secret`.
    let server: (any ReceiptServer)?
    /// The setting `apple.shared_secret`.
    let secret: String?

    package init(verifier: ReceiptVerifier, server: (any ReceiptServer)? = nil, secret: String? = nil) {
        self.verifier = verifier
        self.server = server
        self.secret = secret
    }

    /// Reads a receipt, for which nobody vouches yet.
    ///
    /// - Parameter sent: The text before it was repaired.
    /// - Throws: `evidence_invalid` for what is none, `wrong_app` if it names an app that the catalogue does not have.
    func read(_ text: String, sentAs sent: String, _ call: UserCall) throws(Problem) -> LegacyReceipt {
        do throws(EvidenceError) {
            let receipt = try LegacyReceipt(text)
            if case .app(let app) = receipt, let name = app.bundleID {
                guard call.api.verifier().evidence.apps.contains(where: { $0.bundleId == name }) else {
                    throw EvidenceError(.wrongApp, "The receipt is another app's.")
                }
            }
            return receipt
        } catch {
            call.api.metrics.refused(.receipt, because: error.reason.rawValue)
            throw Problem(error, detail: error.detail(about: sent, sentAsReceipt: true))
        }
    }

    /// The purchases that a receipt names, if Apple vouches for it: by its signature, else by verifyReceipt. If nobody
    /// does, they are those of the Apple account that the request proves. Nil if only verifyReceipt could tell, which
    /// is not configured.
    ///
    /// - Parameter sent: The proof in the request, genuine or not.
    /// - Throws: `evidence_invalid`, `wrong_app` or `wrong_environment`; `unavailable` while Apple cannot be asked.
    func purchases(
        in receipt: LegacyReceipt, _ text: String, provenBy proof: AccountProof?, _ sent: Retry.Proof, _ call: UserCall
    ) async throws(Problem) -> NamedPurchases? {
        var refusal: EvidenceError?
        var proven: NamedPurchases?
        if case .app(let app) = receipt {
            do throws(EvidenceError) {
                if let named = try signed(app, call) { return named }
            } catch {
                refusal = error
                if error.isOfOurs { proven = app.purchases(provenBy: proof) }
            }
        }
        if let server, refusal?.isOfOurs != false {
            do throws(ReceiptAnswer.Failure) {
                return try await shown(by: server, text, call)
            } catch {
                switch error {
                case .refused(let other): refusal = other.isOfOurs ? refusal ?? other : other
                case .secretNotAccepted:
                    call.api.metrics.refused(.receipt, because: "secret_not_accepted")
                    call.api.logger.error("Apple does not accept apple.shared_secret: receipts wait until it does")
                    throw .unavailable("Apple cannot be asked about the receipt.", retryAfterSeconds: 30)
                case .away where proven != nil: call.api.metrics.couldNotVerify(.receipt)
                case .away:
                    call.api.metrics.couldNotVerify(.receipt)
                    throw .unavailable("Apple cannot be asked about the receipt.", retryAfterSeconds: 30)
                }
            }
        }
        guard let refusal else { return nil }
        call.api.metrics.refused(.receipt, because: refusal.reason.rawValue)
        if refusal.isOfOurs, let proven { return proven }
        guard case .app(let app) = receipt, app.environment != nil, !app.purchases.isEmpty, refusal.isOfOurs else {
            throw Problem(refusal)
        }
        throw Problem(refusal, proof: sent)
    }

    /// The purchases of a receipt that Apple signed; nil if it has none, which verifyReceipt may still show.
    ///
    /// - Throws: The reason why it does not hold.
    private func signed(_ app: AppReceipt, _ call: UserCall) throws(EvidenceError) -> NamedPurchases? {
        let apps = call.api.verifier().evidence.apps
        let environment = try verifier.verify(app, for: apps, at: call.now.milliseconds)
        guard !app.purchases.isEmpty else { return nil }
        call.api.metrics.found(genuine: .receipt)
        return NamedPurchases(app.purchases, of: AppID(app.bundleID ?? ""), in: environment)
    }

    /// The purchases that verifyReceipt shows for a receipt.
    private func shown(
        by server: any ReceiptServer, _ text: String, _ call: UserCall
    ) async throws(ReceiptAnswer.Failure) -> NamedPurchases {
        let answer = try await ReceiptAnswer(asking: server, about: text)
        guard let name = answer.bundleID else {
            throw .refused(EvidenceError(.wrongApp, "The receipt names no app."))
        }
        guard let app = call.api.verifier().evidence.apps.first(where: { $0.bundleId == name }),
            answer.appItemID == nil || app.appAppleId == nil || answer.appItemID == app.appAppleId
        else { throw .refused(EvidenceError(.wrongApp, "The receipt is another app's.")) }
        call.api.metrics.found(genuine: .receipt)
        return NamedPurchases(answer.purchases, of: AppID(app.bundleId), in: answer.environment)
    }
}

extension AppReceipt {
    /// The purchases that it names, of the Apple account of `proof` alone; nil without ids or a proof of its app and
    /// environment.
    fileprivate func purchases(provenBy proof: AccountProof?) -> NamedPurchases? {
        guard let proof, proof.app.text == bundleID, proof.environment == environment, !purchases.isEmpty else {
            return nil
        }
        return NamedPurchases(purchases, of: proof.app, in: environment, onlyBy: proof.account)
    }
}

extension EvidenceError {
    /// False if the text is genuine, and of another app or of neither Sandbox nor Production: nothing makes it ours.
    fileprivate var isOfOurs: Bool { reason != .wrongApp && reason != .wrongEnvironment }
}
