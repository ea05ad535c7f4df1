import AppStore
import Entitlements
import StoreSimulator

/// Everything that can happen to a customer of the simulated store, each event with a name.
struct SimulatedStory {
    typealias Chapter = (name: String, event: SimulatedEvent)

    static let day: Int64 = 86_400_000
    static let bundleID = "com.airport.vpn"
    static let token = "9ad56bd2-0bc6-42e0-af24-fd996d87a1e6"

    /// 2026-01-15T12:00:00Z, and later with each event.
    private(set) var now: Int64 = 1_768_478_400_000
    private(set) var chapters: [Chapter] = []
    private var lastID = 2_000_001_027_701_928
    private let environment: StoreEnvironment

    /// Tells everything. Throws when an act is refused.
    init(in environment: StoreEnvironment = .sandbox) throws {
        self.environment = environment
        try tellOfPlan()
        try tellOfFailures()
        try tellOfEnds()
        try tellOfFamily()
        tellOfOneTimeProducts()
    }

    static func buyer(in environment: StoreEnvironment = .sandbox, isFamilyMember: Bool = false)
        -> SimulatedSubscription.Buyer
    {
        SimulatedSubscription.Buyer(
            bundleId: bundleID, subscriptionGroup: "21482456", environment: environment, appAccountToken: token,
            appTransactionId: "704897469903383919", isFamilyMember: isFamilyMember)
    }

    private mutating func begin(
        offer: SimulatedOffer? = nil, isFamilyMember: Bool = false
    ) -> SimulatedSubscription {
        let (subscription, event) = SimulatedSubscription.begin(
            order("annual.3", offer: offer), by: Self.buyer(in: environment, isFamilyMember: isFamilyMember), at: now)
        chapters.append((isFamilyMember ? "shared" : "subscribed", event))
        return subscription
    }

    private mutating func order(_ product: String, offer: SimulatedOffer? = nil) -> SimulatedSubscription.Order {
        SimulatedSubscription.Order(product, as: nextID(), until: now + 30 * Self.day, price: 9990, offer: offer)
    }

    private mutating func nextID() -> String {
        lastID += 1
        return String(lastID)
    }

    private mutating func tell(
        _ name: String, after days: Int64 = 1, _ act: (inout SimulatedStory) throws -> SimulatedEvent
    ) rethrows {
        now += days * Self.day
        chapters.append((name, try act(&self)))
    }

    private mutating func tellOfPlan() throws {
        var plan = begin(offer: .freeTrial(of: "P1W"))
        try tell("cancelled") { try plan.cancel(at: $0.now) }
        try tell("enabled") { try plan.enable(at: $0.now) }
        try tell("upgraded") { story in try plan.upgrade(to: story.order("annual.10"), at: story.now) }
        try tell("downgrade chosen") { try plan.downgrade(to: "annual.3", at: $0.now) }
        try tell("downgrade taken back") { try plan.downgrade(to: "annual.10", at: $0.now) }
        try tell("downgrade chosen again") { try plan.downgrade(to: "annual.3", price: 4990, at: $0.now) }
        try tell("price asked") { try plan.increasePrice(to: 5990, isAccepted: false, at: $0.now) }
        try tell("price accepted") { try plan.increasePrice(isAccepted: true, at: $0.now) }
        let next = plan.newest.expiresDate + 30 * Self.day
        try tell("renewed", after: 20) { story in try plan.renew(as: story.nextID(), until: next, at: story.now) }
        try tell("refunded", after: 5) { try plan.refund(at: $0.now) }
        try tell("reversed") { try plan.reverseRefund(at: $0.now) }
        let past = plan.periods[0].transactionId
        try tell("past refunded") { try plan.refund(past, percentage: 33_333, at: $0.now) }
    }

    private mutating func tellOfFailures() throws {
        var plan = begin()
        try tell("grace", after: 30) { try plan.failBilling(graceUntil: $0.now + 16 * Self.day, at: $0.now) }
        try tell("recovered in grace") { try plan.recover(as: $0.nextID(), until: $0.now + 30 * Self.day, at: $0.now) }
        try tell("grace again", after: 30) { try plan.failBilling(graceUntil: $0.now + 3 * Self.day, at: $0.now) }
        try tell("grace over", after: 3) { try plan.endGrace(at: $0.now) }
        try tell("recovered late") { try plan.recover(as: $0.nextID(), until: $0.now + 30 * Self.day, at: $0.now) }
        try tell("no grace", after: 30) { try plan.failBilling(at: $0.now) }
        try tell("given up", after: 60) { try plan.expire(at: $0.now) }
        try tell("resubscribed") { story in try plan.resubscribe(story.order("monthly.1"), at: story.now) }
    }

    private mutating func tellOfEnds() throws {
        var cancelled = begin()
        try tell("cancelled before") { try cancelled.cancel(at: $0.now) }
        try tell("ended by the customer", after: 30) { try cancelled.expire(at: $0.now) }
        var dearer = begin()
        try tell("consent asked") { try dearer.increasePrice(isAccepted: false, at: $0.now) }
        try tell("ended by the price", after: 30) { try dearer.expire(at: $0.now) }
        var gone = begin()
        try tell("ended by the shop", after: 30) { try gone.expire(isUnavailable: true, at: $0.now) }
        var other = begin()
        try tell("ended otherwise", after: 30) { try other.expire(at: $0.now) }
    }

    private mutating func tellOfFamily() throws {
        var copy = begin(isFamilyMember: true)
        try tell("sharing ended") { try copy.revokeSharing(at: $0.now) }
    }

    private mutating func tellOfOneTimeProducts() {
        for (type, product) in [
            (ProductType.consumable, "credits.100"), (.nonConsumable, "addon.xyz"),
            (.nonRenewingSubscription, "pass.30d"),
        ] {
            let id = nextID()
            var sold = SimulatedTransaction(id, of: product, type: type, bundleId: Self.bundleID, at: now)
            sold.environment = environment
            sold.appAccountToken = Self.token
            chapters.append(("\(product) bought", .oneTimeCharge(sold)))
            tell("\(product) asked about") { .consumptionRequest(sold, for: .unintendedPurchase, at: $0.now) }
            tell("\(product) declined") { .refundDeclined(sold, at: $0.now) }
            tell("\(product) refunded") { .refund(sold, at: $0.now) }
            tell("\(product) reversed") { .refundReversed(sold, at: $0.now) }
            tell("\(product) refunded in part") { .refund(sold, percentage: 50_000, at: $0.now) }
            tell("\(product) revoked") { .revoke(sold.familyShared(), at: $0.now) }
        }
        tell("test") { .test(bundleId: Self.bundleID, environment: $0.environment, at: $0.now) }
    }
}
