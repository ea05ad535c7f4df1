import ArgumentParser
import EntitlementAPI
import Entitlements
import LedgerStore

/// `gatepass audit list`: prints entries of the audit trail, the newest first, one a line.
struct AuditListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List who did what, when and why, the newest first.",
        discussion: "For example: gatepass audit list --actor command_line")

    @Option(help: "Only what was done to this user, or to # and a pseudonym; also where it concerned them besides.")
    var user: String?

    @Option(help: "Only what this actor did: command_line, or an API key such as api_key:3.")
    var actor: String?

    @Option(help: "Only this act, such as grant.give.")
    var action: String?

    @Option(help: "Only since then, such as 2026-01-15T00:00:00Z.")
    var since: String?

    @Option(help: "Only before then.")
    var until: String?

    @OptionGroup var list: ListOptions

    @OptionGroup var installation: InstallationOptions

    /// Throws `ValidationError` for a user id or an instant of the wrong form.
    func validate() throws { _ = try filter }

    private var filter: AuditFilter {
        get throws {
            let user = try user.map { text in
                guard let user = UserID(text) ?? UserID(pseudonym: text) else {
                    throw ValidationError("\(VisibleText.escaped(text)) is no user id")
                }
                return user
            }
            let (since, until) = (try Self.instant("--since", since), try Self.instant("--until", until))
            if let since, let until, until <= since { throw ValidationError("--until is later than --since") }
            return AuditFilter(user: user, actor: actor, action: action, since: since, until: until)
        }
    }

    private static func instant(_ option: String, _ text: String?) throws -> Instant? {
        guard let text else { return nil }
        guard let instant = RFC3339.instant(text) else {
            throw ValidationError("\(option) \(VisibleText.escaped(text)) is no instant such as 2026-01-15T00:00:00Z")
        }
        return instant
    }

    /// Throws the exit status 1 if the database cannot be reached.
    func run() async throws {
        let (filter, startup) = (try filter, try installation.startup())
        try await Startup.reporting {
            let entries = try await startup.withPool { pool in
                try await list.rows {
                    try await OperatorReader(pool: pool).auditEntries(filter, before: $0, limit: $1)
                }
            }
            for entry in entries { list.print(Self.fields(entry), json: entry.json) }
        }
    }

    private static func fields(_ entry: AuditEntry) -> [String] {
        let subject = entry.user?.text ?? entry.subject.map { "#\($0)" }
        let people = [subject.map { "to \($0)" }, entry.otherSubject.map { "with #\($0)" }].compactMap(\.self)
        return [String(entry.id), RFC3339.text(of: entry.at), entry.actor, entry.action] + people
            + [entry.details, entry.reason].compactMap(\.self)
    }
}
