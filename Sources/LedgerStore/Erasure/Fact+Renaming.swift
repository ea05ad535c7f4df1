import Entitlements

extension LedgerEntry {
    /// The same with the purchases called as `name` says.
    func renamed(by name: (PurchaseKey) -> PurchaseKey) -> LedgerEntry {
        LedgerEntry(
            effectiveAt: effectiveAt, recordedAt: recordedAt, fact: fact.renamed(by: name), note: note)
    }
}

extension Fact {
    /// The same with the purchases called as `name` says, the lots that were drawn from among them.
    fileprivate func renamed(by name: (PurchaseKey) -> PurchaseKey) -> Fact {
        switch self {
        case .evidence(let state): .evidence(state.renamed(name(state.key)))
        case .bound(let key): .bound(name(key))
        case .granted(let grant): .granted(Grant(key: name(grant.key), gift: grant.gift, grantedAt: grant.grantedAt))
        case .withdrawn(let key): .withdrawn(name(key))
        case .gaveAway(let key, let handover): .gaveAway(name(key), handover)
        case .received(let key, let handover): .received(name(key), handover)
        case .debtLeft(let key, let debt): .debtLeft(name(key), debt)
        case .debtCame(let key, let debt): .debtCame(name(key), debt)
        case .credit(let act): .credit(act.renamed(by: name))
        case .device, .sandboxTester, .consumptionConsent: self
        }
    }
}

extension CreditAct {
    /// The same with the lots called as `name` says.
    func renamed(by name: (PurchaseKey) -> PurchaseKey) -> CreditAct {
        switch self {
        case .spent(let spend):
            .spent(
                Spend(
                    idempotencyKey: spend.idempotencyKey, purse: spend.purse, amount: spend.amount,
                    draws: spend.draws.map { $0.renamed(by: name) }, spendableAfter: spend.spendableAfter))
        case .reserved(let reservation):
            .reserved(
                Reservation(
                    id: reservation.id, idempotencyKey: reservation.idempotencyKey, purse: reservation.purse,
                    amount: reservation.amount, expiresAt: reservation.expiresAt,
                    draws: reservation.draws.map { $0.renamed(by: name) }))
        case .committed, .released: self
        }
    }

    /// The same with tombstones in the places of the caller's names, which are those of an erased person's acts.
    func buried(of pseudonym: UInt64, under key: TombstoneKey) -> CreditAct {
        let name = { key.tombstone(ofAct: $0, of: pseudonym) }
        return switch self {
        case .spent(let spend):
            .spent(
                Spend(
                    idempotencyKey: name(spend.idempotencyKey), purse: spend.purse, amount: spend.amount,
                    draws: spend.draws, spendableAfter: spend.spendableAfter))
        case .reserved(let reservation):
            .reserved(
                Reservation(
                    id: ReservationID(name(reservation.id.text)), idempotencyKey: name(reservation.idempotencyKey),
                    purse: reservation.purse, amount: reservation.amount, expiresAt: reservation.expiresAt,
                    draws: reservation.draws))
        case .committed(let id, let amount): .committed(ReservationID(name(id.text)), amount: amount)
        case .released(let id): .released(ReservationID(name(id.text)))
        }
    }
}

extension Draw {
    fileprivate func renamed(by name: (PurchaseKey) -> PurchaseKey) -> Draw { Draw(lot: name(lot), amount: amount) }
}
