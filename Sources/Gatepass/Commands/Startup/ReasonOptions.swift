import ArgumentParser
import Entitlements
import LedgerStore

/// Why something is done, for the audit trail; commands that write take this.
struct ReasonOptions: ParsableArguments {
    @Option(help: "Why, for the audit trail.")
    var reason: String?

    /// Throws `ValidationError` for a reason that is too long or empty.
    func validate() throws {
        if let reason { try Self.require(reason) }
    }

    /// Throws `ValidationError` for a reason that is too long or empty.
    static func require(_ reason: String) throws {
        guard (1...Note.longestReason).contains(reason.unicodeScalars.count) else {
            throw ValidationError("a reason has 1 to \(Note.longestReason) characters")
        }
    }

    /// The writer of the command's entries in the audit trail.
    var trailWriter: TrailWriter { TrailWriter(by: .commandLine, reason: reason, in: AuditTrail()) }
}
