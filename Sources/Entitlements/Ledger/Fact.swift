/// Something that happened, kept for ever and never edited (`semantics.md` §1).
package enum Fact: Hashable, Sendable {
    /// A signed state of a purchase that this user owns or owned.
    case evidence(VerifiedPurchase)
    /// The purchase became this user's, who was the first to have it.
    case bound(PurchaseKey)
    /// An operator gave something.
    case granted(Grant)
    /// An operator took a purchase back, whole.
    case withdrawn(PurchaseKey)
    /// The rest of a purchase went to another user.
    case gaveAway(PurchaseKey, Handover)
    /// The rest of a purchase came from another user.
    case received(PurchaseKey, Handover)
    /// What was owed of a lot went to another user of the same Apple account.
    case debtLeft(PurchaseKey, Debt)
    /// What was owed of a lot came from an erased person of the same Apple account.
    case debtCame(PurchaseKey, Debt)
    /// Units were spent, reserved, committed or released.
    case credit(CreditAct)
    /// A device was registered, suspended, seen or removed.
    case device(DeviceAct)
    /// An operator put the user on the list of sandbox testers, or took them off (`semantics.md` §9).
    case sandboxTester(Bool)
    /// The user allowed, or forbade, to tell Apple about their consumption.
    case consumptionConsent(Bool)

    /// The purchase that the fact is about, if it is about one.
    package var purchase: PurchaseKey? {
        switch self {
        case .evidence(let state): state.key
        case .bound(let key), .withdrawn(let key), .gaveAway(let key, _), .received(let key, _): key
        case .debtLeft(let key, _), .debtCame(let key, _): key
        case .granted(let grant): grant.key
        case .credit, .device, .sandboxTester, .consumptionConsent: nil
        }
    }

    /// The signed state that the fact is, if it is one.
    package var state: VerifiedPurchase? {
        guard case .evidence(let state) = self else { return nil }
        return state
    }

    /// Whether the fact is about the purchase itself, whoever has it, and so goes with it to another user.
    package var goesWithPurchase: Bool {
        switch self {
        case .evidence, .granted, .withdrawn, .debtLeft: true
        case .bound, .gaveAway, .received, .debtCame, .credit, .device, .sandboxTester, .consumptionConsent: false
        }
    }
}
