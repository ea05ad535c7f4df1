import Entitlements
import Hummingbird
import LedgerStore

/// `POST /api/admin/compensations`: makes up for an outage to all who had coverage in it, some users a request.
enum CompensationsRoute {
    static let maximumUsers = 1_000
    static let deadlineSeconds: Int64 = 60
    /// How many of those to whom something was given an answer names.
    static let maximumNamed = 100
    private static let maximumText = 255
    /// A plan's grace may reach into an outage though it ended this long before, in milliseconds; none is longer.
    private static let longestGrace = 90 * Instant.millisecondsPerDay

    /// - Throws: The fault of the request, then why nobody is compensated, `unavailable`.
    static func respond(to call: ServerCall) async throws(Problem) -> Response {
        let body = try await call.json()
        try body.requireObject()
        let run = try run(in: body, call)
        let limit = try body.integer("limit", in: 1...maximumUsers) ?? maximumUsers
        let after = try place(in: body) ?? CoveredUsers.Place(after: firstEnd(of: run.outage))
        return try await call.idempotently(body, about: .anybody) { _ async throws(Problem) in
            if let refusal = run.outage.refusal(at: call.now, given: call.api.catalogue) {
                throw Problem(refusal)
            }
            let covered = try await call.served {
                try await $0.reports.covered(
                    after: after, before: min(run.outage.endsAt, call.now), limit: limit)
            }
            let tally = try await run.compensate(covered.members)
            return JSONAnswer(bytes: CompensationsBody(tally, of: run, next: covered.next.map(cursor)).bytes)
        }
    }

    private static func run(in body: JSONBody, _ call: ServerCall) throws(Problem) -> CompensationRun {
        let startsAt = try body.required("from") { name throws(Problem) in try body.instant(name) }
        let endsAt = try body.required("to") { name throws(Problem) in try body.instant(name) }
        let hours = try body.required("add_hours") { name throws(Problem) in
            try body.integer(name, in: 1...Compensate.maximumHours)
        }
        let tier = try body.text("tier", characters: 1...maximumText)
        let reason = try body.requiredReason()
        let reference = try body.required("reference") { name throws(Problem) in
            try body.text(name, characters: 1...maximumText)
        }
        return CompensationRun(
            outage: Compensate.Outage(
                from: startsAt, to: endsAt, hours: hours, tier: tier.map { TierID($0) },
                countsAnySource: try body.flag("any_source") ?? false),
            note: Note(actor: call.actor.text, reason: reason, reference: reference), reference: reference,
            isDry: try body.flag("dry_run") ?? false, call: call)
    }

    /// Coverage that ends by this instant is none in the outage.
    private static func firstEnd(of outage: Compensate.Outage) -> Instant {
        outage.countsAnySource ? outage.startsAt + -longestGrace : outage.startsAt
    }

    // MARK: Cursors

    private static func cursor(_ place: CoveredUsers.Place) -> String {
        Base64URL.encode("after \(place.expiresAt.milliseconds) \(place.purchase) \(place.pseudonym)".utf8)
    }

    private static func place(in body: JSONBody) throws(Problem) -> CoveredUsers.Place? {
        guard let text = try body.text("cursor", characters: 1...maximumText) else { return nil }
        guard let place = place(of: text), cursor(place) == text else {
            throw .invalidRequest("The member must be a cursor from an earlier answer.", at: "#/cursor")
        }
        return place
    }

    private static func place(of cursor: String) -> CoveredUsers.Place? {
        guard let bytes = Base64URL.decode(cursor.utf8), let text = String(validating: bytes, as: UTF8.self) else {
            return nil
        }
        let words = text.split(separator: " ")
        guard words.count == 4, let end = Int64(words[1]), let purchase = UInt64(words[2]),
            let pseudonym = UInt64(words[3])
        else { return nil }
        return CoveredUsers.Place(
            expiresAt: Instant(milliseconds: end), purchase: purchase, pseudonym: pseudonym)
    }
}

/// The answer to one request of a run.
struct CompensationsBody {
    let bytes: [UInt8]

    init(_ tally: CompensationRun.Tally, of run: CompensationRun, next cursor: String?) {
        var json = JSONWriter(capacity: 256 + 128 * min(tally.given.count, CompensationsRoute.maximumNamed))
        json.beginObject()
        json.member("reference", run.reference)
        json.member("dry_run", run.isDry)
        json.member("given", tally.given.count)
        json.member("already_given", tally.alreadyGiven)
        json.member("not_affected", tally.notAffected)
        json.name("data")
        json.array(tally.given.prefix(CompensationsRoute.maximumNamed)) { $0.append($1.grant, to: $1.user, of: run) }
        json.member("next_cursor", cursor)
        json.endObject()
        bytes = json.bytes
    }
}

extension JSONWriter {
    fileprivate mutating func append(_ grant: Grant, to user: UserID, of run: CompensationRun) {
        beginObject()
        member("user_id", user.text)
        member("id", grant.key.externalID.text)
        member("tier", grant.gift.tier?.text)
        member("hours", run.outage.hours)
        endObject()
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
