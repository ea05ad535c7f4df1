import ArgumentParser
import Foundation
import LedgerStore
import Logging
import MariaDB

/// The start of a command: settings, files and the way to the database. Every fault is printed and ends the command.
struct Startup {
    let settings: Settings
    let files: ServerFiles
    let options: CommandOptions
    let lookup: FileLookup
    let logger: Logger
    /// The clock by which commands record and tell.
    let clock: WallClock
    private let idleSettings: [String]

    /// `overrides` are settings by key that the command line says. Throws the exit status 1 when a fault was printed.
    init(_ options: CommandOptions, overrides: [String: String] = [:], clock: WallClock = .real) throws {
        self.options = options
        self.clock = clock
        let lookup = FileLookup.ofProcess().around(config: options.config)
        self.lookup = lookup
        let loaded = try Self.reporting {
            try LoadedSettings(
                from: try SettingsInputs.ofProcess(config: options.config, commandLine: overrides, lookup: lookup))
        }
        settings = loaded.settings
        idleSettings = IdleSettings.set(in: loaded.effective)
        files = ServerFiles(lookup: lookup)
        LoggingSystem.bootstrap { _ in JSONLogHandler() }
        logger = Logger(label: "gatepass")
    }

    /// Tells of settings that are set and have no effect, in one line.
    func warnOfIdleSettings() {
        guard !idleSettings.isEmpty else { return }
        let names = idleSettings.joined(separator: ", ")
        logger.warning("settings that have no effect yet are set", metadata: ["settings": "\(names)"])
    }

    /// The catalogue of the file or of the environment. Throws the exit status 1 with every fault of it.
    func catalogueFile() throws -> CatalogueFile {
        try Self.reporting {
            try CatalogueLocation.load(
                explicit: options.catalogue, environment: ProcessInfo.processInfo.environment, lookup: lookup)
        }
    }

    /// The catalogue file; nil where there is none and none was named, for the database may hold the catalogue.
    func optionalCatalogueFile() throws -> CatalogueFile? {
        let environment = ProcessInfo.processInfo.environment
        let isThere = lookup.find(FileLookup.defaultCatalogue) != nil || ProductMap.isConfigured(in: environment)
        guard options.catalogue != nil || isThere else { return nil }
        return try catalogueFile()
    }

    /// How the settings say that the database is reached.
    var database: ConnectionSettings {
        let database = settings.database
        let endpoints: [ConnectionSettings.Endpoint] =
            database.socket.map { [.socket(path: $0)] }
            ?? database.hosts.map { .tcp(host: $0, port: Int(database.port)) }
        return ConnectionSettings(
            endpoints: endpoints, database: database.name, user: database.user, password: database.password?.text,
            tlsCA: database.tlsCA.map { lookup.find($0)?.path ?? $0 })
    }

    /// Runs `body` with a pool of one connection or two, each of whose statements may take `longestStatement` seconds
    /// if it is given. Throws what `body` throws.
    func withPool<Answer: Sendable>(
        longestStatement: Int? = nil, _ body: @Sendable (Pool) async throws -> Answer
    ) async throws -> Answer {
        var limits = PoolLimits()
        limits.maxConnections = 2
        var database = database
        if let longestStatement { database.readTimeoutSeconds = longestStatement }
        let pool = Pool(database, limits: limits, surroundings: Surroundings.pool, logger: logger)
        async let running: Void = pool.run()
        let answer: Result<Answer, any Error>
        do {
            answer = .success(try await body(pool))
        } catch {
            answer = .failure(error)
        }
        pool.shutDown()
        await running
        return try answer.get()
    }

    /// Prints what `body` throws and throws the exit status 1 instead.
    static func reporting<Answer>(_ body: () throws -> Answer) throws -> Answer {
        do {
            return try body()
        } catch {
            throw failure(error)
        }
    }

    /// Prints what an asynchronous `body` throws and throws the exit status 1 instead.
    static func reporting<Answer>(_ body: () async throws -> Answer) async throws -> Answer {
        do {
            return try await body()
        } catch {
            throw failure(error)
        }
    }

    private static func failure(_ error: any Error) -> any Error {
        if error is ExitCode { return error }
        StandardError.print("gatepass: \(error)")
        return ExitCode.failure
    }
}
