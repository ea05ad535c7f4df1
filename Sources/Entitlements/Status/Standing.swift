/// The status of a user at an instant, and until when it stays so.
package struct Standing: Sendable {
    /// The status at the instant from which the standing holds.
    package let status: Status
    /// The first instant after `status.at` at which the status may change.
    package let holdsUntil: Instant

    package init(status: Status, holdsUntil: Instant) {
        self.status = status
        self.holdsUntil = holdsUntil
    }

    /// The standing of `ledger` at `at`.
    ///
    /// - Parameter timeline: The fold of `ledger`, with the list of sandbox testers as it is at `at`.
    package init(of ledger: UserLedger, in timeline: Timeline, at: Instant, explains: Bool = false) {
        status = timeline.status(at: at, explains: explains)
        holdsUntil = min(timeline.nextChange(after: at), ledger.nextChangeOfTesters(after: at) ?? .distantFuture)
    }
}
