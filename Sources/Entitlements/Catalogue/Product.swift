/// The kind of a product; the raw value is what the API and the catalogue file write.
package enum ProductKind: String, Hashable, Sendable, CaseIterable {
    case pass
    case addOn = "add_on"
    case consumable
    case plan
}

/// The terms of a product: kind, tier, length, units and seats (`semantics.md` §1, *Terms*).
package enum Terms: Hashable, Sendable {
    /// A pass of the tier, `days` long for each unit of the quantity that is bought; in the Sandbox `sandboxMinutes`
    /// long, if there are any (`semantics.md` §2).
    case pass(tier: TierID, days: Int, sandboxMinutes: Int? = nil)
    /// An add-on: features for ever, which count only while there is coverage of the tier `requires` or a higher one.
    case addOn(features: [Feature], requires: TierID?, seats: Int, familyShareable: Bool)
    /// Credits: `amount` of the unit, multiplied by the quantity that is bought.
    case consumable(unit: String, amount: Int, onShortfall: OnShortfall)
    /// A plan: coverage of the tier in each period that the store renews.
    case plan(tier: TierID, planID: String?, familyShareable: Bool)

    /// The treatment of credits that were spent before they are refunded (`semantics.md` §4).
    package enum OnShortfall: String, Hashable, Sendable, CaseIterable {
        case debt
        case writeOff = "write_off"
    }

    package var kind: ProductKind {
        switch self {
        case .pass: .pass
        case .addOn: .addOn
        case .consumable: .consumable
        case .plan: .plan
        }
    }

    /// The plan id of a plan; nil if it has none.
    package var planID: String? {
        guard case .plan(_, let planID, _) = self else { return nil }
        return planID
    }

    /// The tier that a pass or plan gives; nil for other kinds.
    package var tier: TierID? {
        switch self {
        case .pass(let tier, _, _), .plan(let tier, _, _): tier
        case .addOn, .consumable: nil
        }
    }
}

/// A product of the catalogue; its id counts only for its app and source.
package struct Product: Hashable, Sendable {
    /// A price to show: a decimal number such as `4.99`, and an ISO 4217 currency code.
    package struct Price: Hashable, Sendable {
        package let amount: String
        package let currency: String

        package init(amount: String, currency: String) {
            self.amount = amount
            self.currency = currency
        }
    }

    package let id: ProductID
    package let source: Source
    package let app: AppID
    package let terms: Terms
    /// The device seats of a pass or plan; nil if the plan id or the tier says them (`semantics.md` §8).
    package let devices: Int?
    /// True if a plan gives as many device seats as its quantity.
    package let seatsFollowQuantity: Bool
    /// Further names by which card billing sells the product: prices, lookup keys and payment links.
    package let cardNames: [ProductID]
    package let price: Price?
    /// The App Store's subscription group of a plan; nil if the catalogue names none.
    package let subscriptionGroup: String?
    /// Titles by language tag (BCP 47), such as `en` or `zh-Hans`.
    package let titles: [String: String]
    package let descriptions: [String: String]

    package init(
        id: ProductID, source: Source = .appleIAP, app: AppID, terms: Terms, devices: Int? = nil,
        seatsFollowQuantity: Bool = false, cardNames: [ProductID] = [], price: Price? = nil,
        subscriptionGroup: String? = nil, titles: [String: String] = [:], descriptions: [String: String] = [:]
    ) {
        self.id = id
        self.source = source
        self.app = app
        self.terms = terms
        self.devices = devices
        self.seatsFollowQuantity = seatsFollowQuantity
        self.cardNames = cardNames
        self.price = price
        self.subscriptionGroup = subscriptionGroup
        self.titles = titles
        self.descriptions = descriptions
    }

    /// The device seats that the product itself gives; nil if its tier says how many.
    package var seats: Int? {
        guard case .plan(_, let planID?, _) = terms else { return devices }
        return devices ?? PlanID(planID)?.seats
    }

    /// Returns the device seats of a purchase of `quantity`, at most 10000; nil if the product's tier says how many.
    package func seats(of quantity: Int) -> Int? {
        seatsFollowQuantity ? min(max(0, quantity), PlanID.maximumSeats) : seats
    }

    /// True if card billing sells the product.
    package var isSoldByCard: Bool { source == .stripe || !cardNames.isEmpty }

    /// The sources that sell the product, the App Store first; none for what only operators grant.
    package var sources: [Source] { (source == .appleIAP ? [.appleIAP] : []) + (isSoldByCard ? [.stripe] : []) }

    /// All names under which card billing sells the product. The plan id of a plan is one of them.
    package var allCardNames: [ProductID] {
        guard isSoldByCard else { return [] }
        guard case .plan(_, let planID?, _) = terms else { return [id] + cardNames }
        return [id] + cardNames + [ProductID(planID)]
    }
}
