import Entitlements
import Hummingbird
import LedgerStore

/// `GET /api/devices`: the devices on record, the newest first.
enum DevicesRoute {
    /// - Throws: `invalid_request` for a parameter that cannot be read, `unavailable`.
    static func respond(to call: UserCall) async throws(Problem) -> Response {
        try await answer(about: call.acting, call)
    }

    /// The same about any user.
    ///
    /// - Throws: `invalid_request` for a parameter that cannot be read, `unavailable`.
    static func answer(about acting: Acting, _ call: some SignedCall) async throws(Problem) -> Response {
        let query = try Query(call.request.uri.query)
        let page = try CursorPage<DeviceCursor>(query)
        let asked = try await AskedTimeline(of: acting, query, call)
        let listed = page.rows(of: asked.timeline.devices(at: asked.at).onRecord)
        let ids = Set(listed.rows.map(\.id))
        let explanation = asked.explanation { act in act.device.map(ids.contains) ?? false }
        let bytes = CursorPage<DeviceCursor>.body(of: listed, explanation: explanation) { json, device in
            json.append(device, explanation?.acts.acts.filter { $0.device == device.id })
        }
        return .json(bytes, cacheControl: "private, no-cache")
    }
}

/// The place behind a device in the list of them.
private struct DeviceCursor: PageCursor {
    private static let list = "devices"

    private let registeredAt: Instant
    private let id: DeviceID

    init(after device: Device) {
        registeredAt = device.registeredAt
        id = device.id
    }

    init?(_ text: String) {
        guard let parts = CursorText.decode(text, of: Self.list, parts: 2), let milliseconds = Int64(parts[0]),
            let id = DeviceID(parts[1])
        else { return nil }
        registeredAt = Instant(milliseconds: milliseconds)
        self.id = id
    }

    var text: String { CursorText.encode(Self.list, [String(registeredAt.milliseconds), id.text]) }

    func precedes(_ device: Device) -> Bool {
        device.registeredAt == registeredAt ? id < device.id : device.registeredAt < registeredAt
    }
}

/// A device by itself.
struct DeviceBody {
    let bytes: [UInt8]

    init(_ device: Device) {
        var json = JSONWriter(capacity: 256)
        json.append(device)
        bytes = json.bytes
    }
}

extension JSONWriter {
    /// Writes a device as one value.
    fileprivate mutating func append(_ device: Device, _ acts: [ExplainedAct]? = nil) {
        beginObject()
        member("device_id", device.id.text)
        member("name", device.name?.text)
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
        if let acts { member(acts: acts) }
        endObject()
    }
}

extension SignedCall {
    /// The device that the path names.
    ///
    /// - Throws: `unknown_device` for what no device can be called.
    func namedDevice() throws(Problem) -> DeviceID {
        guard let id = named("device_id").flatMap({ DeviceID($0) }) else { throw .unknownDevice }
        return id
    }

    /// Carries out an act on the device that the path names.
    ///
    /// - Throws: `unknown_device`, what `problem` makes of a refusal, `unavailable`.
    func recordedForDevice<Reply, Refusal>(
        _ acting: Acting, _ action: AuditAction, because reason: String?, orElse problem: (Refusal) -> Problem,
        deciding: @escaping @Sendable (DeviceID, PurchaseHistory, FoldContext) -> Decision<Reply, Refusal>
    ) async throws(Problem) -> Reply {
        let id = try namedDevice()
        return try await recorded(
            for: acting, audit: acting.audit(action, reason: reason, ["device_id": id.text]), orElse: problem
        ) { history, context in deciding(id, history, context) }
    }
}
