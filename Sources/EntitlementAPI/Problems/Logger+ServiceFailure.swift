import LedgerStore
import Logging

extension Logger {
    /// Logs an act of an operator. The line names nobody to whom it was done.
    func tell(_ action: AuditAction, by actor: Actor) {
        info("act", metadata: ["action": "\(action.text)", "actor": "\(actor.text)"])
    }

    /// Logs an error that nothing expects, by its type, because its text may hold what a client sent.
    func tell(unexpected error: any Error) {
        self.error("unexpected error", metadata: ["error": "\(type(of: error))"])
    }

    /// Logs a failure of the database. Nothing is logged while the database has not been opened yet, or if the caller
    /// left.
    func tell(_ failure: ServiceFailure) {
        let metadata: Metadata = ["error": "\(failure)"]
        if failure.isGivenUp {
            info("an answer is not kept: its claim was erased with a person, or taken over", metadata: metadata)
        } else if failure != .notOpen, !failure.isCancelled {
            warning("the database did not answer", metadata: metadata)
        }
    }
}
