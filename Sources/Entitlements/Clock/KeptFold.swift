/// The timeline of a ledger, kept so that the next fold need not begin anew.
final class KeptFold: Sendable {
    let timeline: Timeline

    init(_ timeline: Timeline) {
        self.timeline = timeline
    }

    /// Returns the timeline with one more entry; nil if all entries of the ledger have to be folded again.
    func adding(_ entry: LedgerEntry) -> KeptFold? {
        timeline.adding(entry).map { KeptFold($0) }
    }
}
