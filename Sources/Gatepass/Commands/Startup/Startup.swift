import ArgumentParser
import Foundation
import LedgerStore
import Logging
import MariaDB

/// The start of a command: its settings, its files and its connection to the database. Each fault is printed and ends
/// the command.
struct Startup {
    let settings: Settings
    let files: ServerFiles
    let options: CommandOptions
    let lookup: FileLookup
    private(set) var logger: Logger
    /// The form of log lines: that of the settings, else the one that fits the standard error stream.
    let logForm: LogForm
    /// The clock by which commands record facts and answer questions.
    let clock: WallClock
    /// The keys of settings that are set and that no code reads yet.
    let idleSettings: [String]
    /// The installation whose running development server the command is for; nil for any other server.
    private(set) var installation: Installation?

    /// The start of a command for a server. Throws the exit status 1 if a fault was printed.
    init(_ options: CommandOptions, for target: Target) throws {
        try self.init(options, overrides: target.overrides, clock: target.clock)
        installation = target.installation
    }

    /// `overrides` are settings, by key, that replace those of the file. Throws the exit status 1 if a fault was
    /// printed.
    init(
        _ options: CommandOptions, overrides: [String: String] = [:], clock: WallClock = .real
    ) throws {
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
        let files = ServerFiles(lookup: lookup)
        try Self.reporting { try files.requireAuthority(loaded.settings) }
        self.files = files
        let (form, level) = (loaded.settings.log.form ?? LogForm.ofStandardError, loaded.settings.log.level.ofLogger)
        logForm = form
        LoggingSystem.bootstrap { _ in LineLogHandler(form: form, level: level) }
        logger = Logger(label: "gatepass")
    }

    /// This start without log lines, for a command that reports each fault itself.
    var silent: Startup {
        var copy = self
        copy.logger = Logger(label: "gatepass") { _ in SwiftLogNoOpLogHandler() }
        return copy
    }

    /// Logs one warning that names the settings that are set but have no effect.
    func warnOfIdleSettings() {
        guard !idleSettings.isEmpty else { return }
        let names = idleSettings.joined(separator: ", ")
        logger.warning("settings that have no effect yet are set", metadata: ["settings": "\(names)"])
    }

    /// Reads the catalogue from the file `name`, else from the usual file or the environment. Throws the exit status 1,
    /// and prints all faults, if it has any.
    func catalogueFile(named name: String? = nil) throws -> CatalogueFile {
        try Self.reporting { try loadCatalogue(named: name) }
    }

    /// Reads the catalogue, if a file or the environment has one; else nil. The database may have a catalogue already.
    func optionalCatalogueFile() throws -> CatalogueFile? { hasCatalogueFile ? try catalogueFile() : nil }

    /// True if a file or the environment has a catalogue.
    var hasCatalogueFile: Bool {
        options.catalogue != nil || lookup.find(FileLookup.defaultCatalogue) != nil
            || ProductMap.isConfigured(in: ProcessInfo.processInfo.environment)
    }

    /// Reads the catalogue from the file `name`, else from the usual file or the environment. Throws all its faults.
    func loadCatalogue(named name: String? = nil) throws(CatalogueFileError) -> CatalogueFile {
        try CatalogueLocation.load(
            explicit: name ?? options.catalogue, environment: ProcessInfo.processInfo.environment, lookup: lookup)
    }

    /// The connection settings of the database.
    var database: ConnectionSettings {
        let database = settings.database
        let endpoints: [ConnectionSettings.Endpoint] =
            database.socket.map { [.socket(path: $0)] }
            ?? database.hosts.map { .tcp(host: $0.host, port: Int($0.port)) }
        var connection = ConnectionSettings(
            endpoints: endpoints, database: database.name, user: database.user, password: database.password?.text,
            tlsCA: database.tlsCA.map { lookup.find($0)?.path ?? $0 })
        connection.connectTimeoutSeconds = database.connectSeconds
        connection.readTimeoutSeconds = database.readSeconds
        return connection
    }

    /// Runs `body` with a pool of at most two connections. `longestStatement` is the time-out of a statement in
    /// seconds, if it is not the usual one. Throws the error of `body`.
    func withPool<Answer: Sendable>(
        longestStatement: Int? = nil, _ body: @Sendable (Pool) async throws -> Answer
    ) async throws -> Answer {
        var limits = PoolLimits()
        limits.maxConnections = 2
        // A person at a shell waits longer than a request does.
        limits.waitTimeout = .seconds(10)
        var database = database
        if let longestStatement { database.readTimeoutSeconds = longestStatement }
        // A command tells the error itself, once.
        let pool = Pool(database, limits: limits, surroundings: Surroundings.pool, logger: silent.logger)
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

    /// Runs an act with a pool, as ``withPool(longestStatement:_:)`` does. Throws `InstallationKeys.Fault` without
    /// acting where no server would start: the database is another installation's, or the key-encryption key is wrong.
    func withPoolToAct<Answer: Sendable>(_ body: @Sendable (Pool) async throws -> Answer) async throws -> Answer {
        try await withPool { pool in
            let keys = InstallationKeys(
                pool: pool, seal: settings.tokens.seal, now: clock.now, random: Surroundings.randomBytes)
            if let fault = try await keys.fault() { throw fault }
            return try await body(pool)
        }
    }

    /// The exit status of a server that its database refuses (`EX_CONFIG`): starting it again would not help.
    static let refusedByDatabase = ExitCode(78)

    /// Runs `body`; prints its error and throws its exit status in its place, mostly 1.
    static func reporting<Answer>(_ body: () throws -> Answer) throws -> Answer {
        do {
            return try body()
        } catch {
            throw failure(error)
        }
    }

    /// Runs an asynchronous `body`; prints its error and throws its exit status in its place, mostly 1.
    static func reporting<Answer>(_ body: () async throws -> Answer) async throws -> Answer {
        do {
            return try await body()
        } catch {
            throw failure(error)
        }
    }

    private static func failure(_ error: any Error) -> any Error {
        if error is ExitCode { return error }
        StandardError.print("gatepass: \((error as? ServiceFailure)?.sentence ?? "\(error)")")
        guard let refusal = error as? DatabaseOpening.Refusal, case .refused = refusal else { return ExitCode.failure }
        return refusedByDatabase
    }
}
