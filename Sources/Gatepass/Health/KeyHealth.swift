import EntitlementAPI
import Logging

/// The last known state of the signing keys, and the log message when it changes.
struct KeyHealth: Sendable {
    /// A line for the log.
    struct Message {
        let level: Logger.Level
        let text: String
    }

    private var isInOrder = false
    private var detail = "not loaded yet"
    private var unusable: [String] = []

    /// The readiness check. It fails while the server cannot sign, so that other instances get its requests.
    var check: Readiness.Check {
        Readiness.Check(name: "signing_keys", isInOrder: isInOrder, detail: detail)
    }

    /// Notes the result of reading the keys. Returns a log message if the state changed, else nil.
    ///
    /// A database that cannot be reached changes nothing.
    mutating func note(_ ring: Result<SigningKeyRing, SigningKeyFault>) -> Message? {
        switch ring {
        case .success(let ring): return note(ring)
        case .failure(.database): return nil
        case .failure(let fault):
            guard isInOrder || detail != fault.description else { return nil }
            (isInOrder, detail) = (false, fault.description)
            return Message(level: .error, text: fault.description)
        }
    }

    private mutating func note(_ ring: SigningKeyRing) -> Message? {
        (isInOrder, detail) = (true, "\(ring.published.count) published")
        guard unusable != ring.unusable else { return nil }
        unusable = ring.unusable
        guard !unusable.isEmpty else { return nil }
        return Message(
            level: .error,
            text: "signing keys that signed before cannot be opened, so their tokens do not verify: "
                + unusable.joined(separator: ", "))
    }
}
