import Entitlements
import MariaDB

/// Puts tombstones in the place of the numbers of purchases that erased people alone have or had, and of what names their
/// acts (`semantics.md` §5).
///
/// A purchase that a living person has or had keeps its number, which stands in that person's history too; the erasure of the
/// last one buries it.
struct Burial {
    /// A purchase of erased people, as its row has it.
    private struct Grave {
        let id: UInt64
        /// The owner's pseudonym.
        let owner: UInt64
        let stored: PurchaseKey
    }

    /// Those that the person has or had, once their own id is gone.
    private static let graves = Statement(
        "find purchases to bury",
        """
        SELECT p.source, p.app, p.environment, p.external_id, p.id, p.user_id
        FROM (SELECT id FROM purchases WHERE user_id = ? UNION SELECT purchase_id FROM purchase_holders WHERE user_id = ?) n
        STRAIGHT_JOIN purchases p ON p.id = n.id
        STRAIGHT_JOIN users u ON u.pseudonym = p.user_id AND u.user_id IS NULL
        WHERE NOT EXISTS (
            SELECT 1 FROM purchase_holders h STRAIGHT_JOIN users l ON l.pseudonym = h.user_id
            WHERE h.purchase_id = p.id AND l.user_id IS NOT NULL)
        ORDER BY p.external_id, p.source, p.app, p.environment
        """)

    private static let states = Statement(
        "read states to bury",
        """
        SELECT t.purchase_id, t.id, t.transaction_id, t.original_transaction_id, t.period_id, t.content_hash
        FROM JSON_TABLE(?, '$[*]' COLUMNS (id BIGINT UNSIGNED PATH '$')) j
        STRAIGHT_JOIN apple_iap_transactions t ON t.purchase_id = j.id
        """)

    private static let buryPurchase = Statement(
        "bury purchase",
        "UPDATE purchases SET external_id = ?, known_as = NULL, place = COALESCE(place, ?) WHERE id = ?")

    private static let buryProjection = Statement(
        "bury projection", "UPDATE subscriptions SET external_id = ? WHERE purchase_id = ?")

    private static let buryState = Statement(
        "bury state",
        """
        UPDATE apple_iap_transactions
        SET transaction_id = ?, original_transaction_id = ?, period_id = ?, content_hash = ? WHERE id = ?
        """)

    private static let acts = Statement(
        "read acts to bury",
        """
        SELECT l.user_id, l.seq, l.kind, l.content
        FROM JSON_TABLE(?, '$[*]' COLUMNS (pseudonym BIGINT UNSIGNED PATH '$')) j
        STRAIGHT_JOIN ledger_entries l ON l.user_id = j.pseudonym
        WHERE l.kind IN (\(creditKinds))
        """)

    private static let buryAct = Statement(
        "bury act", "UPDATE ledger_entries SET content = ? WHERE user_id = ? AND seq = ?")

    private static let creditKinds = [FactKind.spent, .reserved, .committed, .released].map { "'\($0.rawValue)'" }
        .joined(separator: ", ")

    private let pseudonym: UInt64
    private let key: TombstoneKey
    private let now: Instant

    /// Of the person under `pseudonym`.
    init(of pseudonym: UInt64, under key: TombstoneKey, at now: Instant) {
        self.pseudonym = pseudonym
        self.key = key
        self.now = now
    }

    /// Buries what the person leaves, and hands out whose ledgers refer to it: people who are erased and whose chains are to
    /// be made anew. The person's own row has lost its id. Repeat is safe. Throws when the database is away.
    func carryOut(in session: Session) throws(DatabaseError) -> Set<UInt64> {
        let graves = try session.query(Self.graves, [.uint64(pseudonym), .uint64(pseudonym)]) {
            (row) throws(DatabaseError) in
            try PurchaseRow.key(row, from: 0).map { (key) throws(DatabaseError) in
                Grave(id: try row.uint64(4), owner: try row.uint64(5), stored: key)
            }
        }.compactMap(\.self)
        try bury(graves, in: session)
        let former = try PurchaseRow.formerHolders(of: graves.map(\.id), in: session)
        let people = Set(former.values.flatMap(\.self) + graves.map(\.owner) + [pseudonym])
        let lots = Dictionary(
            graves.map { ($0.stored, $0.stored.buried(under: key)) }, uniquingKeysWith: { first, _ in first })
        try buryActs(of: people, drawnFrom: lots, in: session)
        return people
    }

