import Entitlements
import MariaDB

/// A purchase that may be an anomaly, with its last recorded state: it has no owner, nothing is projected for its
/// owner, a refund is unclear, or a field could not be read.
enum AnomalyRow {
    private static let isUnclearRefund = "r.revocation_at IS NOT NULL AND r.share IS NULL"
    private static let isUnreadable = "r.unreadable IS NOT NULL"

    private static func hasState(_ condition: String) -> String {
        "EXISTS (SELECT 1 FROM apple_iap_transactions r WHERE r.purchase_id = p.id AND (\(condition)))"
    }

    /// A page of candidates, but for those of erased people.
    private static let page = SQLStatement(
        "list anomalies",
        """
        SELECT p.id, t.recorded_at, EXISTS (
                SELECT 1 FROM apple_iap_transactions m WHERE m.purchase_id = p.id AND (m.product_id <> t.product_id
                    OR m.product_type <> t.product_type OR m.is_family_shared <> t.is_family_shared)),
            \(hasState(isUnclearRefund)), \(hasState(isUnreadable)), u.user_id, t.statement
        FROM purchases p FORCE INDEX (PRIMARY)
        LEFT JOIN users u ON u.pseudonym = p.user_id
        LEFT JOIN subscriptions s ON s.purchase_id = p.id AND s.user_id = p.user_id
        STRAIGHT_JOIN apple_iap_transactions t ON t.id = (
            SELECT MAX(id) FROM apple_iap_transactions FORCE INDEX (by_state) WHERE purchase_id = p.id)
        WHERE p.id < ? AND p.id >= ?
            AND (s.purchase_id IS NULL OR \(hasState("\(isUnclearRefund) OR \(isUnreadable)")))
            AND (p.user_id IS NULL OR u.user_id IS NOT NULL)
        ORDER BY p.id DESC
        """)

    /// Up to `limit` from before `id` down to `floor`, the last recorded first, that may be `anomaly`, or any if that
    /// is nil.
    static func page(
        before id: UInt64, downTo floor: UInt64, limit: Int, of anomaly: Anomaly?, given catalogue: CatalogueVersions,
        in session: Session
    ) throws(DatabaseError) -> [AnomalyCandidate] {
        var candidates: [AnomalyCandidate] = []
        for row in try session.query(page, [.uint64(id), .uint64(floor)]) {
            guard candidates.count < limit else { break }
            let candidate = AnomalyCandidate(
                id: try row.uint64(0), owner: try row.optionalText(5).flatMap { UserID($0) },
                state: try StateRow.state(row, 6),
                recordedAt: Instant(milliseconds: try row.int64(1)), hasUnreadable: try row.bool(4))
            var possible = possible(for: candidate, isMixed: try row.bool(2), given: catalogue)
            if candidate.owner != nil, try row.bool(3) { possible.insert(.unclearRefund) }
            if candidate.owner != nil, candidate.hasUnreadable { possible.insert(.unreadableFields) }
            if anomaly.map(possible.contains) ?? !possible.isEmpty { candidates.append(candidate) }
        }
        return candidates
    }

    /// The anomalies that a candidate may have; `isMixed` is true if its states name several products or types.
    private static func possible(
        for candidate: AnomalyCandidate, isMixed: Bool, given catalogue: CatalogueVersions
    ) -> Set<Anomaly> {
        guard candidate.owner != nil else { return [.unowned] }
        return isMixed
            ? Set(Anomaly.allCases).subtracting([.unowned, .unclearRefund, .unreadableFields])
            : catalogue.possibleAnomalies(of: candidate.state)
    }
}
