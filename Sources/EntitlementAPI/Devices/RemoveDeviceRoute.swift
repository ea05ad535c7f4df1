import Entitlements
import Hummingbird
import LedgerStore

/// `DELETE /api/devices/{device_id}`: takes a device off the record; its seat is free at once.
enum RemoveDeviceRoute {
    /// - Throws: `unknown_device`, `unavailable`.
    static func respond(to call: UserCall) async throws(Problem) -> Response {
        try await answer(call.principal, because: nil, call).response
    }

    /// The route for servers, for any user.
    ///
    /// - Throws: `unknown_device`, `unavailable`.
    static func answer(
        _ principal: Principal, because reason: String?, _ call: some SignedCall
    ) async throws(Problem) -> JSONAnswer {
        try await call.recordedForDevice(
            principal, .removeDevice, because: reason, orElse: { (refusal: DeviceRefusal) in Problem(refusal) }
        ) { id, history, context in
            RemoveDevice(id, of: principal.user, note: principal.note(reason: reason))
                .decide(given: history, in: context.catalogue, under: context.settings)
        }
        return .nothing
    }
}
