import Entitlements
import Hummingbird
package import LedgerStore
import StrictJSON

/// `POST /api/admin/compensations`: grants a pass to every user who had coverage during an outage. One request handles
/// up to ``Compensation/maximumUsers`` users; a cursor leads to the next ones.
package enum CompensationsRoute {
    package static let deadlineSeconds: Int64 = 60
    /// The most users that one answer lists among those who were given a grant.
    static let maximumNamed = 100

    /// - Throws: `invalid_request`, the problem of a refusal to compensate, what
    ///   ``ServerCall/idempotently(_:about:act:)`` throws, or `unavailable`.
    static func respond(to call: ServerCall) async throws(Problem) -> Response {
        let body = try await call.json()
        try body.requireObject()
        let compensation = try compensation(body, call)
        let users = 1...Compensation.maximumUsers
        let limit = try body.integer("limit", in: users) ?? Compensation.maximumUsers
        let place = try place(in: body)
        guard !compensation.isDry else { return try await answer(compensation, from: place, limit, call).response }
        return try await call.idempotently(body, about: .anybody) { _ async throws(Problem) in
            try await answer(compensation, from: place, limit, call)
        }
    }

    private static func compensation(_ body: JSONBody, _ call: ServerCall) throws(Problem) -> Compensation {
        let startsAt = try body.required("from") { name throws(Problem) in try body.instant(name) }
        let endsAt = try body.required("to") { name throws(Problem) in try body.instant(name) }
        let hours = try body.required("add_hours") { name throws(Problem) in
            try body.integer(name, in: 1...OperatorAct.Outage.maximumHours)
        }
        let tier = try body.text("tier", characters: 1...255)
        let (reason, reference) = (try body.requiredReason(), try body.requiredText("reference"))
        let outage = OperatorAct.Outage(
            from: startsAt, to: endsAt, hours: hours, tier: tier.map { TierID($0) },
            countsAnySource: try body.flag("any_source") ?? false)
        return Compensation(
            for: outage, reason: reason, reference: reference, by: call.actor, isDry: try call.isDryRun())
    }

    private static func answer(
        _ compensation: Compensation, from place: CoveragePlace?, _ limit: Int, _ call: ServerCall
    ) async throws(Problem) -> JSONAnswer {
        let step = try await call.served {
            try await compensation.step(from: place, limit: limit, in: $0, at: call.now)
        }.orProblem()
        if !compensation.isDry, !step.given.isEmpty { call.api.logger.tell(.giveGrant, by: call.actor) }
        return JSONAnswer(
            bytes: JSONWriter.object { json in
                json.members(of: compensation, Compensation.Counts(of: step))
                json.member("data", objects: step.given.prefix(maximumNamed)) { json, outcome in
                    json.member("user_id", outcome.user.text)
                    json.member("id", outcome.told?.reply.key.externalID.text)
                    json.member("tier", outcome.told?.reply.gift.tier?.text)
                    json.member("hours", compensation.outage.hours)
                }
                json.member("next_cursor", step.next?.cursor)
            })
    }

    private static func place(in body: JSONBody) throws(Problem) -> CoveragePlace? {
        guard let text = try body.text("cursor", characters: 1...255) else { return nil }
        guard let place = CoveragePlace(cursor: text)
        else { throw .invalidRequest("The member must be a cursor from an earlier answer.", at: "#/cursor") }
        return place
    }
}

extension CoveragePlace {
    private static let list = "compensations"

    /// The place that a cursor of a compensation stands for; nil for any other text.
    package init?(cursor text: String) {
        guard let parts = CursorText.decode(text, of: Self.list, parts: 3), let end = Int64(parts[0]),
            let purchase = UInt64(parts[1]), let pseudonym = UInt64(parts[2])
        else { return nil }
        self.init(expiresAt: Instant(milliseconds: end), purchase: purchase, pseudonym: pseudonym)
        guard cursor == text else { return nil }
    }

    /// The cursor of a compensation that goes on at this place.
    package var cursor: String {
        CursorText.encode(Self.list, ["\(expiresAt.milliseconds)", "\(purchase)", "\(pseudonym)"])
    }
}

extension JSONWriter {
    /// Writes what a compensation did into an object that has been begun.
    package mutating func members(of compensation: Compensation, _ counts: Compensation.Counts) {
        member("reference", compensation.reference)
        member("dry_run", compensation.isDry)
        member("given", counts.given)
        member("already_given", counts.alreadyGiven)
        member("not_affected", counts.notAffected)
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
