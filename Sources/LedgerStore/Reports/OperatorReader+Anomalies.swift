package import Entitlements
import MariaDB

/// A purchase that may be an anomaly. Neither the projection nor the catalogue shows that it is in order.
package struct AnomalyCandidate: Sendable {
    /// The id of the purchase's row. A purchase that was recorded later has a larger one, if one node wrote both.
    package let id: UInt64
    /// The owner; nil while nobody has the purchase.
    package let owner: UserID?
    package let key: PurchaseKey
    /// The last recorded state, and the instant of its recording. Nil if only the owner's ledger has the states, as for
    /// card purchases.
    package let last: (state: VerifiedPurchase, recordedAt: Instant)?
    /// True if members of a signed text about the purchase could not be read. These members decide nothing.
    package let hasUnreadable: Bool
}

/// Candidates for anomalies, each with its last recorded state. A purchase is a candidate if it has no owner or no row
/// in the projection, if its row has an anomaly, or if a member of its text could not be read.
extension OperatorReader {
    private static let isUnclearRefund = "r.revocation_at IS NOT NULL AND r.share IS NULL"
    private static let isUnreadable = "r.unreadable IS NOT NULL"

    private static func hasState(_ condition: String) -> String {
        "EXISTS (SELECT 1 FROM apple_iap_transactions r WHERE r.purchase_id = p.id AND (\(condition)))"
    }

    /// A page of candidates, without the purchases of erased people.
    private static let anomalies = SQLStatement(
        "list anomalies",
        """
        SELECT p.id, EXISTS (
                SELECT 1 FROM apple_iap_transactions m WHERE m.purchase_id = p.id AND (m.product_id <> t.product_id
                    OR m.product_type <> t.product_type OR m.is_family_shared <> t.is_family_shared
                    OR m.quantity <> t.quantity)),
            \(hasState(isUnclearRefund)), \(hasState(isUnreadable)), u.user_id, t.statement,
            COALESCE(t.recorded_at, (SELECT MAX(recorded_at) FROM waiting_statements WHERE purchase_id = p.id)),
            s.purchase_id IS NULL, s.anomaly,
            \(PurchaseRow.columns)
        FROM purchases p FORCE INDEX (PRIMARY)
        LEFT JOIN users u ON u.pseudonym = p.user_id
        LEFT JOIN subscriptions s ON s.purchase_id = p.id AND s.user_id = p.user_id
        LEFT JOIN apple_iap_transactions t ON t.id = (
            SELECT MAX(id) FROM apple_iap_transactions FORCE INDEX (by_state) WHERE purchase_id = p.id)
        WHERE p.id < ? AND p.id >= ? AND p.source <> 'manual'
            AND (s.purchase_id IS NULL OR s.anomaly IS NOT NULL OR \(hasState(isUnreadable)))
            AND (p.user_id IS NULL OR u.user_id IS NOT NULL)
        ORDER BY p.id DESC
        """)

    /// Up to `limit` purchases with ids below `id` that may have `anomaly`, or any anomaly if `anomaly` is nil. No
    /// purchase with the anomaly is left out. Purchases without an anomaly may be included, because only the owner's
    /// ledger shows that they are in order. Throws when the database is away.
    package func anomalyCandidates(
        before id: UInt64?, limit: Int, of anomaly: Anomaly?, given catalogue: CatalogueVersions
    ) async throws(ServiceFailure) -> ListPage<AnomalyCandidate> {
        try await page(.purchases, before: id, limit: limit, number: \.id) {
            (id, floor, session) throws(DatabaseError) in
            var candidates: [AnomalyCandidate] = []
            for row in try session.query(Self.anomalies, [.uint64(id), .uint64(floor)]) {
                guard candidates.count < limit else { break }
                guard let key = try PurchaseRow.key(row, from: 9) else { throw row.malformed(9) }
                let candidate = AnomalyCandidate(
                    id: try row.uint64(0), owner: try row.optionalText(4).flatMap { UserID($0) }, key: key,
                    last: try Self.last(row, in: session), hasUnreadable: try row.bool(3))
                var possible =
                    try row.bool(7)
                    ? Self.possible(for: candidate, isMixed: try row.bool(1), given: catalogue) : []
                if let projected = try row.optionalText(8).flatMap({ Anomaly(rawValue: $0) }) {
                    possible.insert(projected)
                }
                if candidate.owner != nil, try row.bool(2) { possible.insert(.unclearRefund) }
                if candidate.owner != nil, candidate.hasUnreadable { possible.insert(.unreadableFields) }
                if anomaly.map(possible.contains) ?? !possible.isEmpty { candidates.append(candidate) }
            }
            return candidates
        }
    }

    /// The last state in `apple_iap_transactions`, else the newest state that waits for an owner.
    private static func last(
        _ row: Row, in session: Session
    ) throws(DatabaseError) -> (state: VerifiedPurchase, recordedAt: Instant)? {
        guard let recordedAt = try row.optionalInt64(6).map({ Instant(milliseconds: $0) }) else { return nil }
        if try row.optionalText(5) != nil { return (try StateRow.state(row, 5), recordedAt) }
        let id = try row.uint64(0)
        let waiting = try WaitingStatementRow.load(of: [id], in: session)[id] ?? []
        let newest = waiting.compactMap { Fact.stated($0).state }.max { $0.signedAt < $1.signedAt }
        return newest.map { ($0, recordedAt) }
    }

    /// The anomalies that a candidate without a row may have. `isMixed` is true if its states disagree on the product,
    /// the type, family sharing or the quantity.
    private static func possible(
        for candidate: AnomalyCandidate, isMixed: Bool, given catalogue: CatalogueVersions
    ) -> Set<Anomaly> {
        guard candidate.owner != nil else { return [.unowned] }
        guard !isMixed, let state = candidate.last?.state else {
            return Set(Anomaly.allCases).subtracting([.unowned, .unclearRefund, .unreadableFields])
        }
        let possible = catalogue.possibleAnomalies(of: state)
        return state.type == .plan ? possible.union([.paidAfterWithdrawal]) : possible
    }
}
