package import Entitlements
import MariaDB

extension OperatorReader {
    /// Calls `body` with the ledgers of all people who are not erased, some at a time, without a lock. Ledgers that
    /// cannot be read are only counted. Throws when the database is away.
    ///
    /// - Parameter body: Called with the ledgers, the number of unreadable ones beside them, and the percentage of
    ///   people so far.
    package func ledgers(
        _ body: (_ ledgers: [UserLedger], _ unreadable: Int, _ percent: Int) -> Void
    ) async throws(ServiceFailure) {
        let last = try await pool.ask { (session) throws(DatabaseError) in try UserRow.last(in: session) }
        var place = UInt64(0)
        while true {
            let after = place
            let (people, loaded) = try await pool.ask { (session) throws(DatabaseError) in
                let people = try UserRow.next(after: after, limit: Projection.chunk, in: session)
                return (people, try LedgerEntryRow.loadReadable(people.map(\.pseudonym), in: session))
            }
            guard let newest = people.last?.pseudonym else { return }
            place = newest
            let living = people.filter { !$0.user.isErased }
            let ledgers = living.compactMap { person in
                loaded[person.pseudonym].map { UserLedger(user: person.user, entries: $0.entries) }
            }
            body(ledgers, living.count - ledgers.count, Int(100 * min(newest, last) / max(last, 1)))
        }
    }
}
