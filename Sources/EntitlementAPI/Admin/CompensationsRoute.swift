import Entitlements
import Hummingbird
import LedgerStore

/// `POST /api/admin/compensations`: makes up for an outage to all who had coverage in it, some users a request.
enum CompensationsRoute {
    static let maximumUsers = 1_000
    static let deadlineSeconds: Int64 = 60
    /// How many of those to whom something was given an answer names.
    static let maximumNamed = 100
    private static let list = "compensations"
    /// A plan's grace may reach into an outage though it ended this long before, in milliseconds; none is longer.
    private static let longestGrace = 90 * Instant.millisecondsPerDay

    /// - Throws: The fault of the request, then why nobody is compensated, `unavailable`.
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

    /// Coverage that ends by this instant is none in the outage.
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

/// Compensates some users for an outage, each decided under their own lock, or only says what they would get.
///
/// Repeat is safe because there is one grant for each user and reference: a run that ended half-way is run again.
private struct CompensationRun: Sendable {
    /// A user, and what they get; nil for one who had nothing that the outage could take.
    typealias Outcome = (user: UserID, told: Told<Grant>?)

    /// How many users are decided at once; the write queue makes batches of them.
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

    /// Compensates `users`, in their order.
    ///
    /// - Throws: Why nobody is compensated, `unavailable`.
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
    /// Nil for what is of no tier.
    fileprivate var tier: TierID? {
        switch self {
        case .pass(let tier, _), .window(let tier, _): tier
        case .addOn, .credits: nil
        }
    }
}
