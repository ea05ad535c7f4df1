/// Something that happened, kept for ever and never edited (`semantics.md` §1).
package enum Fact: Hashable, Sendable {
    /// A source stated something about a purchase that the user has or had.
    case stated(Statement)
    /// The user got the purchase, and nobody had it before.
    case bound(PurchaseKey)
    /// An operator gave something.
    case granted(Grant)
    /// An operator withdrew a whole purchase or grant.
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

    /// The purchase that the fact is about; nil for an act with credits, a device, the list of testers or a consent.
    package var purchase: PurchaseKey? {
        switch self {
        case .stated(let statement): statement.key
        case .bound(let key), .withdrawn(let key), .gaveAway(let key, _), .received(let key, _): key
        case .granted(let grant): grant.key
        case .credit, .device, .sandboxTester, .consumptionConsent: nil
        }
    }

    /// The statement of a store; nil for any other fact.
    package var statement: Statement? {
        guard case .stated(let statement) = self else { return nil }
        return statement
    }

    /// The signed state of a purchase; nil for any other fact.
    package var state: VerifiedPurchase? {
        guard case .stated(.purchase(let state)) = self else { return nil }
        return state
    }

    /// The signed state of a renewal; nil for any other fact.
    package var renewal: VerifiedRenewal? {
        guard case .stated(.renewal(let state)) = self else { return nil }
        return state
    }

    /// True for an act that users do by themselves, or a server does for them: with credits, a device or the consent.
    var isUserAct: Bool {
        switch self {
        case .credit, .device, .consumptionConsent: true
        case .stated, .bound, .granted, .withdrawn, .gaveAway, .received, .sandboxTester:
            false
        }
    }

    /// True if the fact is about the purchase itself and not about its owner. On a transfer the receiver's ledger gets
    /// it too.
    package var goesWithPurchase: Bool {
        switch self {
        case .stated, .granted, .withdrawn: true
        case .bound, .gaveAway, .received, .credit, .device, .sandboxTester,
            .consumptionConsent:
            false
        }
    }
}
