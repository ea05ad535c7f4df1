/// Something that happened, kept for ever and never edited (`semantics.md` §1).
package enum Fact: Hashable, Sendable {
    /// A store's statement of a purchase that this user owns or owned.
    case stated(Statement)
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
    /// Units were spent, reserved, committed or released.
    case credit(CreditAct)
    /// A device was registered, suspended, seen or removed.
    case device(DeviceAct)
    /// An operator put the user on the list of sandbox testers, or took them off (`semantics.md` §9).
    case sandboxTester(Bool)
    /// The user allowed, or forbade, to tell Apple about their consumption.
    case consumptionConsent(Bool)

    /// The purchase of the fact, if it has one.
    package var purchase: PurchaseKey? {
        switch self {
        case .stated(let statement): statement.key
        case .bound(let key), .withdrawn(let key), .gaveAway(let key, _), .received(let key, _): key
        case .granted(let grant): grant.key
        case .credit, .device, .sandboxTester, .consumptionConsent: nil
        }
    }

    /// The statement, if the fact is one.
    package var statement: Statement? {
        guard case .stated(let statement) = self else { return nil }
        return statement
    }

    /// The signed state of a purchase that the fact is, if it is one.
    package var state: VerifiedPurchase? {
        guard case .stated(.purchase(let state)) = self else { return nil }
        return state
    }

    /// The signed state of a renewal that the fact is, if it is one.
    package var renewal: VerifiedRenewal? {
        guard case .stated(.renewal(let state)) = self else { return nil }
        return state
    }

    /// True if users do such an act by themselves, or a server for them.
    var isUserAct: Bool {
        switch self {
        case .credit, .device, .consumptionConsent: true
        case .stated, .bound, .granted, .withdrawn, .gaveAway, .received, .sandboxTester:
            false
        }
    }

    /// True if the fact is about the purchase itself, not about its owner, and so goes with it to another user.
    package var goesWithPurchase: Bool {
        switch self {
        case .stated, .granted, .withdrawn: true
        case .bound, .gaveAway, .received, .credit, .device, .sandboxTester,
            .consumptionConsent:
            false
        }
    }
}
