import AppStore
package import Entitlements

/// The chain of one plan in the simulated store: its periods, and its renewal (`apple.md` §2.2, §3.8–§3.11).
///
/// A value without a clock or randomness; callers pass in instants, in milliseconds since the epoch, and ids. Each act
/// changes the chain and gives the one event of which the App Store would notify the server. An act that is not
/// possible in the present state throws ``Refusal`` and changes nothing.
package struct SimulatedSubscription: Codable, Hashable, Sendable {
    /// The Apple account that bought the subscription, and the app.
    package struct Buyer: Codable, Hashable, Sendable {
        package let bundleId: String
        package let subscriptionGroup: String
        /// The raw value of the ``StoreEnvironment``.
        package let environment: String
        package let appAccountToken: String?
        package let appTransactionId: String?
        /// True if this is the copy of a family member (`apple.md` §3.7).
        package let isFamilyMember: Bool

        package init(
            bundleId: String, subscriptionGroup: String, environment: StoreEnvironment = .sandbox,
            appAccountToken: String? = nil, appTransactionId: String? = nil, isFamilyMember: Bool = false
        ) {
            self.bundleId = bundleId
            self.subscriptionGroup = subscriptionGroup
            self.environment = environment.rawValue
            self.appAccountToken = isFamilyMember ? nil : appAccountToken
            self.appTransactionId = appTransactionId
            self.isFamilyMember = isFamilyMember
        }
    }

    /// A customer's order: a period to buy, and its price.
    package struct Order: Hashable, Sendable {
        package var transactionId: String
        package var productId: String
        package var expiresDate: Int64
        /// The price in thousandths of the currency's unit.
        package var price: Int64
        package var offer: SimulatedOffer?

        package init(
            _ productId: String, as transactionId: String, until expiresDate: Int64, price: Int64 = 4990,
            offer: SimulatedOffer? = nil
        ) {
            self.transactionId = transactionId
            self.productId = productId
            self.expiresDate = expiresDate
            self.price = price
            self.offer = offer
        }
    }

    /// A period of the chain, with its revocation and upgrade.
    package struct Period: Codable, Hashable, Sendable {
        package let transactionId: String
        package let productId: String
        package let purchaseDate: Int64
        package internal(set) var expiresDate: Int64
        package let price: Int64
        package let isRenewal: Bool
        package let offer: SimulatedOffer?
        /// True if an upgrade ended the period.
        package internal(set) var isUpgraded = false
        package internal(set) var revocation: Revocation?
    }

    /// A refund, or the withdrawal of family access, that was not reversed.
    package struct Revocation: Codable, Hashable, Sendable {
        package let date: Int64
        /// The refunded percentage in thousandths of a percent; nil if family access was withdrawn.
        package let percentage: Int64?

        package init(date: Int64, percentage: Int64?) {
            self.date = date
            self.percentage = percentage
        }
    }

    /// The phase of the chain.
    package enum Phase: String, Codable, Hashable, Sendable {
        /// The newest period is running, or its renewal is due.
        case active
        /// The charge for the next period failed, and Apple retries it.
        case retry
        case ended
    }

    package private(set) var buyer: Buyer
    /// All periods, the oldest first; never empty.
    package internal(set) var periods: [Period]
    package internal(set) var phase = Phase.active
    package internal(set) var willRenew = true
    /// The product of the next period.
    package internal(set) var nextProductId: String
    package internal(set) var nextPrice: Int64
    /// The raw value of the ``ExpirationIntent``; nil unless billing failed or the chain has ended.
    package internal(set) var expirationIntent: Int64?
    package internal(set) var graceEndsAt: Int64?
    /// True if the customer consented to a higher price, false if not yet; nil if no higher price is planned.
    package internal(set) var consentsToPrice: Bool?
    /// The instant since which the customer has been subscribed without a gap of more than 60 days (`apple.md` §2.2).
    package internal(set) var runStartedAt: Int64
    /// The signing date of the newest text.
    package internal(set) var signedAt: Int64

    private init(_ order: Order, by buyer: Buyer, at instant: Int64) {
        self.buyer = buyer
        let first = Period(order, at: instant)
        periods = [first]
        nextProductId = order.productId
        nextPrice = order.price
        runStartedAt = instant
        signedAt = instant
    }

    /// The customer subscribes for the first time: `SUBSCRIBED`, `INITIAL_BUY`.
    package static func begin(
        _ order: Order, by buyer: Buyer, at instant: Int64
    ) -> (subscription: SimulatedSubscription, event: SimulatedEvent) {
        var subscription = SimulatedSubscription(order, by: buyer, at: instant)
        let event = subscription.event(.subscribed, .initialBuy, at: instant)
        return (subscription, event)
    }

    /// The app's server names the account token (Set App Account Token); later texts carry it.
    package mutating func name(accountToken: String) {
        buyer = Buyer(
            bundleId: buyer.bundleId, subscriptionGroup: buyer.subscriptionGroup, environment: environment,
            appAccountToken: accountToken, appTransactionId: buyer.appTransactionId,
            isFamilyMember: buyer.isFamilyMember)
        signedAt += 1
    }

    /// The id of the chain.
    package var originalTransactionId: String { periods.first?.transactionId ?? "" }

    /// The newest period.
    package internal(set) var newest: Period {
        get { periods[periods.count - 1] }
        set { periods[periods.count - 1] = newValue }
    }
}

extension SimulatedSubscription.Period {
    /// The period of an order, beginning at `purchaseDate`.
    init(_ order: SimulatedSubscription.Order, at purchaseDate: Int64, isRenewal: Bool = false) {
        self.init(
            transactionId: order.transactionId, productId: order.productId, purchaseDate: purchaseDate,
            expiresDate: order.expiresDate, price: order.price, isRenewal: isRenewal, offer: order.offer)
    }
}
