/// An act that is about no purchase, with the interval in which it holds (`semantics.md` §10): with credits, a device,
/// the list of testers, or a consent.
package struct ExplainedFact: Hashable, Sendable {
    package let entry: LedgerEntry
    /// The place of the entry in the ledger, counted from 1.
    package let number: Int
    /// The purse that an act with credits is about; nil for any other act.
    package let purse: Purse?
    /// The interval in which the act holds. A spend holds for ever, a reservation until it ends, and any other act
    /// until a later one takes its place.
    package let holds: Interval
    /// The reason why the act does not count at the instant asked about; nil while it does.
    package let reason: Explanation.Reason?
    /// The units that the act takes from lots.
    package let draws: [Draw]

    /// The device that the act is about; nil for any other act.
    package var device: Label? {
        guard case .device(let act) = entry.fact else { return nil }
        return act.device
    }

    /// A page of a list of acts, the last recorded act first.
    package struct Page: Sendable {
        package let acts: [ExplainedFact]
        /// True if older acts follow the page.
        package let hasMore: Bool
    }

    /// Returns the last recorded `limit` acts that took effect by `at`, have a place before `number`, and fulfil
    /// `isWanted`.
    package static func page(
        of ledger: UserLedger, at: Instant, under settings: EntitlementSettings, limit: Int, before number: Int = .max,
        where isWanted: (ExplainedFact) -> Bool = { _ in true }
    ) -> Page {
        let countsSandbox = settings.countsSandbox(for: ledger, at: at)
        let reservations = Reservation.all(in: ledger)
        var ends: [Effect.Condition: Instant] = [:]
        var acts: [ExplainedFact] = []
        for (position, entry) in ledger.entries.enumerated().reversed() {
            guard let effect = Effect(of: entry.fact, upon: reservations) else { continue }
            let endsAt = effect.begins.flatMap { ends[$0] }
            for ended in effect.ends { ends[ended] = entry.effectiveAt }
            guard position + 1 < number, entry.effectiveAt <= at else { continue }
            let act = ExplainedFact(
                entry, number: position + 1, effect, until: endsAt, at: at,
                isCounted: effect.purse?.environment != .sandbox || countsSandbox)
            guard isWanted(act) else { continue }
            guard acts.count < limit else { return Page(acts: acts, hasMore: true) }
            acts.append(act)
        }
        return Page(acts: acts, hasMore: false)
    }

    private init(
        _ entry: LedgerEntry, number: Int, _ effect: Effect, until end: Instant?, at: Instant, isCounted: Bool
    ) {
        self.number = number
        let endsAt = [end, effect.deadline].compactMap { $0 }.min().map { max($0, entry.effectiveAt) }
        self.entry = entry
        purse = effect.purse
        draws = effect.draws
        holds = Interval(startsAt: entry.effectiveAt, endsAt: endsAt)
        let hasEnded = endsAt.map { $0 <= at } ?? false
        reason = !isCounted ? .sandboxNotAllowed : !hasEnded ? nil : effect.deadline == nil ? .superseded : .finished
    }
}

extension Reservation {
    fileprivate static func all(in ledger: UserLedger) -> [ReservationID: Reservation] {
        var reservations: [ReservationID: Reservation] = [:]
        for case .credit(.reserved(let reservation)) in ledger.entries.lazy.map(\.fact) {
            reservations[reservation.id] = reservation
        }
        return reservations
    }
}

/// The effect of an act: what it begins, and what it ends.
private struct Effect {
    /// A condition that lasts until a later act ends it.
    enum Condition: Hashable {
        case reserved(ReservationID)
        case onRecord(Label)
        case suspended(Label)
        case reactivated(Label)
        case seen(Label)
        case removed(Label)
        case sandboxTester
        case consumptionConsent
    }

    private(set) var begins: Condition?
    private(set) var ends: [Condition] = []
    private(set) var purse: Purse?
    private(set) var draws: [Draw] = []
    /// The deadline of a reservation; nil for any other act.
    private(set) var deadline: Instant?

    /// Returns nil for a fact about a purchase.
    init?(of fact: Fact, upon reservations: [ReservationID: Reservation]) {
        switch fact {
        case .stated, .bound, .granted, .withdrawn, .gaveAway, .received: return nil
        case .credit(let act): follow(act, upon: reservations)
        case .device(let act): follow(act.deed, of: act.device)
        case .sandboxTester: (begins, ends) = (.sandboxTester, [.sandboxTester])
        case .consumptionConsent: (begins, ends) = (.consumptionConsent, [.consumptionConsent])
        }
    }

    private mutating func follow(_ act: CreditAct, upon reservations: [ReservationID: Reservation]) {
        draws = act.draws
        switch act {
        case .spent(let spend): purse = spend.purse
        case .reserved(let reserved):
            (begins, purse, deadline) = (.reserved(reserved.id), reserved.purse, reserved.expiresAt)
        case .committed(let id, let amount):
            (ends, purse) = ([.reserved(id)], reservations[id]?.purse)
            draws = reservations[id]?.cut(committing: amount).spent ?? []
        case .released(let id): (ends, purse) = ([.reserved(id)], reservations[id]?.purse)
        }
    }

    private mutating func follow(_ deed: DeviceAct.Deed, of device: Label) {
        switch deed {
        case .registered: (begins, ends) = (.onRecord(device), [.onRecord(device), .removed(device)])
        case .suspended: (begins, ends) = (.suspended(device), [.reactivated(device)])
        case .reactivated: (begins, ends) = (.reactivated(device), [.suspended(device)])
        case .seen: (begins, ends) = (.seen(device), [.seen(device)])
        case .removed:
            begins = .removed(device)
            ends = [.onRecord(device), .suspended(device), .reactivated(device), .seen(device)]
        }
    }
}
