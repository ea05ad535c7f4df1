import Crypto
import Entitlements

/// What an entry says of people: who did it and why, and which device it was; a JSON array in the column `note`.
///
/// The entry's hash covers only a salted digest of it, so that erasing note and salt leaves the chain verifiable
/// (`semantics.md` §5).
struct NoteText: Hashable, Sendable {
    /// Nil when nothing is said.
    let note: Note?
    let device: DeviceID?
    let deviceName: DeviceName?

    /// Nil when the entry says nothing of anybody.
    init?(of entry: LedgerEntry) {
        let said = [entry.note?.actor, entry.note?.reason, entry.note?.reference].contains { $0 != nil }
        guard case .device(let act) = entry.fact else {
            guard said else { return nil }
            (note, device, deviceName) = (entry.note, nil, nil)
            return
        }
        note = said ? entry.note : nil
        device = act.device
        if case .registered(let name, _) = act.deed { deviceName = name } else { deviceName = nil }
    }

    /// Nil unless `json` is the text of a note.
    init?(json: String) {
        guard case .list(let fields)? = JSONField(json: json), fields.count == 5 else { return nil }
        let note = Note(actor: fields.text(0), reason: fields.text(1), reference: fields.text(2))
        self.note = note == Note(actor: nil) ? nil : note
        device = fields.text(3).flatMap { DeviceID($0) }
        deviceName = fields.text(4).flatMap { DeviceName($0) }
    }

    var json: String {
        JSONField.list([
            JSONField(note?.actor), JSONField(note?.reason), JSONField(note?.reference), JSONField(device?.text),
            JSONField(deviceName?.text),
        ]).json
    }

    /// SHA-256 over salt and text.
    static func digest(of json: String, salt: [UInt8]) -> [UInt8] {
        var encoder = FieldEncoder()
        encoder.append(salt)
        encoder.append(json)
        return encoder.digest
    }
}
