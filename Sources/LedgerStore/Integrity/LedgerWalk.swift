import Entitlements

/// Checks one ledger entry by entry: recomputes its chain of hashes, and follows which purchases the person has and
/// had.
struct LedgerWalk {
    /// The most defects of one ledger that are reported; more would tell nothing new.
    private static let maximumDefects = 20

    let pseudonym: UInt64
    /// The ledger's owner and head, as last read; nil if nobody has the pseudonym.
    private var person: LedgerOwner?
    private var previous = UserRow.Head.start
    private var sequence = 0
    /// The purchases that the person has and had, according to the ledger.
    private var owned: Set<UInt64> = []
    private var held: Set<UInt64> = []
    private var defects: [LedgerFault.Defect] = []

    init(of pseudonym: UInt64, _ person: LedgerOwner?) {
        self.pseudonym = pseudonym
        self.person = person
    }

    /// Checks the next entry; `person` is the owner, as read together with the entry.
    mutating func judge(_ entry: ChainedEntry, of person: LedgerOwner?) {
        self.person = person
        let missing = (sequence + 1)..<max(sequence + 1, entry.hashed.sequence)
        for sequence in missing.prefix(Self.maximumDefects) { note(.missing(sequence: sequence)) }
        sequence = entry.hashed.sequence
        if entry.hashed.bytes(after: previous) != entry.hash { note(.edited(sequence: sequence)) }
        if !entry.isPurchaseWhole { note(.purchaseEdited(sequence: sequence, row: entry.hashed.purchase ?? 0)) }
        if !entry.isStateWhole { note(.stateEdited(sequence: sequence, row: entry.hashed.state ?? 0)) }
        if !entry.isNoteWhole(erased: person?.user.isErased ?? true) { note(.noteEdited(sequence: sequence)) }
        previous = entry.hash
        follow(entry)
    }

    /// The faults of the ledger, after its last entry. `rows` are the purchases that the person has and had according
    /// to the other tables.
    func faults(against rows: Holdings) -> [LedgerFault] {
        guard let person else { return [fault(.nobodys, of: .erased(pseudonym: pseudonym))] }
        var defects = defects
        if sequence != person.head.length || previous != person.head.hash { defects.append(.head) }
        defects += rows.owned.subtracting(owned).sorted().map { .notOwned(purchase: $0) }
        defects += owned.subtracting(rows.owned).sorted().map { .disowned(purchase: $0) }
        defects += rows.held.symmetricDifference(held).sorted().map { .notHeld(purchase: $0) }
        return defects.map { fault($0, of: person.user) }
    }

    private func fault(_ defect: LedgerFault.Defect, of user: UserID) -> LedgerFault {
        LedgerFault(user: user, pseudonym: pseudonym, defect: defect)
    }

    private mutating func follow(_ entry: ChainedEntry) {
        guard let purchase = entry.hashed.purchase, let kind = FactKind(rawValue: entry.hashed.kind) else { return }
        switch kind {
        case .bound, .received: owned.insert(purchase)
        case .gaveAway:
            owned.remove(purchase)
            held.insert(purchase)
        case .purchaseState, .renewalState, .granted, .withdrawn, .spent, .reserved,
            .committed, .released, .deviceRegistered,
            .deviceSuspended, .deviceReactivated, .deviceSeen, .deviceRemoved, .sandboxTester, .consumptionConsent:
            break
        }
    }

    private mutating func note(_ defect: LedgerFault.Defect) {
        guard defects.count < Self.maximumDefects else { return }
        defects.append(defect)
    }
}