    private func bury(_ graves: [Grave], in session: Session) throws(DatabaseError) {
        var array = JSONArray()
        graves.forEach { array.append($0.id) }
        guard !graves.isEmpty else { return }
        let keys = Dictionary(graves.map { ($0.id, $0.stored) }, uniquingKeysWith: { first, _ in first })
        var states: [[Value]] = []
        for row in try session.query(Self.states, [.text(array.closed)]) {
            guard let stored = keys[try row.uint64(0)] else { continue }
            states.append(try buried(row, of: stored) + [.uint64(try row.uint64(1))])
        }
        try session.executeBulk(Self.buryState, states)
        let tombstones = graves.map { (Value.text(key.tombstone(of: $0.stored).text), Value.uint64($0.id)) }
        try session.executeBulk(
            Self.buryPurchase,
            tombstones.enumerated().map { [$0.element.0, .text(place($0.offset)), $0.element.1] })
        try session.executeBulk(Self.buryProjection, tombstones.map { [$0, $1] })
    }

    /// The place of one of those that are buried now, which stand in the order of their numbers: behind every number, as this
    /// program and stores write them, and before whatever was buried earlier. So no two of them that were alike ever change
    /// places, whatever they are called.
    private func place(_ position: Int) -> String {
        "~"
            + [Int64.max - now.milliseconds, Int64(clamping: pseudonym), Int64(position)].map { number in
                let digits = String(number)
                return String(repeating: "0", count: Self.digits - digits.utf8.count) + digits
            }.joined(separator: ".")
    }

    /// Of the largest number.
    private static let digits = 19

    /// The digest of a state that was recorded under its tombstone, or was buried before, is one already.
    private func buried(_ row: Row, of stored: PurchaseKey) throws(DatabaseError) -> [Value] {
        let digest = try row.bytes(5)
        let isBuried = TombstoneKey.isTombstone(try row.text(3))
        return [
            .text(key.tombstone(of: TransactionID(try row.text(2)), like: stored).text),
            .text(key.tombstone(of: stored).text),
            Value(try row.optionalText(4).map { key.tombstone(ofPeriod: $0, like: stored) }),
            .bytes(isBuried ? digest : key.tombstone(ofDigest: digest)),
        ]
    }

    /// Takes out what the person named their acts, and the numbers of buried lots wherever they were drawn from.
    private func buryActs(
        of people: Set<UInt64>, drawnFrom lots: [PurchaseKey: PurchaseKey], in session: Session
    ) throws(DatabaseError) {
        var array = JSONArray()
        people.sorted().forEach { array.append($0) }
        var contents: [[Value]] = []
        for row in try session.query(Self.acts, [.text(array.closed)]) {
            let (user, content) = (try row.uint64(0), try row.text(3))
            guard let kind = FactKind(rawValue: try row.text(2)), case .list(let fields)? = JSONField(json: content),
                case .fact(.credit(let act)) = FactContent.read(
                    fields, in: .init(kind: kind, key: nil, state: nil, note: nil))
            else { continue }
            let drawn = act.renamed { lots[$0] ?? $0 }
            let left = Fact.credit(user == pseudonym ? drawn.buried(of: user, under: key) : drawn)
            guard let buried = FactContent.of(left)?.json, buried != content else { continue }
            contents.append([.text(buried), .uint64(user), .uint64(try row.uint64(1))])
        }
        try session.executeBulk(Self.buryAct, contents)
    }
}
