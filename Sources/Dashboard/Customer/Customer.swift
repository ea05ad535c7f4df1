import EntitlementAPI
import Entitlements
import LedgerStore

/// The moment that the customer page is about: an instant, and by when facts must have been known.
struct CustomerMoment: Sendable {
    let at: Instant
    /// Nil if all facts count.
    let knownAt: Instant?
    /// The texts that were typed, to be shown again.
    let typedAt: String
    let typedKnownAt: String
    /// True if one of the two texts is no instant.
    let isMistyped: Bool
    /// True if the page shows the present with everything that is known.
    let isNow: Bool

    init(_ query: FormText, _ words: Words) {
        (typedAt, typedKnownAt) = (query["at"], query["known_at"])
        let (asked, known) = (words.instant(typed: typedAt), words.instant(typed: typedKnownAt))
        at = asked ?? words.now
        knownAt = known
        isNow = asked == nil && known == nil
        isMistyped = asked == nil && !typedAt.isEmpty || known == nil && !typedKnownAt.isEmpty
    }

    /// The query that keeps the moment in a link.
    var query: [(name: String, value: String)] {
        (typedAt.isEmpty ? [] : [("at", typedAt)]) + (typedKnownAt.isEmpty ? [] : [("known_at", typedKnownAt)])
    }
}

/// Everything that the customer page shows of a user.
struct Customer: Sendable {
    /// The most deliveries and entries of the trail that the page shows.
    private static let shown = 10
    /// The most other users of one Apple account.
    private static let relativesRead = 20

    let user: UserID
    let moment: CustomerMoment
    let timeline: Timeline
    let status: Status
    let drawing: Drawing
    let verdict: Verdict
    let reasons: [PurchaseKey: Explanation.Reason]
    let entries: [LedgerEntry]
    let notes: [NoteDigest: Note]
    let devices: [Device]
    let deviceNames: DeviceNames
    /// The places of purchases in the timeline.
    private let places: [PurchaseKey: Int]
    private let rows: [PurchaseKey: Drawing.Row]
    let deliveries: [RecordedDelivery]
    /// The entries of the audit trail; nil for a reader who may not see them.
    let audit: [AuditEntry]?
    let staffNames: [UInt64: String]
    let relatives: [UserID]
    let accountToken: AccountToken?

    /// Reads a user as they were at a moment. It issues nothing and writes nothing.
    ///
    /// - Throws: `ServiceFailure` when the database is away, `CancellationError` once nobody waits for the page.
    init(_ user: UserID, at moment: CustomerMoment, in store: Store, seesAudit: Bool) async throws {
        self.user = user
        self.moment = moment
        let whole = try await store.reader.ledger(of: user)
        let ledger = moment.knownAt.map { whole.known(at: $0) } ?? whole
        let context = store.foldContext
        try Task.checkCancellation()
        timeline = Timeline(
            folding: ledger, given: context.catalogue, settings: context.settings, testersAt: moment.at)
        places = Dictionary(
            timeline.purchases.enumerated().map { ($0.element.key, $0.offset) },
            uniquingKeysWith: { first, _ in first })
        try Task.checkCancellation()
        status = timeline.status(at: moment.at)
        drawing = Drawing(of: timeline, at: moment.at)
        try Task.checkCancellation()
        rows = Dictionary(drawing.rows.map { ($0.key, $0) }, uniquingKeysWith: { first, _ in first })
        verdict = Verdict(of: timeline, at: moment.at)
        reasons = status.explanation.reduce(into: [:]) { $0[$1.key] = $1.reason }
        entries = ledger.entries.reversed()
        notes = try await store.reader.notes(Set(entries.compactMap(\.note)))
        deviceNames = DeviceNames(of: ledger, notes)
        devices = timeline.devices(at: moment.at).onRecord
        let named = try await store.reports.deliveries(naming: user, under: store.labels)
        deliveries =
            named.isEmpty
            ? [] : try await store.reports.deliveries(before: nil, limit: Self.shown, of: nil, among: named)
        var audit: [AuditEntry]?
        if seesAudit {
            audit = try await store.reports.auditEntries(
                AuditFilter(user: user), before: nil, limit: Self.shown
            ).rows
        }
        self.audit = audit
        let actors = (audit ?? []).map(\.actor) + notes.values.compactMap(\.actor)
        staffNames = try await store.staff.names(of: Set(actors.compactMap { Actor.staff(in: $0) }))
        let accounts = Set(entries.compactMap { $0.fact.state?.account })
        relatives = try await store.reports.users(ofAccounts: accounts, limit: Self.relativesRead)
            .filter { $0 != user }.sorted()
        accountToken = try await store.accountTokens.issued(to: user)
    }

    /// The purchase with this key.
    func purchase(_ key: PurchaseKey) -> Purchase? { places[key].map { timeline.purchases[$0] } }

    /// The row of a purchase in the drawing.
    func row(_ key: PurchaseKey) -> Drawing.Row? { rows[key] }

    /// The payments for purchases of this person, the last made first, as they are known today.
    ///
    /// - Throws: `ServiceFailure` when the database is away.
    func payments(for keys: [PurchaseKey], in store: Store) async throws -> [PurchaseKey: [Payment]] {
        let told = try await store.reports.payments(for: keys)
        let states = Dictionary(grouping: entries.compactMap(\.fact.state)) { $0.key }
        return Dictionary(
            keys.map { ($0, told[$0] ?? Payment.all(shownBy: states[$0] ?? [])) },
            uniquingKeysWith: { first, _ in first })
    }
}
