/// A user's credits as their next act finds them.
struct CreditPosition {
    let timeline: Timeline
    /// When the act will hold: now, but never before the act that happened before it, nor before a lot became theirs by
    /// a clock that is ahead of ours by what is forgiven (`semantics.md` §2). So what was just bought can be spent.
    let at: Instant

    init(
        of user: UserID, given history: PurchaseHistory, in catalogue: CatalogueVersions,
        _ settings: EntitlementSettings
    ) {
        let ledger = history.ledgers[user] ?? UserLedger(user: user)
        timeline = Timeline(folding: ledger, given: catalogue, settings: settings)
        let forgiven = history.now + Attach.forgivenDifference
        let begun = timeline.purses.flatMap(\.holdings).flatMap { $0.stakes.map(\.startsAt) }
        let heldSince = begun.filter { $0 <= forgiven }.max() ?? .distantPast
        let lastActAt = timeline.purses.compactMap { $0.entries.last?.effectiveAt }.max() ?? .distantPast
        at = max(history.now, heldSince, lastActAt)
    }

    /// The act that was recorded under an idempotency key; keys belong to the user and are kept for ever.
    func entry(under idempotencyKey: Label) -> CreditEntry? {
        timeline.purses.lazy.compactMap { $0.entry(.idempotencyKey(idempotencyKey)) }.first
    }

    /// Where `amount` is drawn from, and what is spendable afterwards.
    func draw(_ amount: CreditAmount, from purse: Purse) -> Result<(draws: [Draw], spendableAfter: Int), DrawRefusal> {
        guard isKnown(purse.unit) else { return .failure(.unknownUnit) }
        guard timeline.counts(purse.environment) else { return .failure(.insufficientCredits) }
        let state = timeline.facts(of: purse).state(at: at)
        guard state.debt == 0 else { return .failure(.inDebt) }
        guard let draws = state.draws(of: amount.units) else { return .failure(.insufficientCredits) }
        return .success((draws, state.spendable - amount.units))
    }

    /// True if the user ever had units of this name, or the catalogue ever sold them.
    private func isKnown(_ unit: String) -> Bool {
        timeline.purses.contains { $0.purse.unit == unit }
            || timeline.catalogue.versions.contains { version in
                version.catalogue.products.contains { product in
                    guard case .consumable(unit, _, _) = product.terms else { return false }
                    return true
                }
            }
    }

    /// A reservation of the user and what became of it; nil when they made none by this name.
    func reservation(_ id: ReservationID) -> (reservation: Reservation, fate: ReservationFate)? {
        for facts in timeline.purses {
            guard case .reserved(let reservation)? = facts.entry(.reservation(id))?.act else { continue }
            return switch facts.entry(.end(of: id))?.act {
            case .committed(_, let amount)?: (reservation, .committed(amount))
            case .released?: (reservation, .released)
            case .spent?, .reserved?, nil: (reservation, reservation.expiresAt <= at ? .ended : .held)
            }
        }
        return nil
    }

    /// The answer about units that `draws` name, with the purse as it is once `act` is added.
    func receipt(for draws: [Draw], of purse: Purse, after act: CreditAct? = nil) -> SpendReceipt {
        let facts = timeline.facts(of: purse)
        let after = act.flatMap { facts.adding(CreditEntry($0, at: at)) } ?? facts
        let state = after.state(at: at)
        return SpendReceipt(
            spent: draws.reduce(0) { $0 + $1.amount }, draws: draws, spendable: state.spendable, debt: state.debt)
    }
}

/// The fate of a reservation.
enum ReservationFate: Hashable {
    case held
    case committed(Int)
    case released
    /// The reservation's deadline has passed.
    case ended
}
