import Logging
import MariaDB
import ServiceLifecycle
import Support

@testable import Gatepass

/// A server of this process, which can be handed a clock.
struct ServerHere: Service {
    private let server: Server

    /// Throws what makes a start impossible.
    func run() async throws {
        try await server.run(until: [])
    }

    /// Serves with these changes of the settings, and on another database if one is named, while `body` runs. Throws
    /// what `body` throws, and what makes a start impossible.
    static func serving(
        _ changes: [String: String] = [:], clock: WallClock = .real,
        uptime: @escaping @Sendable () -> Duration = Surroundings.uptime, onDatabase name: String? = nil,
        _ body: (EndToEndServer) async throws -> Void
    ) async throws {
        let prepared = try await EndToEndServer(changes)
        var database = prepared.schema.settings
        database.database = name ?? database.database
        let files = ServerFiles(lookup: .ofProcess())
        let logger = Logger(label: "here") { _ in SwiftLogNoOpLogHandler() }
        let (ports, port) = AsyncStream.makeStream(of: Int.self)
        let server = Server(
            settings: try LoadedSettings(from: SettingsInputs(environment: prepared.environment)).settings,
            catalogueFile: try CatalogueFile(text: EndToEndServer.catalogue(), fileName: "catalog.yaml"),
            migrations: try files.migrations(TestRun.repository + "/migrations"), files: files,
            database: database, logger: logger, clock: clock, uptime: uptime,
            onReady: { port.yield($0) })
        let group = ServiceGroup(services: [ServerHere(server: server)], logger: logger)
        try await withThrowingTaskGroup(of: Void.self) { tasks in
            tasks.addTask {
                defer { port.finish() }
                try await group.run()
            }
            let served: Result<Void, any Error>
            do {
                for await _ in ports {
                    try await body(prepared)
                    break
                }
                served = .success(())
            } catch {
                served = .failure(error)
            }
            await group.triggerGracefulShutdown()
            try await tasks.waitForAll()
            try served.get()
        }
    }
}
