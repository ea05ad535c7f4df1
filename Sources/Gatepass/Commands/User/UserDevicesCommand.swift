import ArgumentParser
import EntitlementAPI
import Entitlements
import LedgerStore

/// `gatepass user devices`: lists a user's devices, or changes one.
struct UserDevicesCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "devices", abstract: "List a user's devices, or give one a seat, take its seat, or remove it.",
        discussion: "For example: gatepass user devices anna")

    @OptionGroup var about: UserOptions

    @Option(help: "Give this suspended device a seat again.")
    var reactivate: String?

    @Option(help: "Take the seat from this device.")
    var suspend: String?

    @Option(help: "Remove this device from the record.")
    var remove: String?

    @OptionGroup var why: ReasonOptions

    @OptionGroup var output: ActOutput

    private var change: (kind: ChangeDevice.Change, device: String, words: String)? {
        let changes: [(ChangeDevice.Change, String?, String)] = [
            (.reactivate, reactivate, "has a seat"), (.suspend, suspend, "has no seat"),
            (.remove, remove, "is off the record"),
        ]
        return changes.lazy.compactMap { kind, device, words in device.map { (kind, $0, words) } }.first
    }

    /// Throws `ValidationError` for several changes at once, or the id of no device.
    func validate() throws {
        guard [reactivate, suspend, remove].count(where: { $0 != nil }) <= 1 else {
            throw ValidationError("give one of --reactivate, --suspend and --remove")
        }
        if let change, DeviceID(change.device) == nil { throw ValidationError("\(change.device) is no device id") }
    }

    /// Throws the exit status 1 if the act is refused or the database cannot be reached.
    func run() async throws {
        guard let change, let device = DeviceID(change.device) else { return try await list() }
        let reason = why.reason
        try await about.perform(output, refusing: { RefusedAct(Problem($0)) }) { principal, store in
            principal.changeDevice(change.kind, of: device, reason: reason, under: store.labels)
        } saying: { (_: Device?) in
            "the device \(device.text) \(change.words)"
        } json: { changed, store in
            guard let changed else { return Array("{}".utf8) }
            let words = try await store.reader.notes(Set([changed.words].compactMap(\.self)))
            return DeviceBody(changed, words.values.first).bytes
        }
    }

    private func list() async throws {
        let (user, startup) = (try about.id(), try about.installation.startup())
        try await Startup.reporting {
            let recorded = try await startup.ledger(of: user)
            let timeline = Timeline(
                folding: recorded.ledger, given: recorded.catalogue, settings: startup.settings.entitlements)
            let devices = timeline.devices(at: startup.clock.now()).onRecord
            guard !output.json else {
                return print(String(decoding: DevicesRoute.document(of: devices, recorded.notes), as: UTF8.self))
            }
            for device in devices { print(line(device, device.words.flatMap { recorded.notes[$0] })) }
        }
    }

    private func line(_ device: Device, _ words: Note?) -> String {
        let state =
            switch device.state {
            case .active: "active"
            case .suspended(let suspender): "suspended by \(suspender.rawValue)"
            }
        return [
            words?.device?.text ?? device.id.text, words?.deviceName?.text ?? "", state,
            "registered \(RFC3339.text(of: device.registeredAt))", "seen \(RFC3339.text(of: device.lastSeenAt))",
        ].map(VisibleText.escaped).joined(separator: "\t")
    }
}
