/// A fact as timelines tell it.
extension Fact {
    /// What kind of fact it is, as the API writes it.
    package var kindText: String {
        switch self {
        case .evidence: "state"
        case .bound: "bound"
        case .granted: "granted"
        case .withdrawn: "withdrawn"
        case .gaveAway: "gave_away"
        case .received: "received"
        case .debtLeft: "debt_left"
        case .debtCame: "debt_came"
        case .credit: "credit"
        case .device: "device"
        case .sandboxTester: "sandbox_tester"
        case .consumptionConsent: "consumption_consent"
        }
    }

    /// What happened, in plain English; the entry's two times stand beside it. `date` writes the instants that the fact
    /// itself speaks of, such as when a purchase was made.
    package func sentence(writing date: (Instant) -> String) -> String {
        switch self {
        case .evidence(let state): state.sentence(writing: date)
        case .bound(let key): "Purchase \(key.externalID) became the user's."
        case .granted(let grant): "An operator gave \(grant.gift.words(writing: date))."
        case .withdrawn(let key): "An operator took purchase \(key.externalID) back."
        case .gaveAway(let key, let handover):
            "The rest of purchase \(key.externalID) went to another user, \(handover.cause.words)."
        case .received(let key, let handover):
            "The rest of purchase \(key.externalID) came from another user, \(handover.cause.words)."
        case .debtLeft(let key, let debt):
            "\(debt.refunds.count) of \(debt.unit) that were owed for purchase \(key.externalID) went to another user "
                + "of the same Apple account."
        case .debtCame(_, let debt):
            "\(debt.refunds.count) of \(debt.unit) that are owed for an earlier purchase of the same Apple account came along."
        case .credit(let act): act.sentence
        case .device(let act): "Device \(act.device) was \(act.deed.words)."
        case .sandboxTester(true): "The user was put on the list of sandbox testers."
        case .sandboxTester(false): "The user was taken off the list of sandbox testers."
        case .consumptionConsent(true): "The user allowed to tell Apple about their consumption."
        case .consumptionConsent(false): "The user forbade to tell Apple about their consumption."
        }
    }
}

extension VerifiedPurchase {
    fileprivate func sentence(writing date: (Instant) -> String) -> String {
        let what = "Transaction \(transactionID) of \(productID)"
        guard let revocation else { return "\(what) was shown as bought on \(date(purchasedAt)) and not taken back." }
        let day = date(revocation.revokedAt)
        guard let share = revocation.share, share < Revocation.fullShare else {
            return "\(what) was shown as taken back whole on \(day)."
        }
        return "\(what) was shown as taken back on \(day), \(share) of \(Revocation.fullShare) of its price."
    }
}

extension Grant.Gift {
    fileprivate func words(writing date: (Instant) -> String) -> String {
        switch self {
        case .pass(let tier, let length): "\(length / Instant.millisecondsPerHour) hours of \(tier)"
        case .window(let tier, let endsAt): "\(tier) until \(date(endsAt))"
        case .addOn(let product, _): "the add-on \(product)"
        case .credits(let unit, let amount, let expiresAt):
            "\(amount) of \(unit)" + (expiresAt.map { " until \(date($0))" } ?? "")
        }
    }
}

extension Handover.Cause {
    fileprivate var words: String {
        switch self {
        case .policy: "because the same Apple account sent it"
        case .operator: "by an operator"
        case .merge: "because a guest's account was merged"
        case .reclaim: "because the same Apple account claimed what an erased person had"
        }
    }
}

extension CreditAct {
    fileprivate var sentence: String {
        switch self {
        case .spent(let spend): "\(spend.amount) of \(spend.purse.unit) were spent."
        case .reserved(let reservation):
            "\(reservation.amount) of \(reservation.purse.unit) were reserved as \(reservation.id)."
        case .committed(let id, let amount): "\(amount) of reservation \(id) were spent."
        case .released(let id): "Reservation \(id) was released."
        }
    }
}

extension DeviceAct.Deed {
    fileprivate var words: String {
        switch self {
        case .registered: "registered"
        case .suspended: "suspended by the user"
        case .reactivated: "reactivated"
        case .seen: "seen"
        case .removed: "removed"
        }
    }
}
