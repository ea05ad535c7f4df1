import Entitlements
import MariaDB

/// A decision that waits in the writer lane for its turn, its reply's type erased.
struct Request: Sendable {
    let users: Set<UserID>
    let evidence: [Evidence]
    /// The purchases that the decision is about, those of the evidence among them.
    let keys: Set<PurchaseKey>
    /// All of whose purchases the decision is about.
    let giver: UserID?
    /// What to enter into the audit trail if the decision changes anything.
    let audit: AuditedAct?
    /// Decides, and appends to the workspace.
    let decide: @Sendable (inout Workspace, CatalogueVersions) -> Decided
    let resume: @Sendable (Result<Committed, DatabaseError>) -> Void

    /// What was decided.
    struct Decided {
        /// What to tell the caller once the batch is committed.
        let answer: any Sendable
        /// Whether the decision, and not its evidence alone, appended something.
        let hasChanged: Bool
    }

    /// What is on disk.
    struct Committed {
        let answer: any Sendable
        /// The ledgers that the batch made grow.
        let folded: [UserID: FoldedLedger]
    }
}
