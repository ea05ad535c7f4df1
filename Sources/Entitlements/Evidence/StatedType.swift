/// The type of a product as a store states it, in our words; an unknown type is kept, shown and grants nothing.
package enum StatedType: Hashable, Sendable {
    case consumable
    case addOn
    case pass
    case plan
    /// Bought once, and the source does not say what it is: the catalogue does.
    case oneTime
    /// A type that is not known here, by the store's name.
    case unknown(String)

    /// True if a product of `kind` may be stated as this type; no product may be of an unknown type.
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
