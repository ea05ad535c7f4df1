import Entitlements
import LedgerStore

/// `POST /api/devices/{device_id}/reactivate`, `…/suspend` and `…/seen`, and `DELETE /api/devices/{device_id}`.
enum ChangeDeviceRoute {
    /// The route of one kind of change, for users and for servers.
    ///
    /// The route throws `unknown_device`, `seat_limit_reached` when it reactivates, `rate_limited`, and `unavailable`.
    static func to<Caller: SignedCall>(
        _ change: ChangeDevice.Change
    ) -> @Sendable (Principal, String?, Caller) async throws(Problem) -> JSONAnswer {
        { principal, reason, call throws(Problem) in
            guard let named = call.named("device_id").flatMap({ DeviceID($0) }) else { throw .unknownDevice }
            let act = principal.changeDevice(change, of: named, reason: reason, under: try call.labels())
            let device = try await call.perform(act, for: principal) { Problem($0) }
            guard change != .remove, let device else { return .nothing }
            return JSONAnswer(bytes: try await call.body(of: device))
        }
    }
}
