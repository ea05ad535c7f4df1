import AppStore
import Entitlements
import Hummingbird
import LedgerStore
import StrictJSON

/// `POST /api/iap/apple/transactions/attach`: attaches a purchase to the user (`semantics.md` §5, *Rules of an
/// attach*).
///
/// A repeat gets the same answer except for `outcome`, so a client may retry after any fault.
enum AttachRoute {
    /// - Throws: `invalid_request`, the problem of evidence that is not genuine, the problem of a refused claim,
    ///   `unavailable`.
    static func respond(to call: UserCall) async throws(Problem) -> Response {
        let body = try await AttachRequest(call.json())
        let labels = try call.labels()
        let (shown, replays) = try await call.judged([body.transaction], shown: { [$0] }) {
            (texts) async throws(Problem) in
            ShownPurchase(try await verified(body.transaction, knowing: texts, call), labels: labels)
        }
        let purchase = shown.state
        let (proof, sent) = try await AccountProof.verified(body.appTransaction, call)
        let claimed = try await call.claimed([shown], replays: replays) {
            [user = call.user] history, context in
            Attach(purchase, to: user, proof: proof, in: context).decide(given: history)
        }
        switch claimed.answer {
        case .success(let claim): return .json(self.body(of: claim, to: purchase, claimed, call))
        case .failure(let refusal): throw Problem(refusal, proof: sent)
        }
    }

    private static func verified(
        _ signed: SignedTransaction, knowing texts: KnownTexts, _ call: UserCall
    ) async throws(Problem) -> VerifiedTransaction {
        let verdict: Result<VerifiedTransaction, EvidenceError>
        do throws(CertificateStatusUnavailable) {
            verdict = try await call.api.verifier().verify(signed, at: call.now.milliseconds, knowing: texts)
        } catch {
            call.api.metrics.couldNotVerify(.transaction)
            throw Problem(error)
        }
        call.api.metrics.verified(.transaction, verdict)
        switch verdict {
        case .success(let transaction): return transaction
        case .failure(let refusal): throw Problem(refusal, detail: refusal.detail(about: signed.text))
        }
    }

    private static func body(
        of claim: Claim, to purchase: VerifiedPurchase, _ claimed: Claimed<Claim, AttachRefusal>, _ call: UserCall
    ) -> [UInt8] {
        let (outcome, reason) = claimed.outcome(of: claim, purchase)
        var json = JSONWriter(capacity: 2048)
        json.beginObject()
        json.member("outcome", outcome.rawValue)
        json.member("finish", outcome.finishes)
        json.member("reason", reason?.rawValue)
        json.name("transaction")
        json.append(purchase, kind: call.api.catalogue.product(of: purchase)?.terms.kind)
        json.name("status")
        json.append(claimed.status, of: claimed.timeline.user, at: claimed.at)
        json.endObject()
        return json.bytes
    }
}

/// The body of an attach. Unknown members are ignored.
struct AttachRequest {
    let transaction: SignedTransaction
    let appTransaction: SignedAppTransaction?

    /// The accepted spellings of the required member; the first one present counts.
    static let names = ["signedTransactionJWS", "signed_transaction_jws", "signedData"]

    /// - Throws: `payload_too_large` for a text over 16 KiB, `invalid_request` for a missing or mistyped member.
    init(_ body: JSONBody) throws(Problem) {
        guard body.value.isObject else { throw .invalidRequest("The body must be an object.", at: "#") }
        guard let (name, value) = body.first(of: Self.names) else {
            throw .invalidRequest("The member is required.", at: "#/" + Self.names[0])
        }
        guard let text = value.string else { throw .noSignedText(value, at: "#/" + name) }
        guard text.utf8.count <= SignedTransaction.maximumBytes else { throw .tooLong(text) }
        transaction = SignedTransaction(text)
        appTransaction = try AccountProof.member(of: body)
    }
}
