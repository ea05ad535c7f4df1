import ArgumentParser
import Entitlements
import LedgerStore

/// The reason of a command that writes, for the audit trail.
struct ReasonOptions: ParsableArguments {
    @Option(help: "Why, for the audit trail.")
    var reason: String?

    /// Throws `ValidationError` for a reason that is too long or empty.
    func validate() throws {
        if let reason { try Self.require(reason) }
    }

    /// Checks the length of a reason. Throws `ValidationError` if it is too long or empty.
    static func require(_ reason: String) throws {
        guard (1...Note.longestReason).contains(reason.unicodeScalars.count) else {
            throw ValidationError("a reason has 1 to \(Note.longestReason) characters")
        }
    }

    /// Checks the length of a reference. Throws `ValidationError` if it is too long or empty.
    static func requireReference(_ reference: String) throws {
        guard (1...255).contains(reference.unicodeScalars.count) else {
            throw ValidationError("a reference has 1 to 255 characters")
        }
    }

    /// The writer of the command's entries into the audit trail.
    var trailWriter: TrailWriter { TrailWriter(by: .commandLine, reason: reason, in: AuditTrail()) }
}
