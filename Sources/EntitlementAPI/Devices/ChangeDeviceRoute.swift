import Entitlements
import LedgerStore

/// `POST /api/devices/{device_id}/reactivate`, `…/suspend` and `…/seen`, and `DELETE /api/devices/{device_id}`.
enum ChangeDeviceRoute {
    /// The route of one kind of change, for users and for servers.
    ///
    /// The route throws `unknown_device`, `seat_limit_reached` when it reactivates, `rate_limited`, and `unavailable`.
    static func to<Caller: SignedCall>(
        _ change: ChangeDevice.Change, _ action: AuditAction
    ) -> @Sendable (Principal, String?, Caller) async throws(Problem) -> JSONAnswer {
        { principal, reason, call throws(Problem) in
            guard let named = call.named("device_id").flatMap({ DeviceID($0) }) else { throw .unknownDevice }
            let id = try call.labels().label(of: named, of: principal.user)
            let device = try await call.recorded(
                for: principal, audit: principal.audit(action, reason: reason, ["device_id": named.text]),
                orElse: { (refusal: DeviceRefusal) in Problem(refusal) }
            ) { history, context in
                ChangeDevice(change, of: id, of: principal.user, note: principal.note(reason: reason))
                    .decide(given: history, in: context.catalogue, under: context.settings)
            }
            guard change != .remove, let device else { return .nothing }
            return JSONAnswer(bytes: try await call.body(of: device))
        }
    }
}
