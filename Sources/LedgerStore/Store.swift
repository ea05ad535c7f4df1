package import Entitlements
package import MariaDB
import Synchronization

/// The pieces of the store over one open database. A class, for every request takes it along.
package final class Store: Sendable {
    package let ledger: Ledger
    package let reader: LedgerReader
    package let catalogue: CatalogueVersionCache
    package let labels: Labels
    package let accountTokens: AccountTokens
    package let apiKeys: APIKeys
    package let idempotency: IdempotencyKeys
    package let inbox: Inbox
    package let export: Export
    package let erasure: Erasure
    package let reports: OperatorReader
    package let audit: AuditTrail

    /// - Parameters:
    ///   - now: The clock of facts.
    ///   - realNow: Real time, for API keys and for when work is due.
    ///   - salt: Makes 16 random bytes.
    ///   - noteBatch: Learns how many requests each committed transaction served.
    package init(
        pool: Pool, catalogue: CatalogueVersionCache, settings: LedgerSettings,
        now: @escaping @Sendable () -> Instant, realNow: @escaping @Sendable () -> Instant,
        salt: @escaping @Sendable () -> [UInt8], accountToken: @escaping @Sendable () -> AccountToken,
        apiKey: @escaping @Sendable () -> APIKeySecret, attempt: @escaping @Sendable () -> UInt64,
        noteBatch: @escaping @Sendable (_ requests: Int) -> Void = { _ in }
    ) {
        audit = AuditTrail(salt: salt)
        ledger = Ledger(
            pool: pool, catalogue: catalogue, settings: settings, now: now, salt: salt, noteBatch: noteBatch)
        reader = ledger.reader()
        self.catalogue = catalogue
        labels = settings.labels
        accountTokens = AccountTokens(pool: pool, labels: settings.labels, now: now, random: accountToken)
        apiKeys = APIKeys(pool: pool, audit: audit, now: realNow, random: apiKey)
        idempotency = IdempotencyKeys(pool: pool, now: now, random: attempt)
        inbox = Inbox(pool: pool, now: now, realNow: realNow)
        export = Export(pool: pool, labels: settings.labels)
        erasure = Erasure(pool: pool, labels: settings.labels, audit: audit, now: now)
        reports = OperatorReader(pool: pool)
    }

    /// Records and reads until `shutDown`.
    package func run() async {
        async let reading: Void = reader.run()
        await ledger.run()
        await reading
    }

    /// Takes no more requests; those that wait are answered.
    package func shutDown() {
        ledger.shutDown()
        reader.shutDown()
    }
}

/// The store as it is asked from the first moment. Until the database has been opened it has nothing but the catalogue
/// of the file, so a process starts without a database and heals when it comes.
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

    /// The catalogue as known now.
    package var catalogue: CatalogueVersions { opened.withLock { $0 }?.catalogue.snapshot ?? provisional }

    /// Throws `notOpen` until the database has been opened.
    package func callAsFunction() throws(ServiceFailure) -> Store {
        guard let store = opened.withLock({ $0 }) else { throw .notOpen }
        return store
    }
}
