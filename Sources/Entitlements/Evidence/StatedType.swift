/// What a store says a product is, in our words; an unknown type is kept, shown and grants nothing.
package enum StatedType: Hashable, Sendable {
    case consumable
    case addOn
    case pass
    case plan
    /// As the store calls it.
    case unknown(String)

    /// The catalogue's kind that this type must have; nil for a type that nobody knows.
    package var kind: ProductKind? {
        switch self {
        case .consumable: .consumable
        case .addOn: .addOn
        case .pass: .pass
        case .plan: .plan
        case .unknown: nil
        }
    }

    /// A refund stops a pass or takes credits by its share; a window or an add-on is off with any.
    var measure: ShareTrack.Measure {
        switch self {
        case .consumable, .pass, .unknown: .share
        case .addOn, .plan: .whole
        }
    }
}
