import Entitlements

/// The values of the column `kind` of `ledger_entries`.
enum FactKind: String, CaseIterable {
    case purchaseState = "purchase_state"
    case renewalState = "renewal_state"
    case bound
    case granted
    case withdrawn
    case gaveAway = "gave_away"
    case received
    case spent
    case reserved
    case committed
    case released
    case deviceRegistered = "device_registered"
    case deviceSuspended = "device_suspended"
    case deviceReactivated = "device_reactivated"
    case deviceSeen = "device_seen"
    case deviceRemoved = "device_removed"
    case sandboxTester = "sandbox_tester"
    case consumptionConsent = "consumption_consent"

    init(of fact: Fact) {
        switch fact {
        case .stated(.purchase): self = .purchaseState
        case .stated(.renewal): self = .renewalState
        case .bound: self = .bound
        case .granted: self = .granted
        case .withdrawn: self = .withdrawn
        case .gaveAway: self = .gaveAway
        case .received: self = .received
        case .credit(let act): self.init(of: act)
        case .device(let act): self.init(of: act.deed)
        case .sandboxTester: self = .sandboxTester
        case .consumptionConsent: self = .consumptionConsent
        }
    }

    private init(of act: CreditAct) {
        switch act {
        case .spent: self = .spent
        case .reserved: self = .reserved
        case .committed: self = .committed
        case .released: self = .released
        }
    }

    private init(of deed: DeviceAct.Deed) {
        switch deed {
        case .registered: self = .deviceRegistered
        case .suspended: self = .deviceSuspended
        case .reactivated: self = .deviceReactivated
        case .seen: self = .deviceSeen
        case .removed: self = .deviceRemoved
        }
    }
}
