package import Entitlements
import MariaDB

/// A purchase or grant in the list of all purchases, with its money.
package struct RecordedPurchase: Sendable {
    /// The id of the purchase's row. A purchase that was recorded later has a larger one, if one node wrote both.
    package let id: UInt64
    package let key: PurchaseKey
    /// The owner; nil while nobody has the purchase, or if the owner is erased.
    package let owner: UserID?
    /// True if the owner is erased.
    package let isOfErased: Bool
    /// The instant at which the purchase was first stated.
    package let recordedAt: Instant
    package let boundAt: Instant?
    /// All states that are recorded of the purchase, in any order.
    package internal(set) var states: [VerifiedPurchase] = []
    /// The grant, if it is one.
    package internal(set) var grant: Grant?
    /// The payments, the last made first.
    package internal(set) var payments: [Payment] = []
    /// The owner's pseudonym if only the owner's ledger has the states; else nil.
    fileprivate let ledger: UInt64?

    package var newest: VerifiedPurchase? { states.newest }

    /// True unless nothing is known but who will have the purchase.
    fileprivate var isTold: Bool { !states.isEmpty || grant != nil || !payments.isEmpty }
}

/// The conditions on the purchases in a list. A condition that is nil holds for all of them.
package struct PurchaseFilter: Hashable, Sendable {
    package var user: UserID?
    /// The product's id in the store. It is only a condition on purchases whose states have rows of their own; a caller
    /// judges the others by their states.
    package var product: ProductID?
    package var source: Source?
    package var environment: StoreEnvironment?
    /// The first instant of recording that passes.
    package var since: Instant?

    package init(
        user: UserID? = nil, product: ProductID? = nil, source: Source? = nil, environment: StoreEnvironment? = nil,
        since: Instant? = nil
    ) {
        self.user = user
        self.product = product
        self.source = source
        self.environment = environment
        self.since = since
    }
}

extension OperatorReader {
    /// Up to `limit` purchases with ids below `id` that pass `filter`, the last recorded first. A page looks at a
    /// bounded number of rows. The list ends with a page whose rows were all recorded before `filter.since`. Throws
    /// when the database is away.
    package func purchases(
        _ filter: PurchaseFilter, before id: UInt64?, limit: Int, lookingAt rows: Int = rowsGoneOver
    ) async throws(ServiceFailure) -> ListPage<RecordedPurchase> {
        try await pool.ask { (session) throws(DatabaseError) in
            var (list, owner) = (PurchaseList.all, [Value]())
            if let user = filter.user {
                guard let pseudonym = try session.query(PurchaseList.pseudonym, [.text(user.text)]).first else {
                    return ListPage(rows: [], next: nil)
                }
                (list, owner) = (.ofUser, [.uint64(try pseudonym.uint64(0))])
            }
            let start = owner + [.uint64(id ?? .max)]
            guard let seen = try session.query(list.rows, start + [Value(rows)]).first, try seen.int(0) > 0 else {
                return ListPage(rows: [], next: nil)
            }
            let floor = try seen.uint64(1)
            let newest = Instant(milliseconds: try seen.int64(2))
            let goesOn = try seen.int(0) == rows && newest >= filter.since ?? .distantPast
            let found = try session.query(
                list.page, start + [.uint64(floor)] + filter.values + [Value(limit)], decode: RecordedPurchase.init)
            let next = found.count == limit ? found.last?.id : goesOn ? floor : nil
            return ListPage(rows: try RecordedPurchase.complete(found, in: session).filter(\.isTold), next: next)
        }
    }

    /// The payments that a store told for purchases, the last made first. Throws when the database is away.
    package func payments(for keys: [PurchaseKey]) async throws(ServiceFailure) -> [PurchaseKey: [Payment]] {
        guard !keys.isEmpty else { return [:] }
        return try await pool.ask { (session) throws(DatabaseError) in
            try PaymentAmountRow.payments(for: keys, in: session)
        }
    }
}

extension OperatorReader {
    /// The purchase with this key; nil if nothing is known of it. Throws when the database is away.
    package func purchase(_ key: PurchaseKey) async throws(ServiceFailure) -> RecordedPurchase? {
        try await pool.ask { (session) throws(DatabaseError) in
            guard let row = try PurchaseRow.load([key], locking: false, in: session).first else { return nil }
            let found = try session.query(
                PurchaseList.all.page,
                [.uint64(row.id + 1), .uint64(row.id)] + PurchaseFilter().values + [Value(1)],
                decode: RecordedPurchase.init)
            return try RecordedPurchase.complete(found, in: session).first(where: \.isTold)
        }
    }
}

/// The statements of a list of purchases: which rows a page looks at, and those of them that pass.
private struct PurchaseList {
    let rows: SQLStatement
    let page: SQLStatement

    static let all = PurchaseList("purchases", index: "PRIMARY", "TRUE")
    static let ofUser = PurchaseList("purchases of user", index: "by_user", "p.user_id = ?")

    static let pseudonym = SQLStatement("find pseudonym of user", "SELECT pseudonym FROM users WHERE user_id = ?")

