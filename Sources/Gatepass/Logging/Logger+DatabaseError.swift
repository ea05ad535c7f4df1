import Logging
import MariaDB

extension Logger {
    /// Tells why the database did not do what a request asked for.
    func tell(_ error: DatabaseError) {
        let metadata: Metadata = ["error": "\(error)"]
        switch error.cause {
        case .givenUp:
            info("an answer is not kept: its claim was erased with a person, or taken over", metadata: metadata)
        case .refused, .connectionLost, .commitUnknown, .transactionOver, .sessionNotPinned, .unexpectedCell,
            .parameters, .misuse, .unavailable, .overloaded, .shuttingDown, .cancelled:
            warning("the database did not answer", metadata: metadata)
        }
    }
}
