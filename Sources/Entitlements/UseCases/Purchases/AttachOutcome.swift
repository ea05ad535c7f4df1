/// The outcome of an attach; the raw value is what the API writes (`api.md`, "Attach").
package enum AttachOutcome: String, Hashable, Sendable, CaseIterable {
    /// The purchase is now this user's and gives something, gave something, or will.
    case attached
    /// The purchase was this user's already, and nothing changed.
    case alreadyAttached = "already_attached"
    /// The purchase is this user's, but was refunded or withdrawn.
    case revoked
    /// The purchase is genuine and this user's, but gives nothing now (`semantics.md` §1).
    case recorded
}

/// The reason why an attached purchase gives nothing; the raw value is what the API writes.
package enum AttachReason: String, Hashable, Sendable, CaseIterable {
    case unknownProduct = "unknown_product"
    case productTypeMismatch = "product_type_mismatch"
    case familyShared = "family_shared"
    case quarantined
    case sandboxNotAllowed = "sandbox_not_allowed"
    case endedBeforeAttached = "ended_before_attached"
}

extension AttachOutcome {
    /// Returns the outcome of an attach from the claim and the present disposition of the purchase. A repeat differs
    /// from the first attach only by `already_attached` in place of `attached`.
    package static func of(
        _ claim: Claim, disposition: Disposition?
    ) -> (outcome: AttachOutcome, reason: AttachReason?) {
        let attached = claim == .alreadyTheirs ? AttachOutcome.alreadyAttached : .attached
        return switch disposition {
        case .counts, nil: (attached, nil)
        case .endedBeforeAttached: (attached, .endedBeforeAttached)
        case .revoked: (.revoked, nil)
        case .recorded(let obstacle): (.recorded, AttachReason(obstacle))
        }
    }
}

extension AttachReason {
    init(_ obstacle: Purchase.Obstacle) {
        self =
            switch obstacle {
            case .unknownProduct: .unknownProduct
            case .productTypeMismatch: .productTypeMismatch
            case .familyShared: .familyShared
            case .quarantined: .quarantined
            case .sandboxNotAllowed: .sandboxNotAllowed
            }
    }
}
