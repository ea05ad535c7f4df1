import ArgumentParser
import EntitlementAPI
import Entitlements
import LedgerStore

/// `gatepass grant`: grants time, an add-on or credits, as `POST /api/admin/users/{user_id}/grants` does.
struct GrantCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "grant", abstract: "Give a user time, an add-on or credits.",
        discussion: "For example: gatepass grant anna --pass pro --days 3 --reason outage --reference ticket-4711")

    @OptionGroup var about: UserOptions

    @Option(help: "A tier: time in it, for --days or --until.")
    var pass: String?

    @Option(help: "How many days of the tier, in its lane.")
    var days: Int?

    @Option(help: "Until when, from now on, such as 2026-01-15T00:00:00Z.")
    var until: String?

    @Option(help: "An add-on's product id.")
    var addOn: String?

    @Option(help: "The add-on's bundle id, where several apps sell it.")
    var app: String?

    @Option(help: "How many credits, of --unit.")
    var credits: Int?

    @Option(help: "What is credited.")
    var unit: String?

    @Option(help: "When the credits end, if they do.")
    var expiresAt: String?

    @Option(help: "Why, for the audit trail and the timeline.")
    var reason: String

    @Option(help: "What it belongs to, such as a ticket.")
    var reference: String

    @OptionGroup var output: ActOutput

    /// Throws `ValidationError` unless exactly one thing is granted and every option belongs to it.
    func validate() throws {
        guard [pass != nil, addOn != nil, credits != nil].count(where: \.self) == 1 else {
            throw ValidationError("give one of --pass, --add-on and --credits")
        }
        let stray = [
            ("--days", days != nil && (pass == nil || until != nil)), ("--until", until != nil && pass == nil),
            ("--app", app != nil && addOn == nil), ("--unit", unit != nil && credits == nil),
            ("--expires-at", expiresAt != nil && credits == nil),
        ].filter(\.1).map(\.0)
        guard stray.isEmpty else {
            throw ValidationError("\(stray.joined(separator: ", ")): not with what else is given")
        }
    }

    /// Throws for a wrong user id, and the exit status 1 if the grant is refused or the database cannot be reached.
    func run() async throws {
        let request: GrantRequest
        do throws(Problem) {
            request = try GrantRequest(json: body)
        } catch {
            throw ValidationError(Refused(error).description)
        }
        let id = ExternalID(Surroundings.id())
        try await about.perform(output, refusing: { Refused($0) }) { principal, _ in
            principal.give(request.offer, as: id, reason: request.reason, reference: request.reference)
        } saying: { [dryRun = output.dryRun] in
            dryRun ? "the grant is given" : "the grant \($0.reply.key.externalID.text) is given"
        } json: { told, _ in
            told.reply.json
        }
    }

    /// The request body that a client of the API would send.
    private var body: [UInt8] {
        let kind: GrantRequest.Kind =
            if addOn != nil { .addOn } else if credits != nil { .credits } else if until != nil { .until } else {
                .addDays
            }
        let texts = [
            ("kind", kind.rawValue), ("tier", pass), ("until", until), ("product_id", addOn), ("app", app),
            ("unit", unit), ("expires_at", expiresAt), ("reason", reason), ("reference", reference),
        ]
        return JSONWriter.object { json in
            for case (let name, let text?) in texts {
                json.name(name)
                json.value(text)
            }
            for case (let name, let number?) in [("days", days), ("amount", credits)] {
                json.name(name)
                json.value(number)
            }
        }
    }

    /// The refusal of a grant, with the names of options in place of the names of members.
    private struct Refused: Error, CustomStringConvertible {
        private static let options = [
            "tier": "pass", "product_id": "add-on", "amount": "credits", "expires_at": "expires-at",
        ]

        let description: String

        init(_ refusal: OperatorRefusal) { self.init(Problem(refusal)) }

        init(_ problem: Problem) {
            let members = problem.errors.map { String($0.pointer.dropFirst(2)) }
            let place = members.first.map { "--" + (Self.options[$0] ?? $0) } ?? problem.code.rawValue
            description = "\(place): \(problem.detail)"
        }
    }
}
