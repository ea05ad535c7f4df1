import ArgumentParser
import EntitlementAPI
import Entitlements
import Foundation
import LedgerStore

/// `gatepass user erase`: erases a person for good. Their purchases stay under a pseudonym.
struct UserEraseCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "erase",
        abstract: "Erase people for good; what they bought stays, and only their Apple account can claim it.",
        discussion: """
            After a database was restored from a backup, erase once more whoever was erased since.

            For example: gatepass user erase anna --reason asked --dry-run
            """)

    @Argument(help: "The user's id: 1 to 128 of letters, digits and ._:@|+=-; quote it in a shell.")
    var user: String?

    @Option(
        help: """
            A file of user ids, one a line; lines that begin with # say nothing. Of ids that the database does not \
            know nothing is done.
            """)
    var from: String?

    @Option(help: "Why, for the audit trail; it is kept, so it should name nobody.")
    var reason: String

    @Flag(help: "Say what would be deleted, and do nothing.")
    var dryRun = false

    @OptionGroup var installation: InstallationOptions

    /// Throws `ValidationError` unless the command line names either a user or a file.
    func validate() throws {
        guard (user == nil) != (from == nil) else { throw ValidationError("name a user, or a file with --from") }
    }

    /// Throws for a wrong user id, and the exit status 1 if there is no such user or the database cannot be reached.
    func run() async throws {
        try ReasonOptions.require(reason)
        let users = try users()
        let startup = try installation.startupToAct()
        try await Startup.reporting {
            try await startup.withStore { store in
                for user in users { try await erase(user, store.erasure) }
            }
        }
    }

    /// Erases one user and prints that at once, because a later fault does not undo it.
    private func erase(_ user: UserID, _ erasure: Erasure) async throws {
        guard !dryRun else {
            let preview = try await erasure.previewed(user)
            guard preview != nil || from != nil else { throw UserMissing(user: user) }
            return print(preview?.would.map { "\(user): \($0)" } ?? "\(user) is unknown")
        }
        let left = try await erasure.erase(user, by: .commandLine, reason: reason)
        guard left != nil || from != nil else { throw UserMissing(user: user) }
        print(left.map { "\(user) is erased; what is left stands under \($0)" } ?? "\(user) is unknown")
    }

    private func users() throws -> [UserID] {
        guard let from else { return [try Self.id(user ?? "", place: "")] }
        guard let data = FileManager.default.contents(atPath: from), let text = String(data: data, encoding: .utf8)
        else {
            throw ValidationError("\(VisibleText.escaped(from)) cannot be read as a text file")
        }
        let lines = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).enumerated()
            .map { (number: $0 + 1, id: $1.trimmingCharacters(in: .whitespaces)) }
            .filter { !$0.id.isEmpty && !$0.id.hasPrefix("#") }
        guard !lines.isEmpty else { throw ValidationError("\(VisibleText.escaped(from)) names nobody") }
        return try lines.map { try Self.id($0.id, place: "line \($0.number): ") }
    }

    private static func id(_ text: String, place: String) throws -> UserID {
        guard let id = UserID(text) else { throw ValidationError("\(place)\(VisibleText.escaped(text)) is no user id") }
        return id
    }
}
