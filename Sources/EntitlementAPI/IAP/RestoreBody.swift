import AppStore
import Entitlements
import LedgerStore

/// The verdict of a restore on one item.
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

    /// The result of an item that the ledger never saw.
    init(index: Int, refused code: ProblemCode, because reason: String?) {
        self.index = index
        outcome = .refused
        self.code = code
        self.reason = reason
    }

    /// The result of a genuine item; without a verdict it may come again.
    init(
        index: Int, _ judged: (purchase: VerifiedPurchase, verdict: Restore.Verdict)?,
        in claimed: Claimed<[Restore.Verdict], Never>
    ) {
        self.index = index
        purchase = judged?.purchase
        switch judged?.verdict {
        case .claimed(let claim)?:
            let settled = judged.map { claimed.outcome(of: claim, $0.purchase) }
            outcome = settled.map { Outcome($0.outcome) } ?? .refused
            reason = settled?.reason?.rawValue
        case .duplicateInRequest?: outcome = .duplicateInRequest
        case .refused(let refusal)?:
            outcome = .refused
            code = Problem(refusal).code
        case nil:
            outcome = .refused
            code = .unavailable
        }
    }
}

/// The answer to a restore (`api.md`, "Restore").
struct RestoreBody {
    let bytes: [UInt8]

    /// Apple's transaction history is not asked yet.
    init(results: [RestoreResult], _ claimed: Claimed<[Restore.Verdict], Never>) {
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
        json.member("recovered", 0)
        json.endObject()
        json.member("history", "not_configured")
        json.name("status")
        json.append(claimed.timeline.status(at: claimed.at, explains: false), StatusBody.Parts())
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
