import Entitlements
import MariaDB

/// The chains of erased people's ledgers, made anew over what is left of them: an entry's hash covers numbers that are tombstones
/// now.
///
/// What was not whole before is not made whole: an entry that did not agree with its hash keeps that, and so does a head that
/// did not stand at the last entry.
struct RemadeChains {
    /// A ledger whose chain was made anew: how many entries, and the hash of the last one before and after.
    struct Ledger {
        let pseudonym: UInt64
        let length: Int
        let before: [UInt8]
        let after: [UInt8]
    }

    private static let setHash = Statement(
        "remake entry", "UPDATE ledger_entries SET hash = ? WHERE user_id = ? AND seq = ?")

    private static let moveHead = Statement(
        "remake head", "UPDATE users SET head_hash = ? WHERE pseudonym = ? AND head_hash = ?")

    /// By pseudonym, for each entry in its order whether it was whole.
    private let wholeness: [UInt64: [Bool]]

    /// Reads the ledgers of `erased` people and of the one under `pseudonym`, who is about to be. Throws when the database is
    /// away.
    init(of pseudonym: UInt64, and erased: Set<UInt64>, in session: Session) throws(DatabaseError) {
        let entries = try AuditedEntry.load(of: erased.union([pseudonym]).sorted(), in: session)
        wholeness = Dictionary(
            uniqueKeysWithValues: entries.map { person, entries in
                let previous = [UserRow.Head.start] + entries.map(\.hash)
                return (person, zip(entries, previous).map { $0.isWhole(after: $1, erased: person != pseudonym) })
            })
    }

    /// Writes the hashes of the ledgers of `people`, as they are now. Throws when the database is away.
    func write(of people: Set<UInt64>, in session: Session) throws(DatabaseError) -> [Ledger] {
        var remade: [Ledger] = []
        var hashes: [[Value]] = []
        let ledgers = try AuditedEntry.load(of: people.sorted(), in: session)
        for (person, entries) in ledgers.sorted(by: { $0.key < $1.key }) {
            guard let last = entries.last, let wholeness = wholeness[person] else { continue }
            var previous = UserRow.Head.start
            for (entry, isWhole) in zip(entries, wholeness) {
                if isWhole { previous = entry.hashed.bytes(after: previous) } else { previous = entry.hash }
                guard previous != entry.hash else { continue }
                hashes.append([.bytes(previous), .uint64(person), Value(entry.hashed.sequence)])
            }
            guard previous != last.hash else { continue }
            remade.append(
                Ledger(pseudonym: person, length: last.hashed.sequence, before: last.hash, after: previous))
        }
        try session.executeBulk(Self.setHash, hashes)
        try session.executeBulk(
            Self.moveHead, remade.map { [.bytes($0.after), .uint64($0.pseudonym), .bytes($0.before)] })
        return remade
    }
}
