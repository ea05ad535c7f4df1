package import Entitlements

/// The ids that the app gave to a user's devices. Facts hold only their labels.
package struct DeviceNames: Sendable {
    private let ids: [Label: DeviceID]

    package init(_ ids: [Label: DeviceID] = [:]) {
        self.ids = ids
    }

    /// The ids of all devices that were ever registered in `ledger`. They stand in `notes`.
    package init(of ledger: UserLedger, _ notes: [NoteDigest: Note]) {
        let devices = ledger.entries.compactMap(\.fact.device)
        self.init(ledger.wordsOfDevices(Set(devices)).compactMapValues { notes[$0]?.device })
    }

    /// The device's id; its label if the note was erased.
    package func name(_ device: Label) -> String { ids[device]?.text ?? device.text }
}

extension SignedCall {
    /// The ids of those `devices` that were registered in `ledger`.
    ///
    /// - Throws: `unavailable`.
    func deviceNames(of devices: [Label], in ledger: UserLedger) async throws(Problem) -> DeviceNames {
        let words = ledger.wordsOfDevices(Set(devices))
        let notes = try await notes(words.values)
        return DeviceNames(words.compactMapValues { notes[$0]?.device })
    }
}

extension UserLedger {
    /// The digest of the note with which each of `devices` was first registered, by the device's label.
    fileprivate func wordsOfDevices(_ devices: Set<Label>) -> [Label: NoteDigest] {
        var words: [Label: NoteDigest] = [:]
        guard !devices.isEmpty else { return words }
        for entry in entries {
            guard case .device(let act) = entry.fact, case .registered = act.deed, devices.contains(act.device),
                words[act.device] == nil
            else { continue }
            words[act.device] = entry.note
        }
        return words
    }
}

extension Fact {
    /// The device that the fact is about; nil for any other fact.
    var device: Label? {
        guard case .device(let act) = self else { return nil }
        return act.device
    }
}

extension Labels {
    /// The label of a user's device. The same device id of another user has another label.
    func label(of device: DeviceID, of user: UserID) -> Label { label(.device, user.text, device.text) }
}
