package import Entitlements

/// A subscription, as an event of any API version shows it. Before 2025-03-31 a subscription had one period; since then
/// each of its items has its own (`stripe.md` §4).
package struct CardSubscription: Hashable, Sendable {
    /// The status; a word that is unknown here is kept.
    package enum Status: Hashable, Sendable {
        case incomplete
        case incompleteExpired
        case trialing
        case active
        case pastDue
        case canceled
        case unpaid
        case paused
        case unknown(String)

        init(_ word: String) {
            self =
                switch word {
                case "incomplete": .incomplete
                case "incomplete_expired": .incompleteExpired
                case "trialing": .trialing
                case "active": .active
                case "past_due": .pastDue
                case "canceled": .canceled
                case "unpaid": .unpaid
                case "paused": .paused
                default: .unknown(word)
                }
        }
    }

    /// An item of the subscription, with its present period.
    package struct Item: Hashable, Sendable {
        package let id: String
        package let price: String
        package let lookupKey: String?
        /// The plan ids in the metadata of the price and of the subscription, in this order.
        package let planIDs: [String]
        package let currency: String?
        package let quantity: Int
        package let startsAt: Instant
        package let endsAt: Instant

        /// The present period of the item.
        package var period: CardPeriod { CardPeriod(item: id, startsAt: startsAt, price: price) }
    }

    package let id: String
    package let status: Status
    package let metadata: [String: String]
    package let items: [Item]
    package let startedAt: Instant?
    package let trialEndsAt: Instant?
    package let cancelsAtPeriodEnd: Bool
    package let cancelsAt: Instant?
    package let endedAt: Instant?
    package let cancellationReason: String?
    package let latestInvoice: String?

    init?(_ object: CardObject) {
        guard let id = object.id, let status = object.text("status") else { return nil }
        self.id = id
        self.status = Status(status)
        metadata = object.metadata
        items = object.list("items").compactMap { Item($0, of: object) }
        startedAt = object.instant("start_date") ?? object.instant("created")
        trialEndsAt = object.instant("trial_end")
        cancelsAtPeriodEnd = object.flag("cancel_at_period_end") ?? false
        cancelsAt = object.instant("cancel_at")
        endedAt = object.instant("ended_at") ?? object.instant("canceled_at")
        cancellationReason = object["cancellation_details"]?.identifier("reason")
        latestInvoice = object.identifier("latest_invoice")
    }
}

extension CardSubscription.Item {
    fileprivate init?(_ item: CardObject, of subscription: CardObject) {
        let price = item["price"] ?? item["plan"]
        guard let id = item.id, let price, let priceID = price.id,
            let startsAt = item.instant("current_period_start") ?? subscription.instant("current_period_start"),
            let endsAt = item.instant("current_period_end") ?? subscription.instant("current_period_end")
        else { return nil }
        self.id = id
        self.price = priceID
        lookupKey = price.identifier("lookup_key")
        planIDs = [price, subscription].compactMap { $0.metadata["plan_id"] }
        currency = price.text("currency") ?? subscription.text("currency")
        quantity = item.integer("quantity").flatMap { Int(exactly: $0) } ?? 1
        self.startsAt = startsAt
        self.endsAt = endsAt
    }
}

/// A period of a subscription. Item, start and price together identify it within the subscription (`semantics.md` §7).
package struct CardPeriod: Hashable, Sendable {
    package let item: String
    package let startsAt: Instant
    package let price: String

    package init(item: String, startsAt: Instant, price: String) {
        self.item = item
        self.startsAt = startsAt
        self.price = price
    }

    package var id: String { "\(item):\(startsAt.milliseconds / 1_000):\(price)" }
}
