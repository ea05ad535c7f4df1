import LedgerStore
import Logging
import MariaDB
import ServiceLifecycle
import UnixSignals

/// Reads the catalogue file again on SIGHUP. The file is applied if the setting `catalog.on_change` says so.
struct CatalogueReload: Service {
    let server: Server
    let pool: Pool

    /// Waits for signals until the process is to end. Throws nothing.
    func run() async throws {
        for await _ in await UnixSignalsSequence(trapping: .sighup).cancelOnGracefulShutdown() {
            await reload()
        }
    }

    private func reload() async {
        guard server.settings.catalogue.onChange == .apply, let name = server.catalogueFile?.name else {
            server.logger.warning("SIGHUP changes nothing: catalog.on_change is refuse; run `gatepass catalog apply`")
            return
        }
        do {
            let file = try CatalogueFile(text: try server.files.text(name, "the catalogue"), fileName: name)
            let applied = try await CatalogueApplier(
                pool: pool, clock: server.clock, environment: server.settings.environment
            )
            .apply(file)
            server.logger.info(
                "catalogue read again", metadata: ["version": "\(applied.version)", "new": "\(applied.isNew)"])
        } catch {
            server.logger.error("the catalogue file is not applied", metadata: ["error": "\(error)"])
        }
    }
}
