import ArgumentParser
import EntitlementAPI
import Entitlements
import LedgerStore
import MariaDB

/// `gatepass audit`: the audit trail, and the integrity check of the trail, the API keys and the ledgers.
struct AuditCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "audit", abstract: "List the audit trail; verify it, the API keys and the ledgers.",
        subcommands: [AuditListCommand.self, AuditVerifyCommand.self])
}

/// `gatepass audit verify`: runs the integrity check. The exit status is 1 if it finds a change.
struct AuditVerifyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "verify",
        abstract: "Find what was edited, deleted, put in or cut off: entries of the audit trail, API keys, ledgers.",
        discussion: "For example: gatepass audit verify")

    @Option(
        help: "A head that was printed or logged before, number:hash; finds a trail whose head was changed with it.")
    var head: String?

    @Option(help: "The user whose ledger alone is verified, or # and a pseudonym; everybody's without it.")
    var user: String?

    @OptionGroup var installation: InstallationOptions

    /// Throws if `--head` or `--user` has the wrong form. Throws the exit status 1 if the check finds a fault, there is
    /// no such user or the database cannot be reached.
    func run() async throws {
        let export = try head.map { text in
            guard let export = ExportedAuditHead(text) else { throw ValidationError("\(text) is no number:hash") }
            return export
        }
        let user = try user.map { text in
            guard let user = UserID(text) ?? UserID(pseudonym: text) else {
                throw ValidationError("\(text) is no user id")
            }
            return user
        }
        let startup = try installation.startup()
        try await Startup.reporting {
            let check = try await startup.withPool { pool in
                // Without a catalogue nothing was sold, and nothing is derived.
                let catalogue = try? await startup.openCatalogue(pool).snapshot
                let projection = Projection(
                    pool: pool, settings: startup.settings.entitlements, format: StatusBody.format)
                return try await Self.check(
                    pool, against: export, derived: catalogue.map { (projection, $0) }, of: user)
            }
            guard check.faults.isEmpty else {
                check.namedFaults.forEach { StandardError.print("gatepass: \($0)") }
                if check.ledgers.faults.count >= LedgerCheck.maximumFaults {
                    StandardError.print("gatepass: the rest of the ledgers was not looked at")
                }
                throw ExitCode.failure
            }
            Self.tell(check)
        }
    }

    private static func check(
        _ pool: Pool, against export: ExportedAuditHead?, derived: IntegrityCheck.Derived?, of user: UserID?
    ) async throws -> IntegrityCheck {
        guard let user else {
            let bar = ProgressBar()
            defer { bar.clear() }
            return try await IntegrityCheck(of: pool, against: export, derived: derived) {
                bar.show($0.percent, $0.line)
            }
        }
        guard let check = try await IntegrityCheck(of: pool, against: export, derived: derived, ledgerOf: user) else {
            throw UserMissing(user: user)
        }
        return check
    }

    private static func tell(_ check: IntegrityCheck) {
        let (trail, ledgers) = (check.trail, check.ledgers.done)
        print("\(counted(trail.head.length)) whole, the words of \(trail.erased) erased")
        print("\(check.keys.keys) API keys are as the audit trail says")
        print("\(check.states.states) signed states agree with themselves")
        print("\(counted(UInt64(ledgers.entries))) whole in the ledgers of \(ledgers.people) users")
        print("head \(trail.head)")
    }

    private static func counted(_ entries: UInt64) -> String {
        "\(entries) \(entries == 1 ? "entry is" : "entries are")"
    }
}
