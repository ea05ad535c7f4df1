import Entitlements
import MariaDB
import Synchronization

/// A cache of long ledgers as they were last read, each with the hash of its newest entry. A short ledger is read anew
/// each time, because that costs hardly more than its head (`docs/performance.md`).
///
/// A ledger only grows, and every entry's hash covers all entries before it. So a cached ledger is current, byte for
/// byte, if its hash equals the hash of the head in the database, whichever instance wrote it. No cached ledger needs
/// to be invalidated.
///
/// If a ledger has grown, only its new entries are read. Heavy ledgers have a cache of their own, so that they do not
/// push out the other ledgers.
final class LedgerCache: Sendable {
    /// The number of entries from which on a ledger is cached, with its computed timeline.
    static let longLength = 256

    /// The capacities in bytes: of the cache of ledgers that are long, and of the cache of heavy ones. A single ledger
    /// may be larger.
    private static let capacities = (usual: 16 << 20, heavy: 8 << 20)

    /// A ledger, and the ids of the rows of its purchases.
    struct CachedLedger: Sendable {
        let pseudonym: UInt64
        /// The number of entries in the database, including entries that this program cannot read, and the hash of the
        /// newest.
        let length: Int
        let head: [UInt8]
        let ledger: UserLedger
        let purchases: [PurchaseKey: UInt64]

        /// The approximate memory that the cached ledger takes.
        fileprivate var bytes: Int {
            let bytesPerEntry = Self.bytesPerEntry + (ledger.isFolded ? Self.bytesPerFoldedEntry : 0)
            return 256 + ledger.entries.count * bytesPerEntry + purchases.count * 64
        }

        /// The memory of an entry in the list, and of the state and keys that it refers to.
        private static let bytesPerEntry = MemoryLayout<LedgerEntry>.stride + 256
        /// The additional memory of an entry, in the timeline and its index, if the ledger keeps its computed timeline.
        private static let bytesPerFoldedEntry = MemoryLayout<CreditEntry>.stride + 96
    }

    /// The cached ledgers, in a cache each for usual and heavy ones.
    private struct State {
        var usual = BoundedCache<UserID, CachedLedger>(capacity: capacities.usual) { $0.bytes }
        var heavy = BoundedCache<UserID, CachedLedger>(capacity: capacities.heavy) { $0.bytes }
        /// The users whose ledgers are known to be heavy, even if they are not cached.
        var knownHeavy = BoundedCache<UserID, Bool>(capacity: 16_384)

        subscript(user: UserID) -> CachedLedger? {
            mutating get { usual[user] ?? heavy[user] }
            set {
                let isHeavy = newValue.map { UserRow.Head.isHeavy(length: $0.length) } ?? false
                usual[user] = isHeavy ? nil : newValue
                heavy[user] = isHeavy ? newValue : nil
                knownHeavy[user] = isHeavy ? true : nil
            }
        }
    }

    private let state = Mutex(State())

    /// The ledgers with these `heads`; a ledger without entries is left out.
    ///
    /// A ledger comes from the cache if its hash is that of its head. Otherwise the missing entries are read from the
    /// database.
    func ledgers(under heads: [UserID: UserRow.Head], in session: Session) throws(DatabaseError) -> [UserID:
        CachedLedger]
    {
        var ledgers: [UserID: CachedLedger] = [:]
        var grown: [UserID: CachedLedger] = [:]
        state.withLock { state in
            for (user, head) in heads where head.length > 0 {
                guard let known = state[user], known.pseudonym == head.pseudonym else { continue }
                if known.head == head.hash {
                    ledgers[user] = known
                } else if known.length < head.length {
                    grown[user] = known
                }
            }
        }
        let missing = heads.filter { user, head in head.length > 0 && ledgers[user] == nil }
        let read = try read(missing, behind: grown, in: session)
        for ledger in read { keep(ledger) }
        ledgers.merge(read.map { ($0.ledger.user, $0) }) { $1 }
        return ledgers
    }

    /// The users whose ledgers would take so long to read that others should not wait: the entries that are not in the
    /// cache are as many as those of a heavy ledger.
    func heavy(of heads: [UserID: UserRow.Head]) -> Set<UserID> {
        let long = heads.filter(\.value.isHeavy)
        guard !long.isEmpty else { return [] }
        noteHeavy(Set(long.keys))
        return state.withLock { state in
            Set(
                long.keys.filter { user in
                    let known = state[user].map { $0.pseudonym == long[user]?.pseudonym ? $0.length : 0 } ?? 0
                    return UserRow.Head.isHeavy(length: (long[user]?.length ?? 0) - known)
                })
        }
    }

    /// True if the ledger of `user` is known to be heavy, cached or not.
    func isHeavy(_ user: UserID) -> Bool {
        state.withLock { $0.knownHeavy[user] != nil }
    }

    /// Remembers that the ledgers of `users` are heavy.
    func noteHeavy(_ users: Set<UserID>) {
        state.withLock { state in
            for user in users { state.knownHeavy[user] = true }
        }
    }

    /// Removes the ledger of `user` from the cache.
    func forget(_ user: UserID) {
        state.withLock { $0[user] = nil }
    }

    /// Caches a ledger whose entries are all committed, if it is long.
    func keep(_ ledger: CachedLedger) {
        guard ledger.length >= Self.longLength else { return }
        state.withLock { $0[ledger.ledger.user] = ledger }
    }

    /// The ledgers with these `heads`. If `grown` has the beginning of a ledger, only the later entries are read;
    /// otherwise the ledger is read from its start.
    private func read(
        _ heads: [UserID: UserRow.Head], behind grown: [UserID: CachedLedger], in session: Session
    ) throws(DatabaseError) -> [CachedLedger] {
        var loaded: [UserID: LedgerEntryRow.Loaded] = [:]
        let usual = heads.filter { !$0.value.isHeavy }
        let places = usual.sorted { $0.value.pseudonym < $1.value.pseudonym }.map { user, head in
            LedgerEntryRow.Place(pseudonym: head.pseudonym, after: grown[user]?.length ?? 0)
        }
        let rows = try LedgerEntryRow.load(from: places, in: session)
        for (user, head) in usual { loaded[user] = rows[head.pseudonym] }
        for (user, head) in heads where head.isHeavy {
            let place = LedgerEntryRow.Place(pseudonym: head.pseudonym, after: grown[user]?.length ?? 0)
            loaded[user] = try LedgerEntryRow.loadInSlices(to: head.length, from: place, in: session)
        }
        var read: [CachedLedger] = []
        var torn: [UserID: UserRow.Head] = [:]
        for (user, head) in heads {
            guard let rest = loaded[user] else { continue }
            if let ledger = CachedLedger(user, head.pseudonym, grown[user], rest) {
                read.append(ledger)
            } else {
                torn[user] = head
            }
        }
        return torn.isEmpty ? read : read + (try self.read(torn, behind: [:], in: session))
    }
}

extension LedgerCache.CachedLedger {
    /// A cached ledger with further entries appended; nil if the entries do not continue the cached ledger.
    fileprivate init?(
        _ user: UserID, _ pseudonym: UInt64, _ start: LedgerCache.CachedLedger?, _ rest: LedgerEntryRow.Loaded
    ) {
        guard rest.joint == start?.head else { return nil }
        var ledger = start?.ledger ?? UserLedger(user: user)
        ledger.append(contentsOf: rest.entries)
        self.init(
            pseudonym: pseudonym, length: rest.length, head: rest.head, ledger: ledger,
            purchases: rest.purchases.merging(start?.purchases ?? [:]) { $1 })
    }
}
