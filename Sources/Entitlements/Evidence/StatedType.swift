/// What a store says a product is, in our words; an unknown type is kept, shown and grants nothing.
package enum StatedType: Hashable, Sendable {
    case consumable
    case addOn
    case pass
    case plan
    /// Bought once, and the source does not say what it is: the catalogue does.
    case oneTime
    /// As the store calls it.
    case unknown(String)

    /// Whether a product of `kind` may be stated so; no product may be of a type that nobody knows.
    package func fits(_ kind: ProductKind) -> Bool {
        switch self {
        case .consumable: kind == .consumable
        case .addOn: kind == .addOn
        case .pass: kind == .pass
        case .plan: kind == .plan
        case .oneTime: kind != .plan
        case .unknown: false
        }
    }

    /// A refund stops a pass or takes credits by its share; a window or an add-on is off with any, and where the source
    /// does not say what it is, an add-on is off with all of it.
    func measure(of kind: ProductKind?) -> ShareTrack.Measure {
        switch self {
        case .consumable, .pass, .unknown: .share
        case .addOn, .plan: .whole
        case .oneTime: kind == .addOn ? .all : .share
        }
    }
}
