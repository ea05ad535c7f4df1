import AppStore
import Entitlements
import LedgerStore

/// What a restore says of one item.
struct RestoreResult {
    /// The raw value is what the API writes.
    enum Outcome: String {
        case attached
        case alreadyAttached = "already_attached"
        case revoked
        case recorded
        case duplicateInRequest = "duplicate_in_request"
        case refused

        init(_ outcome: AttachOutcome) {
            self =
                switch outcome {
                case .attached: .attached
                case .alreadyAttached: .alreadyAttached
                case .revoked: .revoked
                case .recorded: .recorded
                }
        }
    }

    let index: Int
    let outcome: Outcome
    private(set) var code: ProblemCode?
    private(set) var reason: String?
    /// Nil unless it is genuine.
    private(set) var purchase: VerifiedPurchase?

    /// - Throws: `unavailable` when the service has no verdict on a genuine item, which cannot be.
    init(index: Int, _ verdict: RestoreRoute.Verdict, _ reply: RestoreReply) throws(Problem) {
        self.index = index
        switch verdict {
        case .notText:
            outcome = .refused
            code = .invalidRequest
        case .tooLong:
            outcome = .refused
            code = .payloadTooLarge
        case .notGenuine(let refusal):
            outcome = .refused
            code = Problem.code(of: refusal)
            reason = code == .evidenceInvalid ? refusal.reason.rawValue : nil
        case .notJudged:
            outcome = .refused
            code = .unavailable
        case .genuine(let evidence):
            purchase = evidence.purchase
            switch reply.verdicts[index] {
            case .settled(let outcome, let reason):
                self.outcome = Outcome(outcome)
                self.reason = reason?.rawValue
            case .duplicateInRequest:
                outcome = .duplicateInRequest
            case .refused(let refusal):
                outcome = .refused
                code = Problem(refusal).code
            case nil:
                throw .unexpected
            }
        }
    }
}

/// The answer to a restore (`contract.md` §3).
struct RestoreBody {
    let bytes: [UInt8]

    init(results: [RestoreResult], reply: RestoreReply) {
        var json = JSONWriter(capacity: 2048 + 192 * results.count)
        json.beginObject()
        json.name("results")
        json.array(results) { $0.append($1) }
        json.name("summary")
        json.beginObject()
        json.member("attached", results.count { $0.outcome == .attached })
        json.member("already_attached", results.count { $0.outcome == .alreadyAttached })
        json.member("revoked", results.count { $0.outcome == .revoked })
        json.member("recorded", results.count { $0.outcome == .recorded })
        json.member("duplicates", results.count { $0.outcome == .duplicateInRequest })
        json.member("refused", results.count { $0.outcome == .refused })
        json.member("recovered", reply.recovered)
        json.endObject()
        json.member("history", reply.history.rawValue)
        json.name("status")
        json.append(reply.timeline.status(at: reply.at), StatusBody.Parts())
        json.endObject()
        bytes = json.bytes
    }
}

extension JSONWriter {
    fileprivate mutating func append(_ result: RestoreResult) {
        beginObject()
        member("index", result.index)
        member("outcome", result.outcome.rawValue)
        member("code", result.code?.rawValue)
        member("reason", result.reason)
        member("transaction_id", result.purchase?.transactionID.text)
        member("product_id", result.purchase?.productID.text)
        endObject()
    }
}
