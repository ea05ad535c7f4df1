import Entitlements
import Hummingbird
import LedgerStore

/// `POST /api/devices/{device_id}/seen`: notes that a device was in use.
enum SeeDeviceRoute {
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
            principal, .seeDevice, because: reason, orElse: { (refusal: DeviceRefusal) in Problem(refusal) }
        ) { id, history, context in
            SeeDevice(id, of: principal.user, note: principal.note(reason: reason))
                .decide(given: history, in: context.catalogue, under: context.settings)
        }
        return JSONAnswer(bytes: try await call.body(of: device))
    }
}
