import Entitlements
import MariaDB
import Synchronization

/// A decision that waits in the write queue until a batch takes it.
struct Request: Sendable {
    let users: Set<UserID>
    let evidence: [Evidence]
    /// The purchases that the decision is about, including those of the evidence.
    let keys: Set<PurchaseKey>
    /// The delivery that the decision places; nil if it places none.
    let news: DeliveryNews?
    /// The user whose purchases the decision may all give away; nil if there is none.
    let giver: UserID?
    /// The entry for the audit trail, which is written if the decision changes anything.
    let audit: AuditedAct?
    /// The caller; nobody makes the decision once the caller has left.
    let caller: WaitingCaller
    /// Makes the decision, and appends its facts to the workspace.
    let decide: @Sendable (inout Workspace, CatalogueVersions) -> Decided
    /// Tells the caller the fault that kept the decision from being made or committed.
    let fail: @Sendable (ServiceFailure) -> Void

    /// The result of the decision.
    struct Decided: Sendable {
        /// True if the decision itself appended something, not only its evidence.
        let hasChanged: Bool
        /// Answers the caller once the batch is committed. The argument is the timelines that the batch folded.
        let tell: @Sendable ([UserID: FoldedLedger]) -> Void
    }
}

/// The caller of a request, who waits for the answer until the task is cancelled.
final class WaitingCaller: Sendable {
    private let state = Mutex(false)

    var hasLeft: Bool { state.withLock { $0 } }

    func leave() { state.withLock { $0 = true } }
}
