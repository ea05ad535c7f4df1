import Entitlements
import Hummingbird

/// `GET /api/devices/license/status`: the numbers of allowed, active and suspended devices.
enum LicenseStatusRoute {
    /// - Throws: `rate_limited`, `unavailable`.
    static func answer(about principal: Principal, _ call: some SignedCall) async throws(Problem) -> Response {
        let seats = try await call.folding(principal.user) { (ledger) async throws(Problem) in
            call.timeline(of: ledger).deviceSeats(at: call.now)
        }
        var json = JSONWriter(capacity: 64)
        json.append(seats)
        return .json(json.bytes, cacheControl: "private, no-cache")
    }
}
