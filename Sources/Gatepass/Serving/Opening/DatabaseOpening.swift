import EntitlementAPI
import Entitlements
import Foundation
import LedgerStore
import Logging
import MariaDB
import ServiceLifecycle

/// Opens the database when it can be reached: checks the schema, reads the catalogue, then runs the store's queues
/// until the end.
///
/// While the database cannot be reached, it waits. A fault that waiting cannot cure ends the process with its reason,
/// for example a wrong password, an unsupported schema version or a broken catalogue.
struct DatabaseOpening: Service {
    /// The reason why the server does not start.
    enum Refusal: Error, CustomStringConvertible {
        case schemaTooOld(Int)
        case schemaTooNew(Int)
        case noCatalogue
        /// The database refused this server for ``RepeatedRefusal/longest``, for the same reason.
        case refused(because: String)

        var description: String {
            switch self {
            case .schemaTooOld(let version):
                """
                the database is at schema \(version) and this program needs \(Schema.accepted.lowerBound): \
                run `gatepass migrate`, or set migrations.on_start
                """
            case .schemaTooNew(let version):
                """
                the database is at schema \(version) and this program knows up to \(Schema.accepted.upperBound): \
                run the newer release
                """
            case .noCatalogue:
                """
                the database holds no catalogue and there is no file: write config/catalog.yaml, or name one with \
                --catalog
                """
            case .refused(let reason):
                "the database refuses this server: \(reason)"
            }
        }
    }

    private static let pause = Duration.milliseconds(250)
    private static let pauseBetweenKeys = Duration.seconds(2)

    let pool: Pool
    let store: StoreDoor
    let health: ServerHealth
    let keys: SigningKeys
    /// The signal that the database has been opened.
    let opening = OnceSignal()
    /// The signal that it is known whether the database is open: it is, or it has to be waited for.
    let decided = OnceSignal()
    let settings: Settings
    let catalogueFile: CatalogueFile?
    let migrations: [Migration]
    let clock: WallClock
    let uptime: @Sendable () -> Duration
    let metrics: ServerMetrics
    let logger: Logger

    /// Opens the database and runs the queues until the end. Throws `Refusal`, `MigrationRefusal`, or the fault of the
    /// catalogue.
    func run() async throws {
        guard let opened = try await cancelWhenGracefulShutdown(open) else { return }
        store.open(opened)
        opening.give()
        decided.give()
        await withGracefulShutdownHandler {
            await withDiscardingTaskGroup { group in
                group.addTask { await opened.run() }
                group.addTask { await cancelWhenGracefulShutdown { await watch(opened.catalogue) } }
                group.addTask { await cancelWhenGracefulShutdown { await watchKeys() } }
            }
        } onGracefulShutdown: {
            opened.shutDown()
        }
    }

    /// Waits for the database and opens it; nil if the process is to end before.
    private func open() async throws -> Store? {
        var (hasComplained, awaitsMigrations, refusals) = (false, false, RepeatedRefusal())
        while !Task.isCancelled {
            do {
                let isReady = try await isSchemaReady()
                refusals = RepeatedRefusal()
                if isReady {
                    try await warnOfLoss()
                    return try await openCatalogue()
                }
                if !awaitsMigrations { logger.warning("waiting for the tables: run `gatepass migrate`") }
                awaitsMigrations = true
            } catch {
                let failure = error as? ServiceFailure
                let isRefused = failure.map { refusals.lasts($0.code, at: uptime()) } ?? false
                guard !isRefused, failure != nil || error is SigningKeyFault else {
                    let reason: any Error = isRefused ? Refusal.refused(because: failure?.sentence ?? "") : error
                    logger.critical("this server does not start", metadata: ["because": "\(reason)"])
                    throw reason
                }
                if !hasComplained, !Task.isCancelled {
                    logger.warning(
                        "waiting for the database", metadata: ["error": "\(failure?.sentence ?? "\(error)")"])
                    hasComplained = true
                }
            }
            decided.give()
            try? await Task.sleep(for: Self.pause)  // cancelled: the loop ends
        }
        return nil
    }

    /// Logs a warning if the database is set up so that it may lose acknowledged commits. The server starts all the
    /// same.
    private func warnOfLoss() async throws {
        for defect in try await Durability.defects(in: pool) {
            logger.warning("acknowledged purchases can be lost", metadata: ["because": "\(defect)"])
        }
    }

    private func isSchemaReady() async throws -> Bool {
        let version = try await Schema.version(in: pool)
        guard version <= Schema.accepted.upperBound else { throw Refusal.schemaTooNew(version) }
        let migrator = try Migrator(pool: pool, migrations: migrations)
        try await migrator.requireUnedited()
        guard version < Schema.accepted.lowerBound else { return true }
        switch settings.migrations.onStart {
        case .refuse: throw Refusal.schemaTooOld(version)
        case .wait: return false
        case .apply:
            let done = try await migrator.migrate()
            logger.info("migrated", metadata: ["steps": "\(done.count)"])
            return true
        }
    }

    private func openCatalogue() async throws -> Store {
        let ledgerSettings = try await LedgerSettings(settings, from: pool, clock: clock)
        try await applyCatalogue()
        guard let versionCache = try await CatalogueVersionCache.open(pool: pool, read: CatalogueFile.stored) else {
            throw Refusal.noCatalogue
        }
        try await keys.resealOutdated()
        return Store(
            pool: pool, catalogue: versionCache, settings: ledgerSettings, clock: clock, noteBatch: metrics.committed
        ) { [logger] pseudonym in
            logger.error(
                "a standing is removed, because the ledger cannot be read", metadata: ["user": "#\(pseudonym)"])
        }
    }

    /// Applies the catalogue file. It becomes version 1 of an empty database; later it becomes a new version only if
    /// the settings say so.
    private func applyCatalogue() async throws {
        guard let catalogueFile else { return }
        let isEmpty = try await CatalogueVersionCache.open(pool: pool, read: CatalogueFile.stored) == nil
        let applier = CatalogueApplier(pool: pool, clock: clock, environment: settings.environment)
        if isEmpty || settings.catalogue.onChange == .apply {
            let applied = try await applier.apply(catalogueFile)
            if applied.isNew { logger.info("catalogue applied", metadata: ["version": "\(applied.version)"]) }
        } else if try await applier.differs(catalogueFile) {
            logger.warning("the catalogue file differs from the version in force: run `gatepass catalog apply`")
        }
    }

    /// Reads the signing keys regularly, so that keys are made, published and removed in time, and faults are logged,
    /// even if no client asks for a token.
    private func watchKeys() async {
        while !Task.isCancelled {
            _ = try? await health.signingKeys()  // what is wrong stands in the log and in readiness
            try? await Task.sleep(for: Self.pauseBetweenKeys)  // cancelled: the loop ends
        }
    }

    /// Reads a newer catalogue version soon after another instance or `gatepass catalog apply` puts it in force.
    private func watch(_ versionCache: CatalogueVersionCache) async {
        while !Task.isCancelled {
            try? await Task.sleep(for: .milliseconds(250))  // cancelled: the loop ends
            try? await versionCache.refreshIfNewer()  // the database is away: the cached versions stay
        }
    }
}