    private init(_ name: String, index: String, _ condition: String) {
        rows = SQLStatement(
            "find floor of recorded \(name)",
            """
            SELECT COUNT(*), MIN(id), MAX(recorded_at)
            FROM (
                SELECT id, recorded_at FROM purchases p FORCE INDEX (\(index)) WHERE \(condition) AND p.id < ?
                ORDER BY p.id DESC LIMIT ?) j
            """)
        page = SQLStatement(
            "list recorded \(name)",
            """
            SELECT p.id, \(PurchaseRow.columns), p.recorded_at, p.bound_at, u.user_id,
                IF(\(Self.hasStates("TRUE")), NULL, p.user_id), p.user_id
            FROM purchases p FORCE INDEX (\(index)) LEFT JOIN users u ON u.pseudonym = p.user_id
            WHERE \(condition) AND p.id < ? AND p.id >= ? AND (? IS NULL OR p.recorded_at >= ?)
                AND (? IS NULL OR p.source = ?) AND (? IS NULL OR p.environment = ?)
                AND (? IS NULL OR \(Self.hasStates("t.product_id = ?")) OR NOT (\(Self.hasStates("TRUE"))))
            ORDER BY p.id DESC LIMIT ?
            """)
    }

    /// SQL for: the purchase has a state in a row of its own. MariaDB would read the whole table for an `EXISTS`.
    private static func hasStates(_ condition: String) -> String {
        "(SELECT 1 FROM apple_iap_transactions t WHERE t.purchase_id = p.id AND \(condition) LIMIT 1) IS NOT NULL"
    }
}

extension PurchaseFilter {
    /// The values of the conditions, each twice: for the question if there is one, and for the comparison.
    fileprivate var values: [Value] {
        let names = [source?.text, environment?.rawValue, product?.text].map { Value($0) }
        return ([Value(since?.milliseconds)] + names).flatMap { [$0, $0] }
    }
}

extension RecordedPurchase {
    fileprivate init(_ row: Row) throws(DatabaseError) {
        guard let key = try PurchaseRow.key(row, from: 1) else { throw row.malformed(1) }
        id = try row.uint64(0)
        self.key = key
        recordedAt = Instant(milliseconds: try row.int64(5))
        boundAt = try row.optionalInt64(6).map(Instant.init(milliseconds:))
        owner = try row.optionalText(7).flatMap { UserID($0) }
        isOfErased = try row.optionalUInt64(9) != nil && owner == nil
        ledger = try row.optionalUInt64(8)
    }

    /// Reads the facts about purchases: the states in rows of their own, the statements that wait for an owner, and the
    /// entries of owners' ledgers. Each ledger is read once, however many purchases are asked about.
    private static let facts = SQLStatement(
        "read facts of purchases",
        """
        SELECT t.purchase_id, '\(FactKind.purchaseState.rawValue)', t.statement
        FROM \(JSONArray.ids) STRAIGHT_JOIN apple_iap_transactions t ON t.purchase_id = j.id
        UNION ALL
        SELECT w.purchase_id, w.kind, w.statement
        FROM \(JSONArray.ids) STRAIGHT_JOIN waiting_statements w ON w.purchase_id = j.id
        UNION ALL
        SELECT l.purchase_id, l.kind, l.content
        FROM \(JSONArray.ids) STRAIGHT_JOIN ledger_entries l ON l.user_id = j.id
        WHERE l.kind IN ('\(FactKind.purchaseState.rawValue)', '\(FactKind.granted.rawValue)')
            AND FIND_IN_SET(l.purchase_id, ?)
        """)

    /// Returns the purchases with their states, grants and payments.
    fileprivate static func complete(
        _ purchases: [RecordedPurchase], in session: Session
    ) throws(DatabaseError) -> [RecordedPurchase] {
        guard !purchases.isEmpty else { return [] }
        let inLedgers = purchases.filter { $0.ledger != nil }
        let ids = Value.text(JSONArray(purchases.map(\.id)).closed)
        let owners = Set(inLedgers.compactMap(\.ledger)).sorted()
        let rows = try session.query(
            facts,
            [
                ids, ids, .text(JSONArray(owners).closed),
                .text(inLedgers.map { String($0.id) }.joined(separator: ",")),
            ])
        var known: [UInt64: [Fact]] = [:]
        for row in rows {
            guard let kind = FactKind(rawValue: try row.text(1)),
                case .list(let fields)? = JSONField(json: try row.text(2)),
                let fact = FactContent.read(fields, of: kind)
            else { throw row.malformed(2) }
            known[try row.uint64(0), default: []].append(fact)
        }
        let told = try PaymentAmountRow.payments(for: purchases.map(\.key), in: session)
        return purchases.map { purchase in
            var purchase = purchase
            let facts = known[purchase.id] ?? []
            purchase.states = facts.compactMap(\.state)
            purchase.grant = facts.lazy.compactMap { if case .granted(let grant) = $0 { grant } else { nil } }.first
            purchase.payments = told[purchase.key] ?? Payment.all(shownBy: purchase.states)
            return purchase
        }
    }
}
