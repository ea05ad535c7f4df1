import Entitlements
import Hummingbird
import LedgerStore

/// `DELETE /api/devices/{device_id}`: takes a device off the record; its seat is free at once.
enum RemoveDeviceRoute {
    /// - Throws: `unknown_device`, `unavailable`.
    static func respond(to call: UserCall) async throws(Problem) -> Response {
        try await answer(call.acting, call).response
    }

    /// The same for any user.
    ///
    /// - Throws: `unknown_device`, `unavailable`.
    static func answer(_ acting: Acting, _ call: some SignedCall) async throws(Problem) -> JSONAnswer {
        try await call.recordedForDevice(
            acting, .removeDevice, orElse: { (refusal: DeviceRefusal) in Problem(refusal) }
        ) { id, history, context in
            RemoveDevice(id, of: acting.user, note: acting.note())
                .decide(given: history, in: context.catalogue, under: context.settings)
        }
        return .nothing
    }
}
