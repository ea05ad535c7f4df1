import AppStore
import Entitlements
import Hummingbird
import LedgerStore

/// `POST /api/iap/apple/restore`: everything a client has, each item with its own verdict (`semantics.md` §6).
enum RestoreRoute {
    static let bodyLimit = 4 * 1024 * 1024
    static let deadlineSeconds: Int64 = 60

    /// - Throws: What is wrong with the request as a whole, `unavailable`; an item's fault is its verdict.
    static func respond(to call: UserCall) async throws(Problem) -> Response {
        let body = try await RestoreRequest(call.json())
        let signed = body.items.compactMap(\.transaction)
        let replays = await call.replays(of: signed)
        let labels = try call.labels()
        let judged = try await judged(body.items, signed, knowing: KnownTexts(replays, under: labels), call)
        let proof = try await AccountProof.verified(body.appTransaction, call)
        let evidence = judged.compactMap(\.genuine).map { transaction in
            Evidence(VerifiedPurchase(transaction, labels: labels), provedBy: .init(transaction))
        }
        let purchases = evidence.compactMap(\.statement.state)
        let claimed = try await call.claimed(evidence, replays: replays) { [user = call.user] history, context in
            Restore(purchases, to: user, proof: proof, in: context).decide(given: history)
        }
        var verdicts = zip(purchases, claimed.answer.get()).makeIterator()
        let results = judged.enumerated().map { index, item in
            switch item {
            case .refused(let code, let reason): RestoreResult(index: index, refused: code, because: reason)
            case .genuine: RestoreResult(index: index, verdicts.next(), in: claimed)
            }
        }
        return .json(RestoreBody(results: results, claimed).bytes)
    }

    /// What became of an item before the ledger saw it.
    private enum Judged {
        case genuine(VerifiedTransaction)
        case refused(ProblemCode, reason: String?)

        var genuine: VerifiedTransaction? {
            guard case .genuine(let transaction) = self else { return nil }
            return transaction
        }
    }

    /// Each of the items; signed texts are verified on several cores.
    private static func judged(
        _ items: [RestoreRequest.Item], _ signed: [SignedTransaction], knowing texts: KnownTexts, _ call: UserCall
    ) async throws(Problem) -> [Judged] {
        var verified: IndexingIterator<[AppStoreVerifier.Verdict]>
        do throws(RevocationUnavailable) {
            let now = call.api.realNow().milliseconds
            verified = try await call.api.verifier().verify(
                all: signed, at: now, cores: call.api.cores, knowing: texts
            ).makeIterator()
        } catch {
            throw Problem(error)
        }
        return items.map { item in
            switch item {
            case .notText: .refused(.invalidRequest, reason: nil)
            case .tooLong: .refused(.payloadTooLarge, reason: nil)
            case .text: judged(verified.next())
            }
        }
    }

    private static func judged(_ verdict: AppStoreVerifier.Verdict?) -> Judged {
        switch verdict {
        case .genuine(let transaction)?: return .genuine(transaction)
        case .refused(let refusal)?:
            let code = Problem.code(of: refusal)
            return .refused(code, reason: code == .evidenceInvalid ? refusal.reason.rawValue : nil)
        case .notJudged?, nil: return .refused(.unavailable, reason: nil)
        }
    }
}

/// What a restore sends; all other members are ignored.
struct RestoreRequest {
    /// One element of the list.
    enum Item {
        case text(SignedTransaction)
        case notText
        case tooLong

        var transaction: SignedTransaction? {
            guard case .text(let transaction) = self else { return nil }
            return transaction
        }
    }

    static let maximumItems = 500
    static let names = ["signedTransactions", "signed_transactions"]

    let items: [Item]
    let appTransaction: SignedAppTransaction?

    /// - Throws: `payload_too_large` for an app transaction over 16 KiB, `invalid_request` for anything but a list of 1
    ///   to 500, bare or as a member.
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
        guard (1...Self.maximumItems).contains(elements.count) else {
            throw .invalidRequest("The list must have 1 to \(Self.maximumItems) items.", at: pointer)
        }
        items = elements.map { element in
            guard let text = element.string else { return .notText }
            return text.utf8.count <= SignedTransaction.maximumBytes ? .text(SignedTransaction(text)) : .tooLong
        }
        appTransaction = try AccountProof.member(of: body)
    }
}
