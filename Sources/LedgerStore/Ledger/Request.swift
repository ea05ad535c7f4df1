import Entitlements
import MariaDB

/// A decision that waits in the write queue for its batch.
struct Request: Sendable {
    let users: Set<UserID>
    let evidence: [Evidence]
    /// The purchases that the decision is about, those of the evidence among them.
    let keys: Set<PurchaseKey>
    /// The delivery that the decision places.
    let news: DeliveryNews?
    /// All of whose purchases the decision is about.
    let giver: UserID?
    /// The entry of the audit trail if the decision changes anything.
    let audit: AuditedAct?
    /// Decides, and appends to the workspace.
    let decide: @Sendable (inout Workspace, CatalogueVersions) -> Decided
    /// Tells the caller why nothing was decided.
    let fail: @Sendable (ServiceFailure) -> Void

    /// The result of the decision.
    struct Decided: Sendable {
        /// True if the decision, and not its evidence alone, appended something.
        let hasChanged: Bool
        /// Tells the caller, once the batch is committed, with the ledgers that it made grow.
        let tell: @Sendable ([UserID: FoldedLedger]) -> Void
    }
}
