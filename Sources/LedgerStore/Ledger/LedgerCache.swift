import Entitlements
import MariaDB
import Synchronization

/// Ledgers as they were last read, each under the hash of its newest entry.
///
/// A ledger only grows, and every entry's hash covers all before it, so a ledger whose head in the database has the hash
/// it has here is the same to the byte, whichever instance wrote it: nothing has to be told to forget. A note is the exception,
/// because no hash covers its words: a ledger with one that goes when somebody else is erased is read anew each time. So is one
/// with a buried purchase, because its hashes cover the tombstone, whatever the purchase is called.
final class LedgerCache: Sendable {
    /// How many entries are kept, of all ledgers together; one takes some 400 bytes.
    private static let capacity = 131_072

    /// A ledger and the rows of its purchases.
    struct Kept: Sendable {
        let head: [UInt8]
        let ledger: UserLedger
        let purchases: [PurchaseKey: UInt64]
        /// What stands in the rows for those of them that are buried.
        let tombstones: [PurchaseKey: PurchaseKey]
    }

    private let kept = Mutex(BoundedCache<UserID, Kept>(capacity: capacity) { $0.ledger.entries.count })

    /// The ledgers under `heads`, of those that have entries: from hand where the hash says so, else from the database.
    /// One that has grown since its head was read comes as it is now.
    func ledgers(under heads: [UserID: UserRow.Head], in session: Session) throws(DatabaseError) -> [UserID: Kept] {
        var ledgers: [UserID: Kept] = [:]
        var missing: [UserID: UInt64] = [:]
        kept.withLock { kept in
            for (user, head) in heads where head.length > 0 {
                if let atHand = kept[user], atHand.head == head.hash {
                    ledgers[user] = atHand
                } else {
                    missing[user] = head.pseudonym
                }
            }
        }
        let entries = try LedgerEntryRow.load(of: missing.values.sorted(), in: session)
        for (user, pseudonym) in missing {
            guard let loaded = entries[pseudonym] else { continue }
            let ledger = Kept(
                head: loaded.head, ledger: UserLedger(user: user, entries: loaded.entries),
                purchases: loaded.purchases, tombstones: loaded.tombstones)
            ledgers[user] = ledger
            keep(ledger)
        }
        return ledgers
    }

    /// Drops what is at hand of somebody.
    func forget(_ user: UserID) {
        kept.withLock { $0[user] = nil }
    }

    /// Keeps what is committed.
    func keep(_ ledger: Kept) {
        guard ledger.tombstones.isEmpty, !ledger.ledger.hasSharedNotes else { return }
        kept.withLock { $0[ledger.ledger.user] = ledger }
    }
}

extension UserLedger {
    /// Whether a note is about a purchase that somebody else has or had, whose erasure takes it out.
    fileprivate var hasSharedNotes: Bool {
        let shared = Set(
            entries.compactMap { entry -> PurchaseKey? in
                switch entry.fact {
                case .gaveAway(let key, _), .received(let key, _): key
                case .evidence, .bound, .granted, .withdrawn, .debtLeft, .debtCame, .credit, .device, .sandboxTester,
                    .consumptionConsent:
                    nil
                }
            })
        guard !shared.isEmpty else { return false }
        return entries.contains { $0.note != nil && $0.fact.purchase.map(shared.contains) ?? false }
    }
}
