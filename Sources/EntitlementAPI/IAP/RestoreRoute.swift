import AppStore
import Entitlements
import Hummingbird
import LedgerStore

/// `POST /api/iap/apple/restore`: everything a client has, each item with its own verdict (`semantics.md` §6).
enum RestoreRoute {
    static let bodyLimit = 4 * 1024 * 1024

    /// - Throws: What is wrong with the request as a whole, `unavailable`; an item's fault is its verdict.
    static func respond(to call: UserCall) async throws(Problem) -> Response {
        let body = try await RestoreRequest(call.json())
        let verdicts = try await verdicts(on: body, call)
        let proof = try await AccountProof.verified(body.appTransaction, call)
        let items = verdicts.enumerated().compactMap { index, verdict -> RestoreItem? in
            if case .genuine(let evidence) = verdict { RestoreItem(index: index, evidence: evidence) } else { nil }
        }
        let reply = try await call.served { () async throws(ServiceFailure) in
            try await call.api.service.restore(items, proof: proof, to: call.user)
        }
        let results = try verdicts.enumerated().map { index, verdict throws(Problem) in
            try RestoreResult(index: index, verdict, reply)
        }
        return .json(RestoreBody(results: results, reply: reply).bytes)
    }

    /// What became of an item before the ledger saw it.
    enum Verdict {
        case genuine(Evidence)
        case notGenuine(EvidenceError)
        case notJudged
        case notText
        case tooLong
    }

    /// One verdict for each item; genuine ones are verified on several cores.
    private static func verdicts(on body: RestoreRequest, _ call: UserCall) async throws(Problem) -> [Verdict] {
        let signed = body.items.compactMap { item -> SignedTransaction? in
            if case .text(let transaction) = item { transaction } else { nil }
        }
        var verified: ArraySlice<AppStoreVerifier.Verdict>
        do throws(RevocationUnavailable) {
            let now = call.now.milliseconds
            verified = try await call.api.verifier().verify(all: signed, at: now, cores: call.api.cores)[...]
        } catch {
            throw Problem(error)
        }
        return body.items.map { item in
            switch item {
            case .notText: return .notText
            case .tooLong: return .tooLong
            case .text:
                switch verified.popFirst() {
                case .genuine(let transaction): return .genuine(Evidence(transaction))
                case .refused(let refusal): return .notGenuine(refusal)
                case .notJudged: return .notJudged
                // The verifier has a verdict for every text.
                case nil: return .notText
                }
            }
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
