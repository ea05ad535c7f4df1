import Entitlements
import MariaDB

extension Projection {
    /// The stored rows that do not follow from the ledgers: standings, and rows of `subscriptions`. Rows that wait to
    /// be made anew, and standings of an instance with other settings, are not judged.
    ///
    /// People are read in pages, without locks, so a change meanwhile looks like a fault. Rows that seem to have one
    /// are checked again under the person's lock. `onPage` is called after each page. Throws when the database is away.
    ///
    /// - Parameters:
    ///   - known: The faults of ledgers; nothing is derived from these ledgers.
    ///   - pseudonym: The person whose rows alone are checked; nil for everybody.
    func faults(
        given catalogue: CatalogueVersions, besides known: [LedgerFault], of pseudonym: UInt64? = nil,
        onPage: @Sendable () async -> Void = {}
    ) async throws(ServiceFailure) -> [LedgerFault] {
        let torn = Set(known.map(\.pseudonym))
        var faults: [LedgerFault] = []
        var place: UInt64? = pseudonym.map { $0 - 1 } ?? 0
        while let after = place, faults.count < LedgerCheck.maximumFaults {
            let limit = pseudonym == nil ? Self.chunk : 1
            let (last, seeming) = try await pool.ask { (session) throws(DatabaseError) in
                let people = try UserRow.next(after: after, limit: limit, in: session)
                let whole = people.filter {
                    !torn.contains($0.pseudonym) && (pseudonym == nil || $0.pseudonym == pseudonym)
                }
                let found = try self.faults(of: whole, given: catalogue, in: session)
                return (people.last?.pseudonym, Set(found.map(\.pseudonym)).sorted())
            }
            for person in seeming {
                faults += try await pool.commit { (session) throws(DatabaseError) in
                    let locked = try UserRow.lockNext(after: person - 1, limit: 1, in: session)
                    return try self.faults(
                        of: locked.filter { $0.pseudonym == person }, given: catalogue, in: session)
                }
            }
            place = pseudonym == nil ? last : nil
            await onPage()
        }
        return faults
    }

    private func faults(
        of people: [UserRow.Person], given catalogue: CatalogueVersions, in session: Session
    ) throws(DatabaseError) -> [LedgerFault] {
        let ids = people.map(\.pseudonym)
        let stored = try StandingRow.stored(of: ids, in: session)
        let ledgers = try LedgerEntryRow.load(from: ids.map { .init(pseudonym: $0, after: 0) }, in: session)
        let columns = try StandingRow.columns(of: ids, in: session)
        let listed = Dictionary(grouping: try SubscriptionRow.load(of: ids, in: session), by: \.user)
        var faults: [LedgerFault] = []
        for person in people {
            guard let loaded = ledgers[person.pseudonym], let row = stored[person.pseudonym],
                row.basis.number == basis(given: catalogue).number
            else { continue }
            let ledger = UserLedger(user: person.user, entries: loaded.entries)
            let timeline = Timeline(
                folding: ledger, given: catalogue, settings: settings, testersAt: row.holdsFrom)
            let rows = subscriptions(of: timeline, person.pseudonym) { loaded.purchases[$0] }
            if Set(rows) != Set(listed[person.pseudonym] ?? []) {
                faults.append(LedgerFault(user: person.user, pseudonym: person.pseudonym, defect: .subscriptions))
            }
            guard row.length == loaded.length, row.basis == basis(given: catalogue) else { continue }
            let made = standing(
                of: ledger, in: timeline, person.pseudonym, length: loaded.length, at: row.holdsFrom)
            if made?.columns != columns[person.pseudonym] {
                faults.append(LedgerFault(user: person.user, pseudonym: person.pseudonym, defect: .standing))
            }
        }
        return faults
    }
}
