import LedgerStore
import Logging

extension Logger {
    /// Tells why the database did not do what a request asked for; before it is open that is no news.
    func tell(_ failure: ServiceFailure) {
        let metadata: Metadata = ["error": "\(failure)"]
        if failure.isGivenUp {
            info("an answer is not kept: its claim was erased with a person, or taken over", metadata: metadata)
        } else if failure != .notOpen {
            warning("the database did not answer", metadata: metadata)
        }
    }
}
