import AppStore
import Crypto
import Entitlements
import Hummingbird
import LedgerStore
import StrictJSON

/// A notification of version 1, which nobody signed. Nothing in it is believed but that Apple is to be asked about the
/// purchases that it names, and that only by a sender who knows the shared secret (`apple.md` §4.4).
enum LegacyNotification {
    /// True for a body of this version.
    static func isMeant(by body: JSONBody) -> Bool {
        body.value["password"] != nil || body.value["notification_type"] != nil
    }

    /// Stores what a notification names, with the job that asks Apple.
    ///
    /// - Throws: `not_found` where Apple cannot be asked or no shared secret is set, `evidence_invalid` for another
    ///   password, `unavailable`.
    static func respond(to body: JSONBody, _ call: OpenCall) async throws(Problem) -> Response {
        guard call.api.history != nil, let secret = call.api.receipts?.secret else { throw .notFound }
        let password = body.value["password"]?.string ?? ""
        // Comparing digests takes the same time, whatever was sent.
        guard SHA256.hash(data: Array(password.utf8)) == SHA256.hash(data: Array(secret.utf8)) else {
            call.api.metrics.refused(.notification, because: EvidenceError.Reason.signatureMismatch.rawValue)
            var problem = Problem(EvidenceError(.signatureMismatch, "The password is not the shared secret."))
            problem.status = .badRequest
            throw problem
        }
        let named = body.value["bid"]?.string
        let app = call.api.verifier().evidence.apps.first { $0.bundleId == named }
        let infos = body.value["unified_receipt"]?["latest_receipt_info"]?.elements ?? []
        let ids = LegacyReceipt.distinct(infos.compactMap(\.originalTransactionID))
        if !ids.isEmpty {
            let purchases = NamedPurchases(ids, of: AppID(app?.bundleId ?? ""))
            try await call.served { try await $0.lookups.begin(purchases) }
        }
        let result = ids.isEmpty ? DeliveryResult.ignored : DeliveryOutcome.pending.result
        return .json(JSONWriter.object { $0.member("result", result.rawValue) })
    }
}
