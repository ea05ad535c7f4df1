/// The facts of one user's ledger about one purchase.
struct PurchaseFacts {
    let key: PurchaseKey
    private(set) var boundAt: Instant?
    private(set) var tenures: [Tenure] = []
    private(set) var facts: [PurchaseFact] = []
    private(set) var states: [VerifiedPurchase] = []
    private(set) var renewals: [VerifiedRenewal] = []
    /// The grant, if the purchase is one; a grant has no states.
    private(set) var grant: Grant?
    private(set) var withdrawnAt: Instant?

    init(key: PurchaseKey) { self.key = key }

    /// Returns the facts about each purchase of `ledger`. The purchases are in the order of their first entries.
    static func all(in ledger: UserLedger) -> [PurchaseFacts] {
        var gathered: [PurchaseFacts] = []
        var positions: [PurchaseKey: Int] = [:]
        positions.reserveCapacity(ledger.entries.count / 2)
        for entry in ledger.entries {
            guard let key = entry.fact.purchase else { continue }
            let position = positions[key] ?? gathered.count
            if position == gathered.count {
                positions[key] = position
                gathered.append(PurchaseFacts(key: key))
            }
            gathered[position].add(entry)
        }
        return gathered
    }

    /// The share that an operator's withdrawal takes. It is kept apart from the refunds of the store, so that no
    /// reversal of the store undoes it (`semantics.md` §2).
    var withdrawal: ShareTrack { withdrawnAt.map { ShareTrack(revokedAt: $0) } ?? .untouched }

    mutating func add(_ entry: LedgerEntry) {
        if let fact = PurchaseFact(entry) { facts.append(fact) }
        switch entry.fact {
        case .stated(.purchase(let state)): states.append(state)
        case .stated(.renewal(let state)): renewals.append(state)
        case .granted(let grant): self.grant = self.grant ?? grant
        case .withdrawn: withdrawnAt = min(withdrawnAt ?? entry.effectiveAt, entry.effectiveAt)
        case .bound: begin(Tenure(), entry)
        case .received(_, let handover): begin(Tenure(startsAt: entry.effectiveAt, arrival: handover), entry)
        case .gaveAway(_, let handover): end(handover, entry)
        case .credit, .device, .sandboxTester, .consumptionConsent: break
        }
    }

    /// Begins a tenure, unless the user has the purchase already.
    private mutating func begin(_ tenure: Tenure, _ entry: LedgerEntry) {
        if let last = tenures.last, last.endsAt == nil { return }
        boundAt = boundAt ?? entry.recordedAt
        tenures.append(tenure)
    }

    private mutating func end(_ handover: Handover, _ entry: LedgerEntry) {
        guard let last = tenures.indices.last, tenures[last].endsAt == nil else { return }
        tenures[last].endsAt = entry.effectiveAt
        tenures[last].departure = handover
    }
}
