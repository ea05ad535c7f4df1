package import Entitlements
package import LedgerStore

/// Devices and their seats.
extension Principal {
    /// Registers a device and gives it a seat. A repeat changes the name and the pin only.
    package func registerDevice(
        _ device: DeviceID, named name: DeviceName?, isPinned: Bool?, reason: String?, under labels: Labels
    ) -> LedgerAct<RegisterDevice.Reply, DeviceRefusal> {
        let id = labels.label(of: device, of: user)
        let label = name.map { labels.label(.deviceName, user.text, $0.text) }
        let note = words(of: device, named: name, reason: reason)
        return LedgerAct(for: [user], audit: audit(.registerDevice, reason: reason, ["device_id": device.text])) {
            [user] history, context in
            RegisterDevice(id, of: user, named: label, isPinned: isPinned, note: note)
                .decide(given: history, in: context.catalogue, under: context.settings)
        }
    }

    /// The note of a registration, which holds the device's id and name.
    func words(of device: DeviceID, named name: DeviceName?, reason: String?) -> Note {
        Note(actor: actor?.text, reason: reason, device: device, deviceName: name)
    }

    /// Reactivates, suspends, sees or removes a device. The reply is the device; nil for an erased one.
    package func changeDevice(
        _ change: ChangeDevice.Change, of device: DeviceID, reason: String?, under labels: Labels
    ) -> LedgerAct<Device?, DeviceRefusal> {
        let id = labels.label(of: device, of: user)
        let note = note(reason: reason)
        return LedgerAct(for: [user], audit: audit(change.auditAction, reason: reason, ["device_id": device.text])) {
            [user] history, context in
            ChangeDevice(change, of: id, of: user, note: note)
                .decide(given: history, in: context.catalogue, under: context.settings)
        }
    }
}

extension ChangeDevice.Change {
    fileprivate var auditAction: AuditAction {
        switch self {
        case .reactivate: .reactivateDevice
        case .suspend: .suspendDevice
        case .see: .seeDevice
        case .remove: .removeDevice
        }
    }
}
