package import Entitlements
package import MariaDB

/// Recomputes the chains of hashes from the tables and says what does not agree: edits, deletions, swaps and truncation.
package struct LedgerAudit: Sendable {
    /// How many people one transaction reads.
    private static let chunk = 100

    private static let nextPeople = Statement(
        "people to audit",
        """
        SELECT pseudonym, user_id, ledger_length, last_recorded_at, head_hash FROM users WHERE pseudonym > ?
        ORDER BY pseudonym LIMIT \(chunk) FOR UPDATE
        """)

    private static let one = Statement(
        "person to audit",
        """
        SELECT pseudonym, user_id, ledger_length, last_recorded_at, head_hash FROM users
        WHERE user_id = ? OR pseudonym = ? AND user_id IS NULL FOR UPDATE
        """)

    private static let strays = Statement(
        "entries of nobody",
        """
        SELECT l.user_id, MIN(l.seq) FROM ledger_entries l LEFT JOIN users u ON u.pseudonym = l.user_id
        WHERE u.pseudonym IS NULL GROUP BY l.user_id
        """)

    private let pool: Pool

    package init(pool: Pool) {
        self.pool = pool
    }

    /// What is wrong with the ledger of `user`; nothing for one never seen. Throws when the database is away.
    package func faults(of user: UserID) async throws(DatabaseError) -> [LedgerFault] {
        try await pool.transaction { (session) throws(DatabaseError) in
            let name: Value = user.isErased ? .null : .text(user.text)
            return try faults(of: people(session.query(Self.one, [name, Value(user.pseudonym)])), in: session)
        }
    }

    /// What is wrong with any ledger, some people at a time under their locks, while the server goes on. Throws when the
    /// database is away.
    package func faults() async throws(DatabaseError) -> [LedgerFault] {
        var faults: [LedgerFault] = []
        var last: UInt64? = 0
        while let after = last {
            let found = try await pool.transaction { (session) throws(DatabaseError) in
                let people = try people(session.query(Self.nextPeople, [.uint64(after)]))
                return (try self.faults(of: people, in: session), people.last?.head.pseudonym)
            }
            faults += found.0
            last = found.1
        }
        let strays = try await pool.with { (session) throws(DatabaseError) in
            try session.query(Self.strays) { (row) throws(DatabaseError) in
                LedgerFault(
                    user: .erased(pseudonym: try row.uint64(0)), defect: .missing(sequence: try row.int(1)))
            }
        }
        return faults + strays
    }

    /// Somebody, and where their ledger should end.
    private typealias Person = (user: UserID, head: UserRow.Head)

    private func people(_ rows: [Row]) throws(DatabaseError) -> [Person] {
        try rows.map { (row) throws(DatabaseError) in
            (
                try UserRow.user(row, at: 1, pseudonym: 0),
                UserRow.Head(
                    pseudonym: try row.uint64(0), length: try row.int(2),
                    lastRecordedAt: Instant(milliseconds: try row.int64(3)), hash: try row.bytes(4))
            )
        }
    }

    private func faults(of people: [Person], in session: Session) throws(DatabaseError) -> [LedgerFault] {
        let entries = try AuditedEntry.load(of: people.map(\.head.pseudonym), in: session)
        return people.flatMap { person in
            faults(in: entries[person.head.pseudonym] ?? [], of: person)
        }
    }

    private func faults(in entries: [AuditedEntry], of person: Person) -> [LedgerFault] {
        var defects: [LedgerFault.Defect] = []
        var previous = UserRow.Head.start
        var sequence = 0
        for entry in entries {
            sequence += 1
            while sequence < entry.hashed.sequence {
                defects.append(.missing(sequence: sequence))
                sequence += 1
            }
            if entry.hashed.bytes(after: previous) != entry.hash { defects.append(.edited(sequence: sequence)) }
            if !entry.isStateWhole { defects.append(.stateEdited(sequence: sequence)) }
            if !entry.isNoteWhole(erased: person.user.isErased) { defects.append(.noteEdited(sequence: sequence)) }
            previous = entry.hash
        }
        if sequence != person.head.length || previous != person.head.hash { defects.append(.head) }
        return defects.map { LedgerFault(user: person.user, defect: $0) }
    }
}
