import AppStore
import Entitlements
import LedgerStore

/// The result of a restore for one item of its list.
struct RestoreResult {
    /// The member `outcome`, as the API writes it.
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
    /// True if the app must finish the transaction in StoreKit.
    let finish: Bool
    private(set) var code: ProblemCode?
    /// When the item is to be sent again; nil if it is finished.
    private(set) var retry: Retry?
    private(set) var retryAfterSeconds: Int?
    private(set) var reason: String?
    /// The words about a refused item, for people.
    private(set) var detail: String?
    /// The purchase that the item shows; nil unless the item is genuine.
    private(set) var purchase: VerifiedPurchase?

    /// The result of an item that is refused.
    init(index: Int, _ problem: Problem, _ purchase: VerifiedPurchase? = nil) {
        self.index = index
        self.purchase = purchase
        outcome = .refused
        finish = false
        code = problem.code
        retry = problem.retry
        retryAfterSeconds = problem.retryAfterSeconds
        reason = problem.reason
        detail = problem.detail
    }

    private init(index: Int, _ outcome: AttachOutcome, _ reason: AttachReason?, _ purchase: VerifiedPurchase) {
        self.index = index
        self.purchase = purchase
        self.outcome = Outcome(outcome)
        self.reason = reason?.rawValue
        finish = outcome.finishes
    }

    /// The result of an item that repeats another item's purchase; `speaking` is that other item's result.
    private init(index: Int, as speaking: RestoreResult) {
        self.index = index
        purchase = speaking.purchase
        outcome = .duplicateInRequest
        finish = speaking.finish
        retry = speaking.retry
        retryAfterSeconds = speaking.retryAfterSeconds
    }

    /// The result of a genuine item. A missing verdict is an unexpected error, after which the client may send the item
    /// again.
    init(index: Int, _ purchase: VerifiedPurchase, _ verdict: Restore.Verdict?, in settled: SettledRestore) {
        switch verdict {
        case .claimed(let claim)?:
            let (outcome, reason) = settled.claimed.outcome(of: claim, purchase)
            self.init(index: index, outcome, reason, purchase)
        case .duplicateInRequest?:
            let verdict = settled.verdicts[purchase.key]
            self.init(index: index, as: RestoreResult(index: index, purchase, verdict, in: settled))
        case .refused(let refusal)?: self.init(index: index, Problem(refusal, proof: settled.proof), purchase)
        case nil: self.init(index: index, .unexpected, purchase)
        }
    }
}

/// The verdicts of a restore by their purchases.
struct SettledRestore {
    let claimed: Claimed<[Restore.Verdict], Never>
    let proof: Retry.Proof
    /// The verdict on each purchase. Verdicts that say only that an item is a duplicate are left out.
    let verdicts: [PurchaseKey: Restore.Verdict]

    init(_ claimed: Claimed<[Restore.Verdict], Never>, of purchases: [VerifiedPurchase], proof: Retry.Proof) {
        self.claimed = claimed
        self.proof = proof
        let spoken = zip(purchases, claimed.answer.get()).filter { $0.1 != .duplicateInRequest }
        verdicts = Dictionary(spoken.map { ($0.0.key, $0.1) }, uniquingKeysWith: { first, _ in first })
    }
}

/// The answer to a restore (`api.md`, "Restore").
struct RestoreBody {
    let bytes: [UInt8]

    init(
        results: [RestoreResult], _ claimed: Claimed<[Restore.Verdict], Never>, _ healing: Healing, showsStatus: Bool
    ) {
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
        json.member("recovered", healing.recovered)
        json.endObject()
        json.member("history", healing.answer.rawValue)
        json.name("status")
        if showsStatus {
            let (answer, at) = healing.status ?? (claimed.status, claimed.at)
            json.append(answer, of: claimed.timeline.user, at: at)
        } else {
            json.null()
        }
        json.endObject()
        bytes = json.bytes
    }
}

extension JSONWriter {
    fileprivate mutating func append(_ result: RestoreResult) {
        beginObject()
        member("index", result.index)
        member("outcome", result.outcome.rawValue)
        member("finish", result.finish)
        member("code", result.code?.rawValue)
        member("retry", result.retry?.rawValue)
        member("retry_after", result.retryAfterSeconds)
        member("reason", result.reason)
        member("detail", result.detail)
        member("transaction_id", result.purchase?.transactionID.text)
        member("product_id", result.purchase?.productID.text)
        endObject()
    }
}
