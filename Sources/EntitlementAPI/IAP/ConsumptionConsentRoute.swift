import Entitlements
import Hummingbird
import LedgerStore

/// `PUT /api/iap/apple/consumption-consent`: records whether Apple may be told about the user's consumption.
enum ConsumptionConsentRoute {
    /// - Throws: `invalid_request`, `rate_limited`, `unavailable`.
    static func respond(to call: UserCall) async throws(Problem) -> Response {
        let body = try await call.json()
        try body.requireObject()
        let consents = try body.required("consented") { name throws(Problem) in try body.flag(name) }
        let user = call.user
        let act = LedgerAct<Bool, Never>(for: [user], audit: nil) { history, _ in
            ConsentToConsumption(user, consents: consents).decide(given: history)
        }
        let holds = try await call.perform(act, for: call.principal) { (_: Never) -> Problem in }
        return .json(JSONWriter.object { $0.member("consented", holds) })
    }
}
