import Entitlements
import Hummingbird
import LedgerStore

/// `POST /api/devices/{device_id}/suspend`: takes a device's seat by the user's wish.
enum SuspendDeviceRoute {
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
        let device = try await call.recordedForDevice(
            principal, .suspendDevice, because: reason, orElse: { (refusal: DeviceRefusal) in Problem(refusal) }
        ) { id, history, context in
            SuspendDevice(id, of: principal.user, note: principal.note(reason: reason))
                .decide(given: history, in: context.catalogue, under: context.settings)
        }
        return JSONAnswer(bytes: try await call.body(of: device))
    }
}
