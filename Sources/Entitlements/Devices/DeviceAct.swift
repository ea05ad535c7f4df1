/// An act of a user with a device (`semantics.md` §8).
package struct DeviceAct: Hashable, Sendable {
    /// The kind of act.
    package enum Deed: Hashable, Sendable {
        /// A new device is on record, active and seen from now on. A device on record only changes its name and pin.
        case registered(name: Label?, isPinned: Bool)
        /// The user suspended the device. Suspensions by the limit are derived, so they are no acts.
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

    /// An act with a device, and the instant from which it holds.
    struct Dated: Hashable, Sendable {
        let at: Instant
        let act: DeviceAct
        /// The digest of the act's note; nil if it has none.
        let note: NoteDigest?

        /// Returns the ledger's acts with devices in the order of recording, each with the instant from which it holds.
        /// An act holds from its `effectiveAt`, but never from an instant earlier than the act recorded before it.
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
