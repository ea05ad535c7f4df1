import Entitlements
import Hummingbird
import LedgerStore

/// `POST /api/devices/{device_id}/reactivate`: gives a suspended device a seat again.
enum ReactivateDeviceRoute {
    /// - Throws: `unknown_device`, `seat_limit_reached`, `unavailable`.
    static func respond(to call: UserCall) async throws(Problem) -> Response {
        try await answer(call.principal, because: nil, call).response
    }

    /// The route for servers, for any user.
    ///
    /// - Throws: `unknown_device`, `seat_limit_reached`, `unavailable`.
    static func answer(
        _ principal: Principal, because reason: String?, _ call: some SignedCall
    ) async throws(Problem) -> JSONAnswer {
        let device = try await call.recordedForDevice(
            principal, .reactivateDevice, because: reason,
            orElse: { (refusal: ReactivateDeviceRefusal) in Problem(refusal) }
        ) { id, history, context in
            ReactivateDevice(id, of: principal.user, note: principal.note(reason: reason))
                .decide(given: history, in: context.catalogue, under: context.settings)
        }
        return JSONAnswer(bytes: try await call.body(of: device))
    }
}
