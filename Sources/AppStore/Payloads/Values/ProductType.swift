/// Apple's kinds of in-app purchase, as a transaction spells them (`apple.md` §2.5).
package enum ProductType: RawRepresentable, Hashable, Sendable {
    case consumable
    case nonConsumable
    case nonRenewingSubscription
    case autoRenewableSubscription
    /// A kind that this version does not know. Its purchases are recorded and shown, but give nothing.
    case unknown(String)

    package init(rawValue: String) {
        self =
            switch rawValue {
            case "Consumable": .consumable
            case "Non-Consumable": .nonConsumable
            case "Non-Renewing Subscription": .nonRenewingSubscription
            case "Auto-Renewable Subscription": .autoRenewableSubscription
            default: .unknown(rawValue)
            }
    }

    package var rawValue: String {
        switch self {
        case .consumable: "Consumable"
        case .nonConsumable: "Non-Consumable"
        case .nonRenewingSubscription: "Non-Renewing Subscription"
        case .autoRenewableSubscription: "Auto-Renewable Subscription"
        case .unknown(let rawValue): rawValue
        }
    }
}
