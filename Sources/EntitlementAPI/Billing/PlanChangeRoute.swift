import Entitlements
import HTTPTypes
import Hummingbird

/// `GET /api/billing/plan-change`: what would follow if another plan or pass replaced the one that now gives the user's
/// device seats.
enum PlanChangeRoute {
    /// - Throws: `invalid_request`, `not_found` for an unknown plan or product, `rate_limited`, `unavailable`.
    static func answer(about principal: Principal, _ call: some SignedCall) async throws(Problem) -> Response {
        let target = try target(in: Query(call.request.uri.query))
        return try await call.folding(principal.user) { (ledger) async throws(Problem) in
            switch call.timeline(of: ledger).planChange(to: target, at: call.now) {
            case .success(let change):
                let devices = try await call.deviceNames(of: change.devicesToRelease, in: ledger)
                let message = PlanChangeMessage(change, in: AcceptLanguage(call.request.headers[.acceptLanguage]))
                var response = Response.json(
                    PlanChangeBody(change, devices, message).bytes, cacheControl: "private, no-cache")
                response.headers[.vary] = "Authorization, Accept-Language"
                response.headers[.contentLanguage] = message.language
                return response
            case .failure(let refusal): throw Problem(refusal)
            }
        }
    }

    private static func target(in query: Query) throws(Problem) -> PlanTarget {
        switch (try query.text("plan_id"), try query.text("product_id")) {
        case (let planID?, nil): return .planID(planID)
        case (nil, let productID?): return .product(ProductID(productID))
        case (nil, nil): throw .invalidRequest("Either plan_id or product_id is required.", at: "?plan_id")
        case (_?, _?): throw .invalidRequest("Beside plan_id there is no product_id.", at: "?product_id")
        }
    }
}

/// The JSON body of the answer.
struct PlanChangeBody {
    let bytes: [UInt8]

    init(_ change: PlanChange, _ devices: DeviceNames, _ message: PlanChangeMessage) {
        var json = JSONWriter(capacity: 384)
        json.beginObject()
        json.member("action", change.action.rawValue)
        json.member("allowed", change.isAllowed)
        json.member("current_devices", change.currentDevices)
        json.member("target_devices", change.targetDevices)
        json.member("active_devices", change.activeDevices)
        json.name("devices_to_release")
        json.array(change.devicesToRelease) { $0.value(devices.name($1)) }
        json.member("message", message.text)
        json.endObject()
        bytes = json.bytes
    }
}
