import AppStore
import Entitlements
import Hummingbird
import LedgerStore
import Logging
import StrictJSON

/// `POST /api/iap/apple/receipts`: has Apple asked about the purchases of a legacy receipt, and restores what it shows.
/// A receipt without purchases is a restore of none.
///
/// Anybody can write a receipt with ids of strangers' purchases. So a receipt leads somewhere only if Apple vouches for
/// it, or as far as the request proves the Apple account (`semantics.md` §5).
enum ReceiptRoute {
    static let bodyLimit = 1 << 20
    static let deadlineSeconds: Int64 = 60

    /// - Throws: `not_found` without App Store credentials; the problem of a defective request or receipt;
    ///   `rate_limited`, `unavailable`.
    static func respond(to call: UserCall) async throws(Problem) -> Response {
        guard let history = call.api.history, let receipts = call.api.receipts else { throw .notFound }
        let body = try await call.json()
        try body.requireObject()
        let appTransaction = try AccountProof.member(of: body)
        let sent = try body.required("receipt_data", body.receipt)
        let text = LegacyReceipt.repaired(sent)
        if try await call.served({ try await $0.lookups.isSpent(call.user) }) {
            call.api.metrics.refused(.receipt, because: "too_many_unknown")
            throw .tooManyUnknown(at: call.now)
        }
        let receipt = try receipts.read(text, sentAs: sent, call)
        let (proof, evidence) = try await AccountProof.verified(appTransaction, call)
        let read = try await receipts.purchases(in: receipt, text, provenBy: proof, evidence, call)
        guard var named = read, !named.ids.isEmpty else {
            var healing = await call.healed(by: proof, at: call.now)
            if read == nil { healing.answer = .notConfigured }
            return try await answer(to: call, healing)
        }
        named.isFresh = named.account == nil && receipt.isFresh(at: call.now)
        let isProven = proof.map { $0.app == named.app && $0.environment == named.environment } ?? false
        switch try await call.served({ try await $0.lookups.begin(named, for: call.user, isProven: isProven) }) {
        case .recent: return try await answer(to: call, Healing(answer: .recent))
        case .owed: return try await answer(to: call, Healing(answer: .pending))
        case .tooMany: throw .tooManyLookups
        case .begun(let person):
            guard let owed = try await call.served({ try await $0.lookups.owed(to: person) }) else {
                return try await answer(to: call, Healing(answer: .recent))  // a job was faster
            }
            let asking = Task { await history.find(owed, of: person) }
            guard let found = await asking.value(within: history.patience) else {
                Task {
                    // `try?` drops the failure: the job asks again.
                    try? await history.settle(await asking.value, owed, of: person)
                }
                return try await answer(to: call, Healing(answer: .pending))
            }
            return try await answer(to: call, found, of: owed, person, proof, evidence)
        }
    }

    /// The answer where nothing is claimed by this request.
    private static func answer(to call: UserCall, _ healing: Healing) async throws(Problem) -> Response {
        let claimed = try await call.claimed([], replays: [:]) { [user = call.user] history, context in
            Restore([], to: user, proof: nil, in: context).decide(given: history)
        }
        return .json(RestoreBody(results: [], claimed, healing, showsStatus: true).bytes)
    }

    /// Restores what Apple showed. If a job was faster, or the person was erased meanwhile, nothing is claimed.
    private static func answer(
        to call: UserCall, _ found: LookedUp, of owed: OwedLookups, _ person: UInt64, _ proof: AccountProof?,
        _ sent: Retry.Proof
    ) async throws(Problem) -> Response {
        guard try await call.served({ try await $0.lookups.owed(to: person) }) != nil else {
            return try await answer(to: call, Healing(answer: .recent))
        }
        let purchases = found.purchases.map(\.state)
        let claimed = try await call.claimed(found.purchases, replays: [:]) { [user = call.user] history, context in
            Restore(purchases, to: user, proof: proof, in: context, ofReceipt: owed.fresh(purchases))
                .decide(given: history)
        }
        let answered = found.answers(to: owed)
        if !answered.isEmpty {
            try await call.served {
                try await $0.lookups.finish(answered, unknown: found.unknown, of: person, isProven: proof != nil)
            }
        }
        let results = results(of: claimed, purchases, sent)
        let healing =
            answered.count == owed.numbers.count
            ? await call.healed(by: proof, at: claimed.at) : Healing(answer: .pending)
        return .json(RestoreBody(results: results, claimed, healing, showsStatus: true).bytes)
    }

    /// The results of a claim. A purchase that is refused has one, which names neither its product nor its
    /// transactions: it may be somebody else's.
    private static func results(
        of claimed: Claimed<[Restore.Verdict], Never>, _ purchases: [VerifiedPurchase], _ sent: Retry.Proof
    ) -> [RestoreResult] {
        let settled = SettledRestore(claimed, of: purchases, proof: sent)
        var results: [RestoreResult] = []
        for (purchase, verdict) in zip(purchases, claimed.answer.get()) {
            let index = results.count
            if case .refused(let refusal) = verdict {
                results.append(RestoreResult(index: index, Problem(refusal, proof: sent)))
            } else if case .refused? = settled.verdicts[purchase.key] {
                continue
            } else {
                results.append(RestoreResult(index: index, purchase, verdict, in: settled))
            }
        }
        return results
    }
}

extension JSONBody {
    /// The receipt in the member `name`; nil if the member is missing.
    ///
    /// - Throws: `invalid_request` for anything but a text.
    fileprivate func receipt(_ name: String) throws(Problem) -> String? {
        guard let member = value[name], !member.isNull else { return nil }
        guard let text = member.string, !text.isEmpty else {
            throw .invalidRequest("The member must be a string.", at: "#/" + name)
        }
        return text
    }
}

extension LegacyReceipt {
    /// True if an app receipt was made within 24 hours before `now`, so that it may show a purchase of these.
    fileprivate func isFresh(at now: Instant) -> Bool {
        guard case .app(let app) = self, let createdAt = app.createdAt else { return false }
        return now.milliseconds - createdAt <= Instant.millisecondsPerDay
    }
}

extension Problem {
    /// The problem of a user whose receipts name too many purchases.
    fileprivate static let tooManyLookups: Problem = {
        var problem = Problem(
            .rateLimited, "The purchases of \(Lookups.maximum) numbers are looked up in ten minutes.")
        problem.fields[.retryAfter] = String(Lookups.pause / 1_000)
        return problem
    }()

    /// The problem of a user whose receipts named too many purchases today that Apple does not know.
    fileprivate static func tooManyUnknown(at now: Instant) -> Problem {
        var problem = Problem(
            .rateLimited,
            "Apple does not know \(Lookups.maximumUnknown) of today's numbers; it is asked again from 00:00 UTC.")
        let rest = now.startOfDay + Instant.millisecondsPerDay - now
        problem.fields[.retryAfter] = String(max(1, (rest + 999) / 1_000))
        return problem
    }
}
