import LedgerStore
import Logging

extension Logger {
    /// Tells why the database did not do what a request asked for.
    func tell(_ error: ServiceFailure) {
        let metadata: Metadata = ["error": "\(error)"]
        if error.isGivenUp {
            info("an answer is not kept: its claim was erased with a person, or taken over", metadata: metadata)
        } else {
            warning("the database did not answer", metadata: metadata)
        }
    }
}
