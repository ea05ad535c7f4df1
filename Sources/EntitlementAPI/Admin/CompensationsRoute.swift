import Entitlements
import Hummingbird
import LedgerStore

/// `POST /api/admin/compensations`: grants a pass to every user who had coverage during an outage. One request handles
/// up to ``maximumUsers`` users; a cursor leads to the next ones.
enum CompensationsRoute {
    static let maximumUsers = 1_000
    static let deadlineSeconds: Int64 = 60
    /// The most users that one answer lists among those who were given a grant.
    static let maximumNamed = 100
    private static let list = "compensations"
    /// The longest grace of a plan in milliseconds. A plan that ended this long before an outage may still cover its
    /// start.
    private static let longestGrace = 90 * Instant.millisecondsPerDay

    /// - Throws: `invalid_request`, the problem of a refusal to compensate, what
    ///   ``ServerCall/idempotently(_:about:act:)`` throws, or `unavailable`.
    static func respond(to call: ServerCall) async throws(Problem) -> Response {
        let body = try await call.json()
        try body.requireObject()
        let run = try CompensationRun(body, call)
        let limit = try body.integer("limit", in: 1...maximumUsers) ?? maximumUsers
        let after = try place(in: body) ?? CoveragePlace(after: firstEnd(of: run.outage))
        return try await call.idempotently(body, about: .anybody) { _ async throws(Problem) in
            let refusal = OperatorAct.Offer.outage(run.outage).refusal(at: call.now, given: call.api.catalogue)
            if let refusal { throw Problem(refusal) }
            let covered = try await call.served {
                try await $0.reports.covered(
                    after: after, before: min(run.outage.endsAt, call.now), limit: limit)
            }
            let outcomes = try await run.compensate(covered.users)
            let given = outcomes.filter { $0.told?.isRepeat == false }
            return JSONAnswer(
                bytes: JSONWriter.object { json in
                    json.member("reference", run.reference)
                    json.member("dry_run", run.isDry)
                    json.member("given", given.count)
                    json.member("already_given", outcomes.count { $0.told?.isRepeat == true })
                    json.member("not_affected", outcomes.count { $0.told == nil })
                    json.member("data", objects: given.prefix(maximumNamed)) { json, outcome in
                        json.member("user_id", outcome.user.text)
                        json.member("id", outcome.told?.reply.key.externalID.text)
                        json.member("tier", outcome.told?.reply.gift.tier?.text)
                        json.member("hours", run.outage.hours)
                    }
                    json.member("next_cursor", covered.next.map(cursor))
                })
        }
    }

    /// The earliest end of coverage that an affected user can have: the beginning of the outage. If plans are
    /// compensated too, it is earlier by the longest grace, because grace covers a plan after its end.
    private static func firstEnd(of outage: OperatorAct.Outage) -> Instant {
        outage.countsAnySource ? outage.startsAt + -longestGrace : outage.startsAt
    }

    private static func cursor(_ place: CoveragePlace) -> String {
        CursorText.encode(list, ["\(place.expiresAt.milliseconds)", "\(place.purchase)", "\(place.pseudonym)"])
    }

    private static func place(in body: JSONBody) throws(Problem) -> CoveragePlace? {
        guard let text = try body.text("cursor", characters: 1...255) else { return nil }
        guard let parts = CursorText.decode(text, of: list, parts: 3), let end = Int64(parts[0]),
            let purchase = UInt64(parts[1]), let pseudonym = UInt64(parts[2]),
            case let place = CoveragePlace(
                expiresAt: Instant(milliseconds: end), purchase: purchase, pseudonym: pseudonym),
            cursor(place) == text
        else { throw .invalidRequest("The member must be a cursor from an earlier answer.", at: "#/cursor") }
        return place
    }
}

/// A run that compensates users for an outage, each in a transaction of their own. A dry run only computes the grants.
///
/// A run that broke off can be repeated, because each user gets at most one grant for each reference.
private struct CompensationRun: Sendable {
    /// A user and the grant for them; the grant is nil if the outage took nothing from the user.
    typealias Outcome = (user: UserID, told: Told<Grant>?)

    /// The number of users handled at the same time. The batch queue writes them in shared transactions.
    private static let atOnce = 32

    let outage: OperatorAct.Outage
    let reason: String
    let reference: String
    let isDry: Bool
    let call: ServerCall

    /// - Throws: `invalid_request`.
    init(_ body: JSONBody, _ call: ServerCall) throws(Problem) {
        let startsAt = try body.required("from") { name throws(Problem) in try body.instant(name) }
        let endsAt = try body.required("to") { name throws(Problem) in try body.instant(name) }
        let hours = try body.required("add_hours") { name throws(Problem) in
            try body.integer(name, in: 1...OperatorAct.Outage.maximumHours)
        }
        let tier = try body.text("tier", characters: 1...255)
        reason = try body.requiredReason()
        reference = try body.requiredText("reference")
        outage = OperatorAct.Outage(
            from: startsAt, to: endsAt, hours: hours, tier: tier.map { TierID($0) },
            countsAnySource: try body.flag("any_source") ?? false)
        isDry = try body.flag("dry_run") ?? false
        self.call = call
    }

    /// Compensates `users` and gives the outcomes in the same order.
    ///
    /// - Throws: `unavailable`, or the problem of the first refusal other than `notAffected`.
    func compensate(_ users: [CoveredUser]) async throws(Problem) -> [Outcome] {
        var outcomes: [Outcome] = []
        for start in stride(from: 0, to: users.count, by: Self.atOnce) {
            let some = users[start..<min(start + Self.atOnce, users.count)]
            let answers = await withTaskGroup(of: (UserID, Result<Told<Grant>?, Problem>).self) { group in
                for user in some {
                    group.addTask {
                        let answer = await answer(for: user)
                        return (user.user, answer)
                    }
                }
                return await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
            }
            for user in some.map(\.user) { outcomes.append((user, try answers[user]?.get() ?? nil)) }
        }
        return outcomes
    }

    private func answer(for user: CoveredUser) async -> Result<Told<Grant>?, Problem> {
        do throws(Problem) {
            switch try await decision(for: user) {
            case .success(let told): return .success(told)
            case .failure(.notAffected): return .success(nil)
            case .failure(let refusal): return .failure(Problem(refusal))
            }
        } catch {
            return .failure(error)
        }
    }

    private func decision(
        for user: CoveredUser
    ) async throws(Problem) -> Result<Told<Grant>, OperatorRefusal> {
        let id = ExternalID(
            try call.labels().label(.reference, "compensation", reference, String(user.pseudonym)).text)
        guard isDry else {
            return try await call.give(.outage(outage), as: id, to: user.user, reason: reason, reference: reference)
        }
        let ledger = try await call.ledger(of: user.user)
        let history = PurchaseHistory(
            now: call.now, ledgers: [user.user: ledger], purchases: [:], tokenHolders: [:])
        let context = FoldContext(catalogue: call.api.catalogue, settings: call.api.settings)
        return OperatorAct(on: user.user, note: Note(actor: nil))
            .give(.outage(outage), as: id, given: history, in: context).tellingRepeats.answer
    }
}

extension Grant.Gift {
    /// The tier of a pass or window; nil for an add-on or credits.
    fileprivate var tier: TierID? {
        switch self {
        case .pass(let tier, _), .window(let tier, _): tier
        case .addOn, .credits: nil
        }
    }
}
