/// The type of a product as a store states it. A purchase of an unknown type is recorded and shown, and grants nothing.
package enum StatedType: Hashable, Sendable {
    case consumable
    case addOn
    case pass
    case plan
    /// A one-time purchase whose kind the source does not state; the catalogue gives it.
    case oneTime
    /// A type that this server does not know, by the store's name for it.
    case unknown(String)

    /// True if a purchase of this type may be of a product of `kind`. An unknown type fits no product.
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

    /// Returns how a refund takes from a product of `kind`. A pass and credits lose the refunded share. A window or an
    /// add-on ends with any refund. If the source does not state the kind, an add-on ends only with a full refund.
    func measure(of kind: ProductKind?) -> ShareTrack.Measure {
        switch self {
        case .consumable, .pass, .unknown: .share
        case .addOn, .plan: .whole
        case .oneTime: kind == .addOn ? .all : .share
        }
    }
}
