package import Entitlements
import Hummingbird
import LedgerStore

/// `GET /api/devices`: the user's registered devices, the newest first.
package enum DevicesRoute {
    /// - Throws: `invalid_request` for a malformed parameter, `rate_limited`, `unavailable`.
    static func answer(about principal: Principal, _ call: some SignedCall) async throws(Problem) -> Response {
        let query = try Query(call.request.uri.query)
        let page = try CursorPage<DeviceCursor>(query)
        return try await AskedTimeline.answer(about: principal, query, call) { (asked) async throws(Problem) in
            let listed = page.rows(of: asked.timeline.devices(at: asked.at).onRecord)
            let ids = Set(listed.rows.map(\.id))
            let explanation = try await asked.explanation(for: call) { act in act.device.map(ids.contains) ?? false }
            let notes = try await call.notes(listed.rows.compactMap(\.words))
            let bytes = CursorPage<DeviceCursor>.body(of: listed, explanation: explanation) { json, device in
                json.append(device, device.words.flatMap { notes[$0] }, explanation)
            }
            return .json(bytes, cacheControl: "private, no-cache")
        }
    }

    /// The list of `devices`, as JSON on one page; `notes` has their ids and names.
    package static func document(of devices: [Device], _ notes: [NoteDigest: Note]) -> [UInt8] {
        CursorPage<DeviceCursor>.body(of: (rows: devices, nextCursor: nil)) { json, device in
            json.append(device, device.words.flatMap { notes[$0] })
        }
    }
}

/// The paging cursor of `GET /api/devices`. It names the last device on a page.
private struct DeviceCursor: PageCursor {
    private static let list = "devices"

    private let registeredAt: Instant
    private let id: Label

    init(after device: Device) {
        registeredAt = device.registeredAt
        id = device.id
    }

    init?(_ text: String) {
        guard let parts = CursorText.decode(text, of: Self.list, parts: 2), let milliseconds = Int64(parts[0]),
            !parts[1].isEmpty
        else { return nil }
        registeredAt = Instant(milliseconds: milliseconds)
        id = Label(parts[1])
    }

    var text: String { CursorText.encode(Self.list, [String(registeredAt.milliseconds), id.text]) }

    func precedes(_ device: Device) -> Bool {
        device.registeredAt == registeredAt ? id < device.id : device.registeredAt < registeredAt
    }
}

/// The JSON body of an answer with one device.
package struct DeviceBody {
    package let bytes: [UInt8]

    /// - Parameter words: The note with which the device was registered; it holds the device's id and name.
    package init(_ device: Device, _ words: Note?) {
        var json = JSONWriter(capacity: 256)
        json.append(device, words)
        bytes = json.bytes
    }
}

extension JSONWriter {
    /// Writes a device as one value.
    fileprivate mutating func append(_ device: Device, _ words: Note?, _ explanation: AnswerExplanation? = nil) {
        beginObject()
        member("device_id", words?.device?.text ?? device.id.text)
        member("name", words?.deviceName?.text)
        member("pinned", device.isPinned)
        switch device.state {
        case .active:
            member("state", "active")
            member("suspended_by", nil as String?)
        case .suspended(let suspender):
            member("state", "suspended")
            member("suspended_by", suspender.rawValue)
        }
        member("registered_at", exactly: "registered_at_ms", device.registeredAt)
        member("last_seen_at", exactly: "last_seen_at_ms", device.lastSeenAt)
        if let explanation {
            member(acts: explanation.acts.acts.filter { $0.device == device.id }, explanation.devices)
        }
        endObject()
    }
}

extension SignedCall {
    /// The JSON of the device, with the id and name from its note.
    ///
    /// - Throws: `unavailable`.
    func body(of device: Device) async throws(Problem) -> [UInt8] {
        let words = try await notes([device.words].compactMap(\.self))
        return DeviceBody(device, words.values.first).bytes
    }
}
