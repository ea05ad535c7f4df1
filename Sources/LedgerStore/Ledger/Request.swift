import Entitlements
import MariaDB

/// A decision that waits in the writer lane for its turn, its reply's type erased.
struct Request: Sendable {
    let users: Set<UserID>
    let evidence: [Evidence]
    /// Decides, appends to the workspace and returns what to tell the caller once the batch is committed.
    let decide: @Sendable (inout Workspace) -> any Sendable
    let resume: @Sendable (Result<any Sendable, DatabaseError>) -> Void
}
