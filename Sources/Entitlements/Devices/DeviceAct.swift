/// An act with a device of a user (`semantics.md` §8).
package struct DeviceAct: Hashable, Sendable {
    /// The kind of act.
    package enum Deed: Hashable, Sendable {
        /// On record, active and seen from now on; of a device on record it changes name and pin, and nothing else.
        case registered(name: Label?, isPinned: Bool)
        /// The user suspended the device; suspensions by the limit are derived and no facts.
        case suspended
        case reactivated
        case seen
        case removed
    }

    package let device: Label
    package let deed: Deed

    package init(_ device: Label, _ deed: Deed) {
        self.device = device
        self.deed = deed
    }

    /// An act and the instant from which it holds.
    struct Dated: Hashable, Sendable {
        let at: Instant
        let act: DeviceAct
        /// The digest of the act's note.
        let note: NoteDigest?

        /// The device acts of `ledger` in the order of recording; none holds before the one recorded before it.
        static func all(in ledger: UserLedger) -> [Dated] {
            var acts: [Dated] = []
            for entry in ledger.entries {
                guard case .device(let act) = entry.fact else { continue }
                acts.append(Dated(act, of: entry, after: acts.last))
            }
            return acts
        }

        init(_ act: DeviceAct, of entry: LedgerEntry, after last: Dated?) {
            at = max(entry.effectiveAt, last?.at ?? entry.effectiveAt)
            self.act = act
            note = entry.note
        }
    }
}
