import Entitlements
import Hummingbird

/// `GET /api/billing/subscriptions/check/{user_id}`: the short answer for a billing screen.
///
/// To a user anybody else's id is answered like a path that does not exist, whether there is such a user or not; to a
/// server a user who was never seen is one who has nothing.
enum SubscriptionCheckRoute {
    /// - Throws: `not_found` for anybody else's id, `unavailable`.
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
        let ledger = try await call.ledger(of: user)
        let catalogue = call.api.service.catalogue
        let status = call.api.fold(ledger, catalogue, call.now).status
        return .json(SubscriptionCheckBody(status, ledger, catalogue).bytes, cacheControl: "private, no-cache")
    }
}

/// The answer: seven members that are always there and never change, two more, and those of a plan.
struct SubscriptionCheckBody {
    /// The raw value is what the API writes.
    enum Answer: String {
        case active = "ACTIVE"
        case grace = "GRACE"
        case expired = "EXPIRED"
        case revoked = "REVOKED"
        case none = "NONE"
    }

    let bytes: [UInt8]

    init(_ status: Status, _ ledger: UserLedger, _ catalogue: CatalogueVersions) {
        let decisive = Self.decisiveEntitlement(of: status)
        let terms = decisive.flatMap { Self.terms(of: $0, at: status.at, ledger, catalogue) }
        var json = JSONWriter(capacity: 384)
        json.beginObject()
        json.member("is_subscribed", status.active)
        json.member("has_active_subscription", status.active)
        json.member("status", Self.answer(for: status, decisive).rawValue)
        json.member("provider", decisive.map { Self.provider($0.key.source) })
        json.member("plan_id", terms?.planID)
        json.member("devices", status.devices.allowed)
        json.member("expires_at", status.expiresAt)
        json.member("access_expires_at", status.accessExpiresAt)
        json.member("manage_url", decisive.flatMap(Self.manageURL))
        if let decisive, let plan = decisive.plan {
            json.member("will_renew", decisive.willRenew)
            json.members(of: plan)
        }
        json.endObject()
        bytes = json.bytes
    }

    /// What gives the present tier; without coverage, what gave the last one, or what would have.
    private static func decisiveEntitlement(of status: Status) -> Entitlement? {
        let covering = status.segments.filter { $0.startsAt <= status.at && status.at < $0.endsAt }
        let ended = status.segments.filter { $0.endsAt <= status.at }
        let segment =
            covering.max { $0.tierRank == $1.tierRank ? $0.endsAt < $1.endsAt : $0.tierRank < $1.tierRank }
            ?? ended.max { $0.endsAt < $1.endsAt }
        if let segment { return status.entitlements.first { $0.key == segment.key } }
        return status.entitlements.last { $0.kind == .pass || $0.kind == .plan }
    }

    private static func answer(for status: Status, _ decisive: Entitlement?) -> Answer {
        switch status.state {
        case .active: .active
        case .grace: .grace
        case .expired: decisive?.state == .revoked ? .revoked : .expired
        case .none: decisive?.state == .revoked ? .revoked : .none
        }
    }

    /// Those of its newest period begun by `instant`, else of its first.
    private static func terms(
        of entitlement: Entitlement, at instant: Instant, _ ledger: UserLedger, _ catalogue: CatalogueVersions
    ) -> Terms? {
        guard let productID = entitlement.productID else { return nil }
        let purchasedAt = ledger.entries.lazy.compactMap { entry -> Instant? in
            guard case .stated(.purchase(let state)) = entry.fact, state.key == entitlement.key else { return nil }
            return state.purchasedAt
        }
        return (purchasedAt.filter { $0 <= instant }.max() ?? purchasedAt.min()).flatMap {
            catalogue.product(
                named: [productID], from: entitlement.key.source, for: entitlement.key.app, purchasedAt: $0)?.terms
        }
    }

    private static func provider(_ source: Source) -> String {
        source == .appleIAP ? "apple" : source.text
    }

    /// Where the user changes or cancels what renews by itself.
    private static func manageURL(_ entitlement: Entitlement) -> String? {
        entitlement.key.source == .appleIAP && entitlement.kind == .plan
            ? "https://apps.apple.com/account/subscriptions" : nil
    }
}

extension Terms {
    fileprivate var planID: String? {
        switch self {
        case .plan(_, let planID, _): planID
        case .pass, .addOn, .consumable: nil
        }
    }
}
