import EntitlementAPI
import Entitlements
import LedgerStore

/// The result of this server's last integrity check, for operators.
struct IntegrityHealth: Sendable {
    /// The number of faults and the time at which the check ended; nil before the first check has ended.
    let found: (faults: Int, at: Instant)?

    /// The state before the first check.
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

    /// The readiness check. It always passes, because taking the server out of service would repair nothing.
    var check: Readiness.Check { Readiness.Check(name: "books", isInOrder: true, detail: detail) }
}
