import EntitlementAPI
import Entitlements
import LedgerStore

/// What this server's last check of the books found, for operators to see.
struct IntegrityHealth: Sendable {
    private let detail: String

    /// Before the first check.
    init() {
        detail = "not verified since the start"
    }

    init(of check: IntegrityCheck, at instant: Instant) {
        let count = check.faults.count
        let found = count == 0 ? "whole" : count == 1 ? "1 fault, see the log" : "\(count) faults, see the log"
        detail = found + " at " + RFC3339.text(of: instant)
    }

    /// As readiness tells it: always in order, because a server that serves less mends nothing.
    var check: Readiness.Check { Readiness.Check(name: "books", isInOrder: true, detail: detail) }
}
