package import Entitlements
package import MariaDB
import Synchronization

/// The parts of the store over one open database. It is a class, because every request carries a reference to it.
package final class Store: Sendable {
    package let ledger: Ledger
    package let reader: LedgerReader
    package let standings: Standings
    package let catalogue: CatalogueVersionCache
    package let labels: Labels
    package let settings: EntitlementSettings
    package let accountTokens: AccountTokens
    package let apiKeys: APIKeys
    package let staff: Staff
    package let idempotency: IdempotencyKeys
    package let inbox: Inbox
    package let history: HistoryWalks
    package let lookups: Lookups
    package let chains: Chains
    package let notificationReads: NotificationReads
    package let reconciliations: Reconciliations
    package let pauses: ApplePauses
    package let consumption: ConsumptionRequests
    package let export: Export
    package let erasure: Erasure
    package let reports: OperatorReader
    package let audit: AuditTrail

    /// - Parameters:
    ///   - format: Writes a status as the API sends it.
    ///   - now: The clock that dates facts; a test may move it.
    ///   - realNow: Real time, for API keys and for the instants at which jobs are due.
    ///   - salt: Makes 16 random bytes.
    ///   - noteBatch: Called with the number of requests of each committed transaction.
    ///   - noteUnreadable: Called with the pseudonym of a user whose standing was removed, because the ledger cannot be
    ///     read.
    package init(
        pool: Pool, catalogue: CatalogueVersionCache, settings: LedgerSettings, format: StandingFormat,
        now: @escaping @Sendable () -> Instant, realNow: @escaping @Sendable () -> Instant,
        salt: @escaping @Sendable () -> [UInt8], accountToken: @escaping @Sendable () -> AccountToken,
        apiKey: @escaping @Sendable () -> APIKeySecret, attempt: @escaping @Sendable () -> UInt64,
        noteBatch: @escaping @Sendable (_ requests: Int) -> Void = { _ in },
        noteUnreadable: @escaping @Sendable (_ pseudonym: UInt64) -> Void = { _ in }
    ) {
        audit = AuditTrail(salt: salt)
        ledger = Ledger(
            pool: pool, catalogue: catalogue, settings: settings, format: format, now: now, salt: salt,
            noteBatch: noteBatch)
        reader = ledger.reader()
        standings = ledger.standings(noteUnreadable: noteUnreadable)
        self.catalogue = catalogue
        labels = settings.labels
        self.settings = settings.entitlements
        accountTokens = AccountTokens(pool: pool, labels: settings.labels, now: now, random: accountToken)
        apiKeys = APIKeys(pool: pool, audit: audit, now: realNow, random: apiKey)
        staff = Staff(pool: pool, audit: audit, labels: settings.labels, now: realNow)
        idempotency = IdempotencyKeys(pool: pool, now: now, random: attempt)
        inbox = Inbox(pool: pool, now: now, realNow: realNow)
        history = HistoryWalks(pool: pool, now: now, realNow: realNow)
        lookups = Lookups(pool: pool, labels: settings.labels, now: now, realNow: realNow)
        chains = Chains(
            pool: pool, leewayHours: settings.entitlements.renewalLeewayHours, now: now, realNow: realNow)
        notificationReads = NotificationReads(pool: pool, now: now, realNow: realNow)
        reconciliations = Reconciliations(pool: pool, now: now)
        pauses = ApplePauses(pool: pool)
        consumption = ConsumptionRequests(pool: pool, now: now)
        export = Export(pool: pool, labels: settings.labels)
        erasure = Erasure(pool: pool, labels: settings.labels, audit: audit, now: now)
        reports = OperatorReader(pool: pool)
    }

    /// The catalogue as it is now, and the settings under which facts are folded.
    package var foldContext: FoldContext { FoldContext(catalogue: catalogue.snapshot, settings: settings) }

    /// Runs the batches of writers and readers until `shutDown`.
    package func run() async {
        async let reading: Void = reader.run()
        async let answering: Void = standings.run()
        await ledger.run()
        await reading
        await answering
    }

    /// Takes no more requests; waiting requests are still answered.
    package func shutDown() {
        ledger.shutDown()
        reader.shutDown()
        standings.shutDown()
    }
}

/// The access to the store from the start of the process. Until the database is opened, only the catalogue of the file
/// is available. So a process starts without a database, and works once the database comes.
package final class StoreDoor: Sendable {
    private let provisional: CatalogueVersions
    private let opened = Mutex<Store?>(nil)

    package init(provisional: CatalogueVersions) { self.provisional = provisional }

    package init(_ store: Store) {
        provisional = store.catalogue.snapshot
        open(store)
    }

    package func open(_ store: Store) {
        opened.withLock { $0 = store }
    }

    package var isOpen: Bool { opened.withLock { $0 != nil } }

    /// The catalogue in the store, or that of the file until the database is opened.
    package var catalogue: CatalogueVersions { opened.withLock { $0 }?.catalogue.snapshot ?? provisional }

    /// The open store. Throws `notOpen` until the database has been opened.
    package func callAsFunction() throws(ServiceFailure) -> Store {
        guard let store = opened.withLock({ $0 }) else { throw .notOpen }
        return store
    }
}
