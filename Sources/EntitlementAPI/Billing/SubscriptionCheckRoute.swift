import Entitlements
import Hummingbird

/// `GET /api/billing/subscriptions/check/{user_id}`: a short status for a billing screen.
///
/// A user who asks about another user gets 404, whether or not that other user exists. A server that asks about a user
/// who was never seen gets the status of a user without purchases.
enum SubscriptionCheckRoute {
    /// - Throws: `not_found` if a user asks about another user, or for a malformed id; `rate_limited`, `unavailable`.
    static func respond(to caller: Caller) async throws(Problem) -> Response {
        switch caller {
        case .user(let call):
            let asked = try call.namedUser()
            guard asked == call.user else { throw .notFound }
            return try await answer(about: asked, call)
        case .server(let call): return try await answer(about: try call.namedUser(), call)
        }
    }

    private static func answer(about user: UserID, _ call: some SignedCall) async throws(Problem) -> Response {
        let status = try await call.folding(user) { (ledger) async throws(Problem) in
            call.api.standing(ledger, call.api.catalogue, call.now).status
        }
        let body = SubscriptionCheckBody(status, cardPage: call.api.cardPage)
        return .json(body.bytes, cacheControl: "private, no-cache")
    }
}

/// The JSON body of the answer: nine members that are always there, and more for a plan. Seven of the nine keep their
/// meaning in later versions (`api.md`).
struct SubscriptionCheckBody {
    /// The member `status`, as the API writes it.
    enum Answer: String {
        case active = "ACTIVE"
        case grace = "GRACE"
        case expired = "EXPIRED"
        case revoked = "REVOKED"
        case none = "NONE"
    }

    let bytes: [UInt8]

    /// - Parameter cardPage: The page on which users change what they pay by card.
    init(_ status: Status, cardPage: String?) {
        let entitlement = Self.entitlement(of: status)
        var json = JSONWriter(capacity: 384)
        json.beginObject()
        json.member("is_subscribed", status.active)
        json.member("has_active_subscription", status.active)
        json.member("status", Self.answer(for: status, entitlement).rawValue)
        json.member("provider", entitlement.map { Self.provider($0.key.source) })
        json.member("plan_id", status.deciding.map(\.planID) ?? entitlement?.planID)
        json.member("devices", status.devices.allowed)
        json.member("expires_at", status.expiresAt)
        json.member("access_expires_at", status.accessExpiresAt)
        json.member("manage_url", entitlement.flatMap { Self.manageURL($0, cardPage) })
        if let entitlement, let plan = entitlement.plan {
            json.member("will_renew", entitlement.willRenew)
            json.members(of: plan)
        }
        json.endObject()
        bytes = json.bytes
    }

    /// The entitlement of the purchase that decides; if there was never any coverage, the last pass or plan.
    private static func entitlement(of status: Status) -> Entitlement? {
        guard let deciding = status.deciding else {
            return status.entitlements.last { $0.kind == .pass || $0.kind == .plan }
        }
        return status.entitlements.first { $0.key == deciding.key }
    }

    private static func answer(for status: Status, _ entitlement: Entitlement?) -> Answer {
        switch status.state {
        case .active: .active
        case .grace: .grace
        case .expired: status.deciding?.endsByTakeback ?? false ? .revoked : .expired
        case .none: entitlement?.state == .revoked ? .revoked : .none
        }
    }

    private static func provider(_ source: Source) -> String {
        source == .appleIAP ? "apple" : source.text
    }

    /// The page on which the user changes or cancels a plan; nil for anything else.
    private static func manageURL(_ entitlement: Entitlement, _ cardPage: String?) -> String? {
        guard entitlement.kind == .plan else { return nil }
        switch entitlement.key.source {
        case .appleIAP: return "https://apps.apple.com/account/subscriptions"
        case .stripe: return cardPage
        default: return nil
        }
    }
}
