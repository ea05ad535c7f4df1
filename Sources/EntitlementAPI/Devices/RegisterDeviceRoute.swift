import Entitlements
import HTTPTypes
import LedgerStore

/// `POST /api/devices`: registers a device and gives it a seat. A repeat changes the name and the pin only.
enum RegisterDeviceRoute {
    /// A reserved device id: the path `/api/devices/license/status` has it in the place of a device's id.
    private static let taken = "license"

    /// - Throws: `invalid_request`, the problem of the refusal, `rate_limited`, `unavailable`.
    static func answer(
        _ principal: Principal, _ body: JSONBody, _ call: some SignedCall
    ) async throws(Problem) -> JSONAnswer {
        try body.requireObject()
        let device = try body.required("device_id") { name throws(Problem) in try self.device(name, in: body) }
        let name = try body.text("name", characters: 1...DeviceName.maximumLength).flatMap { DeviceName($0) }
        let isPinned = try body.flag("pinned")
        let reason = try principal.reason(in: body)
        let act = principal.registerDevice(
            device, named: name, isPinned: isPinned, reason: reason, under: try call.labels())
        let reply = try await call.perform(act, for: principal) { Problem($0) }
        let note = principal.words(of: device, named: name, reason: reason)
        let isNamed = reply.isNew || name != nil
        let bytes = isNamed ? DeviceBody(reply.device, note).bytes : try await call.body(of: reply.device)
        return JSONAnswer(status: reply.isNew ? .created : .ok, bytes: bytes)
    }

    private static func device(_ name: String, in body: JSONBody) throws(Problem) -> DeviceID? {
        guard let text = try body.text(name, characters: 1...DeviceID.maximumLength) else { return nil }
        guard let device = DeviceID(text), device.text != taken else {
            throw .invalidRequest(
                "The member must be made of visible ASCII characters, and be neither \(taken), . nor ..",
                at: "#/" + name)
        }
        return device
    }
}
