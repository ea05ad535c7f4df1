import AppStore
import Entitlements
import Hummingbird
import LedgerStore
import StrictJSON

/// `POST /api/iap/apple/restore`: attaches many transactions at once, each with a verdict of its own (`semantics.md`
/// §6). A restore of none only reads Apple's history.
enum RestoreRoute {
    static let bodyLimit = 4 * 1024 * 1024
    static let deadlineSeconds: Int64 = 60

    /// - Throws: The problem of a defective request, `unavailable`. A defective item only gets a verdict.
    static func respond(to call: UserCall) async throws(Problem) -> Response {
        let showsStatus = try Query(call.request.uri.query).showsStatus
        let body = try await RestoreRequest(call.json())
        let signed = body.items.compactMap(\.transaction)
        let labels = try call.labels()
        let (judged, replays) = try await call.judged(signed, shown: genuine) { (texts) async throws(Problem) in
            try await verdicts(on: body.items, signed, knowing: texts, labels, call)
        }
        let (proof, sent) = try await AccountProof.verified(body.appTransaction, call)
        let shown = genuine(judged)
        let purchases = shown.map(\.state)
        let claimed = try await call.claimed(shown, replays: replays) { [user = call.user] history, context in
            Restore(purchases, to: user, proof: proof, in: context).decide(given: history)
        }
        let settled = SettledRestore(claimed, of: purchases, proof: sent)
        var answers = claimed.answer.get().makeIterator()
        let results = judged.enumerated().map { index, item in
            switch item {
            case .refused(let problem): RestoreResult(index: index, problem)
            case .genuine(let purchase):
                RestoreResult(index: index, purchase.state, answers.next(), in: settled)
            }
        }
        let healing = await call.healed(by: proof, at: claimed.at)
        return .json(RestoreBody(results: results, claimed, healing, showsStatus: showsStatus).bytes)
    }

    /// The verdict of the verification, before the ledger is asked.
    private enum Judged {
        case genuine(ShownPurchase)
        case refused(Problem)
    }

    private static func genuine(_ judged: [Judged]) -> [ShownPurchase] {
        judged.compactMap { item in
            guard case .genuine(let purchase) = item else { return nil }
            return purchase
        }
    }

    /// The verdict on each item. Signed texts are verified by several tasks at once.
    private static func verdicts(
        on items: [RestoreRequest.Item], _ signed: [SignedTransaction], knowing texts: KnownTexts,
        _ labels: Labels, _ call: UserCall
    ) async throws(Problem) -> [Judged] {
        let verdicts: [AppStoreVerifier.Verdict]
        do throws(CertificateStatusUnavailable) {
            let now = call.now.milliseconds
            verdicts = try await call.api.verifier().verify(
                all: signed, at: now, cores: call.api.cores, knowing: texts)
        } catch {
            call.api.metrics.couldNotVerify(.transaction)
            throw Problem(error)
        }
        call.api.metrics.verified(verdicts)
        var verified = verdicts.makeIterator()
        return items.map { item in
            switch item {
            case .notText: .refused(Problem(.invalidRequest, "The item must be a string, a signed text."))
            case .tooLong(let text): .refused(.tooLong(text))
            case .text(let signed): judged(verified.next(), on: signed, labels)
            }
        }
    }

    private static func judged(
        _ verdict: AppStoreVerifier.Verdict?, on signed: SignedTransaction, _ labels: Labels
    ) -> Judged {
        switch verdict {
        case .genuine(let transaction)?: return .genuine(ShownPurchase(transaction, labels: labels))
        case .refused(let refusal)?: return .refused(Problem(refusal, detail: refusal.detail(about: signed.text)))
        case .notJudged?, nil: return .refused(Problem(.unavailable, "The item was not judged."))
        }
    }
}

extension Query {
    /// False where `status=0` leaves the status out of the answer.
    ///
    /// - Throws: `invalid_request` for anything but 0 and 1.
    fileprivate var showsStatus: Bool {
        get throws(Problem) {
            switch try text("status") {
            case nil, "1": return true
            case "0": return false
            default: throw .invalidRequest("The parameter must be 0 or 1.", at: "?status")
            }
        }
    }
}

/// The body of a restore. Unknown members are ignored.
struct RestoreRequest {
    /// An item of the list of transactions.
    enum Item {
        case text(SignedTransaction)
        case notText
        case tooLong(String)

        var transaction: SignedTransaction? {
            guard case .text(let transaction) = self else { return nil }
            return transaction
        }
    }

    static let maximumItems = 500
    static let names = ["signedTransactions", "signed_transactions"]

    let items: [Item]
    let appTransaction: SignedAppTransaction?

    /// - Throws: `payload_too_large` for an app transaction over 16 KiB. `invalid_request` unless the body is or has a
    ///   list of up to 500 items, which is empty or has a string.
    init(_ body: JSONBody) throws(Problem) {
        let member = body.first(of: Self.names)
        let isBare = body.value.elements != nil
        guard isBare || body.value.isObject else {
            throw .invalidRequest("The body must be an object or an array.", at: "#")
        }
        let pointer = isBare ? "#" : "#/" + (member?.name ?? Self.names[0])
        guard let list = isBare ? body.value : member?.value else {
            throw .invalidRequest("The member is required.", at: pointer)
        }
        guard let elements = list.elements else { throw .invalidRequest("The member must be an array.", at: pointer) }
        guard elements.count <= Self.maximumItems else {
            throw .invalidRequest("The list may have up to \(Self.maximumItems) items.", at: pointer)
        }
        guard elements.isEmpty || elements.contains(where: { $0.string != nil }) else {
            throw .invalidRequest("The items must be strings, the signed texts.", at: pointer)
        }
        items = elements.map { element in
            guard let text = element.string else { return .notText }
            return text.utf8.count <= SignedTransaction.maximumBytes ? .text(SignedTransaction(text)) : .tooLong(text)
        }
        appTransaction = try AccountProof.member(of: body)
    }
}
