import Entitlements
import Hummingbird

/// `GET /api/devices/license/status`: how many devices may be and are in use; these three keys and no other.
enum LicenseStatusRoute {
    /// - Throws: `unavailable`.
    static func answer(about principal: Principal, _ call: some SignedCall) async throws(Problem) -> Response {
        let seats = try await call.folding(principal.user) { (ledger) async throws(Problem) in
            call.timeline(of: ledger).deviceSeats(at: call.now)
        }
        var json = JSONWriter(capacity: 64)
        json.append(seats)
        return .json(json.bytes, cacheControl: "private, no-cache")
    }
}
