import Entitlements
import MariaDB

/// Checks ledgers one after the other, a page of entries at a time.
struct LedgerSweep {
    private let last: UInt64
    private let size: Int
    private var place: ChainedEntry.Place
    /// The unfinished check of the ledger in which the last page ended; the next page may continue this ledger.
    private var walk: LedgerWalk?
    private(set) var isAtEnd = false

    /// - Parameters:
    ///   - people: The pseudonyms of the people whose ledgers are read.
    ///   - page: The number of entries that are read at a time.
    init(of people: ClosedRange<UInt64>, page: Int) {
        last = people.upperBound
        size = page
        place = ChainedEntry.Place(pseudonym: people.lowerBound)
    }

    /// The pseudonym of the person whose ledger was read last.
    var pseudonym: UInt64 { place.pseudonym }

    /// Reads the next page of entries. Throws when the database is away.
    func page(in session: Session) throws(DatabaseError) -> [(entry: ChainedEntry, person: LedgerOwner?)] {
        try ChainedEntry.page(after: place, through: last, limit: size, in: session)
    }

    /// Checks the next page, and returns the checks of the ledgers that ended in it.
    mutating func judge(_ rows: [(entry: ChainedEntry, person: LedgerOwner?)]) -> [LedgerWalk] {
        var ended: [LedgerWalk] = []
        for (entry, person) in rows {
            if let walk, walk.pseudonym != entry.hashed.pseudonym { ended.append(walk) }
            if walk?.pseudonym != entry.hashed.pseudonym { walk = LedgerWalk(of: entry.hashed.pseudonym, person) }
            walk?.judge(entry, of: person)
            place = ChainedEntry.Place(pseudonym: entry.hashed.pseudonym, sequence: entry.hashed.sequence)
        }
        isAtEnd = rows.count < size
        guard isAtEnd else { return ended }
        return ended + (walk.map { [$0] } ?? [])
    }

    /// The pseudonyms of `ledgers` that seem to have a fault. Throws when the database is away.
    static func faulty(of ledgers: [LedgerWalk], in session: Session) throws(DatabaseError) -> [UInt64] {
        let holdings = try Holdings.load(of: ledgers.map(\.pseudonym), in: session)
        return ledgers.filter { !$0.faults(against: holdings[$0.pseudonym] ?? Holdings()).isEmpty }.map(\.pseudonym)
    }
}
