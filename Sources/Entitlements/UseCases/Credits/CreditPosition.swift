/// The credits of a user at the instant of the next act.
struct CreditPosition {
    let timeline: Timeline
    /// The instant from which the next act holds. It is `now`, but not before the last act. It may also lie up to five
    /// minutes ahead, at the beginning of a lot, so that a purchase by a clock ahead of ours can be spent at once
    /// (`semantics.md` §2).
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

    /// Returns the act under an idempotency key. Keys belong to the user and are kept for ever.
    func entry(under idempotencyKey: Label) -> CreditEntry? {
        timeline.purses.lazy.compactMap { $0.entry(.idempotencyKey(idempotencyKey)) }.first
    }

    /// Returns the lots from which `amount` would be drawn, and the spendable units afterwards.
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

    /// Returns a reservation of the user and its fate; nil if the user has none with this id.
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

    /// Returns the answer about the units in `draws`, with the balance of the purse after `act`.
    func receipt(for draws: [Draw], of purse: Purse, after act: CreditAct? = nil) -> SpendReceipt {
        let facts = timeline.facts(of: purse)
        let after = act.flatMap { facts.adding(CreditEntry($0, at: at)) } ?? facts
        let state = after.state(at: at)
        return SpendReceipt(
            spent: draws.reduce(0) { $0 + $1.amount }, draws: draws, spendable: state.spendable, debt: state.debt)
    }
}

/// The state of a reservation: held, or how it ended.
enum ReservationFate: Hashable {
    case held
    case committed(Int)
    case released
    /// The reservation's deadline has passed.
    case ended
}
