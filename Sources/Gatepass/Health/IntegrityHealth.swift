import EntitlementAPI
import Entitlements
import LedgerStore

/// The result of this server's last integrity check, for operators.
struct IntegrityHealth: Sendable {
    /// How many faults the check found, and when it ended; nil before the first one.
    let found: (faults: Int, at: Instant)?

    /// Before the first check.
    init() {
        found = nil
    }

    init(faults: Int, at instant: Instant) {
        found = (faults, instant)
    }

    private var detail: String {
        guard let found else { return "not verified since the start" }
        let count = found.faults
        let words = count == 0 ? "whole" : count == 1 ? "1 fault, see the log" : "\(count) faults, see the log"
        return words + " at " + RFC3339.text(of: found.at)
    }

    /// The readiness check: always in order, because a server that serves less mends nothing.
    var check: Readiness.Check { Readiness.Check(name: "books", isInOrder: true, detail: detail) }
}
