/// A timeline that goes along with the ledger that it was folded from.
final class KeptFold: Sendable {
    let timeline: Timeline

    init(_ timeline: Timeline) {
        self.timeline = timeline
    }

    /// This fold with one more entry of the ledger; nil where all entries have to be folded anew.
    func adding(_ entry: LedgerEntry) -> KeptFold? {
        timeline.adding(entry).map { KeptFold($0) }
    }
}
