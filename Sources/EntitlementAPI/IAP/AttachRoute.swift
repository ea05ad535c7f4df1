import AppStore
import Entitlements
import Hummingbird
import LedgerStore
import StrictJSON

/// `POST /api/iap/apple/transactions/attach`: a purchase becomes the user's.
///
/// A repeat answers like the first time, `outcome` aside, so a client may send it again after any fault.
enum AttachRoute {
    /// - Throws: The fault of the request, then of the evidence, then of the claim.
    static func respond(to call: UserCall) async throws(Problem) -> Response {
        let body = try await AttachRequest(call.json())
        let labels = try call.labels()
        let (shown, replays) = try await call.judged([body.transaction], shown: { [$0] }) {
            (texts) async throws(Problem) in
            ShownPurchase(try await verified(body.transaction, knowing: texts, call), labels: labels)
        }
        let purchase = shown.state
        let proof = try await AccountProof.verified(body.appTransaction, call)
        let claimed = try await call.claimed([shown], replays: replays) {
            [user = call.user] history, context in
            Attach(purchase, to: user, proof: proof, in: context).decide(given: history)
        }
        switch claimed.answer {
        case .success(let claim): return .json(self.body(of: claim, to: purchase, claimed, call))
        case .failure(let refusal): throw Problem(refusal, proof: body.proof)
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
        case .failure(let refusal): throw Problem(refusal)
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
        json.append(claimed.timeline.status(at: claimed.at, explains: false), StatusBody.Parts())
        json.endObject()
        return json.bytes
    }
}

/// The body of an attach; all other members are ignored.
struct AttachRequest {
    let transaction: SignedTransaction
    let appTransaction: SignedAppTransaction?
    var proof: Retry.Proof { appTransaction == nil ? .absent : .sent }

    /// Spellings of the one required member; the first that is there counts.
    static let names = ["signedTransactionJWS", "signed_transaction_jws", "signedData"]

    /// - Throws: `payload_too_large` for a text over 16 KiB, `invalid_request` for a missing or mistyped member.
    init(_ body: JSONBody) throws(Problem) {
        guard body.value.isObject else { throw .invalidRequest("The body must be an object.", at: "#") }
        guard let (name, value) = body.first(of: Self.names) else {
            throw .invalidRequest("The member is required.", at: "#/" + Self.names[0])
        }
        guard let text = value.string else { throw .invalidRequest("The member must be a string.", at: "#/" + name) }
        guard text.utf8.count <= SignedTransaction.maximumBytes else {
            throw Problem(.payloadTooLarge, "A signed text may have \(SignedTransaction.maximumBytes) bytes.")
        }
        transaction = SignedTransaction(text)
        appTransaction = try AccountProof.member(of: body)
    }
}
