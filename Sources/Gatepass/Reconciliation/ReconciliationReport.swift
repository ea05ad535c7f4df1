import Entitlements
import Foundation
import LedgerStore

/// The counts of a reconciliation so far.
struct ReconciliationReport {
    var pages = 0
    /// The number of listed events that the inbox already had.
    var known = 0
    /// The number of new events by their outcome after they were placed.
    var outcomes: [DeliveryOutcome: Int] = [:]
    /// True if new events are only counted, in `left`.
    let isDry: Bool
    var left = 0
    /// Events that could not be stored, and why. The id is nil if the event has none.
    var unreadable: [(id: String?, defect: String)] = []
    /// The id of the oldest event that was processed so far; the list goes from the newest to the oldest.
    var end: String?
    var isComplete = false

    /// - Parameter end: The event after which the reconciliation continues in the list; nil to begin at the newest
    ///   event.
    init(after end: String?, isDry: Bool) {
        self.end = end
        self.isDry = isDry
    }

    var new: Int { outcomes.values.reduce(left, +) }
    var listed: Int { known + new + unreadable.count }

    /// The report in words.
    var text: String {
        let words = results.map { "\($0.count) \($0.outcome.words)" }.joined(separator: ", ")
        let counts =
            (isDry ? "Nothing was done. " : "") + "\(listed) events listed: \(known) were known, \(new) are new"
        var lines = [words.isEmpty ? counts : "\(counts): \(words)"]
        lines += unreadable.map { VisibleText.escaped("\($0.id ?? "an event") cannot be read: \($0.defect)") }
        if results.contains(where: { $0.outcome.result == .parked }) {
            lines.append("`gatepass webhooks list --state parked` shows what waits")
        }
        return lines.joined(separator: "\n")
    }

    /// The report as JSON.
    var document: [String: Any] {
        [
            "listed": listed, "pages": pages, "known": known, "new": new, "complete": isComplete,
            "dry_run": isDry,
            "continue_after": isComplete ? NSNull() : end as Any? ?? NSNull(),
            "results": results.map { result -> [String: Any] in
                [
                    "result": result.outcome.result.rawValue, "count": result.count,
                    "reason": result.outcome.reason?.rawValue as Any? ?? NSNull(),
                ]
            },
            "unreadable": unreadable.map { ["event_id": $0.id as Any? ?? NSNull(), "defect": $0.defect] },
        ]
    }

    private var results: [(outcome: DeliveryOutcome, count: Int)] {
        outcomes.filter { $0.value > 0 }.map { ($0.key, $0.value) }.sorted { $0.outcome.words < $1.outcome.words }
    }
}
