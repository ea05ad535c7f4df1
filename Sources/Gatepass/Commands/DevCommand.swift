import ArgumentParser
import Entitlements
import Foundation
import LedgerStore
import StoreSimulator

/// `gatepass dev`: runs all that a developer needs in one process. Nothing is left running when it ends.
struct DevCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "dev", abstract: "Serve with a private database, a development authority and the demo catalogue.",
        discussion: "For example: gatepass dev --catalog my-app.yaml --port 8090 --data-dir .my-app")

    @OptionGroup var installation: InstallationOptions

    @Option(help: "The port to listen on (default: the setting http.port); 0 takes a free one.")
    var port: Int?

    @Option(help: "The address to listen on (default: the setting http.host); with 0.0.0.0 a phone can reach it.")
    var host: String?

    @Flag(help: "Make a dozen customers with stories, if the installation is new.")
    var customers = false

    private var options: CommandOptions { installation.options }

    /// Throws the exit status 1 if the database or the server cannot start.
    func run() async throws {
        let installation = installation.installation
        try await Startup.reporting { try await serve(installation) }
    }

    private func serve(_ installation: Installation) async throws {
        let inputs = try SettingsInputs.ofProcess(
            config: options.config, lookup: .ofProcess().around(config: options.config))
        let settings = LoadedSettings.effective(from: inputs).settings
        let isProduction = settings.contains {
            $0.key == "environment" && $0.shown == Settings.Environment.production.rawValue
        }
        guard !isProduction else { throw Installation.Failure.production }
        try Self.requireNoLogin(in: settings)
        try installation.claim()
        Self.tellReplaced(settings)
        if customers { try installation.begin(before: Customers.past) }
        let database = EmbeddedMariaDB(directory: installation.directory.appendingPathComponent("mariadb"))
        try await database.start()
        let ended: Result<Void, any Error>
        do {
            ended = .success(try await serve(installation, database))
        } catch {
            ended = .failure(error)
        }
        installation.withdraw()
        await database.stop()
        try ended.get()
    }

    private func serve(_ installation: Installation, _ database: EmbeddedMariaDB) async throws {
        let authority = try installation.authority()
        _ = try installation.receiptAuthority()
        try await Schema.create(Self.schema, with: database.settings(database: nil))
        let overrides = try overrides(installation, database)
        let clock = installation.clock
        let startup = try Startup(options, overrides: overrides, clock: clock.wallClock)
        guard Reach.isReached(listeningOn: startup.settings.http.host) else {
            throw Installation.Failure.host(startup.settings.http.host)
        }
        startup.warnOfIdleSettings()
        let catalogue = try startup.catalogueFile()
        let store = SimulatedStore(installation, selling: catalogue.catalogue, by: clock, logger: startup.logger)
        try await Server(
            settings: startup.settings, catalogueFile: catalogue,
            migrations: try startup.files.migrations(options.migrations), files: startup.files,
            database: startup.database, logger: startup.logger, clock: clock.wallClock, store: store,
            logForm: startup.logForm
        ) { port in
            await announce(store, overrides, authority, catalogue.catalogue, startup, port: port)
        }.run()
    }

    private static let schema = "gatepass"

    /// The settings of a login, in whose place the installation's own tokens are taken.
    private static let loginKeys = [
        "auth.hs256_secret", "auth.hs256_previous", "auth.public_key_file", "auth.jwks_url", "auth.issuer",
        "auth.audience", "auth.user_id_claim",
    ]

    /// Throws `Installation.Failure` if the settings name a login, which would silently have no effect.
    private static func requireNoLogin(in settings: [EffectiveSetting]) throws {
        let login = settings.first {
            loginKeys.contains($0.key) && $0.shown != EffectiveSetting.defaults[$0.key]
        }
        if let login { throw Installation.Failure.login(key: login.key, origin: login.origin) }
    }

    /// Tells which settings of stores have no effect, because the installation has stores of its own.
    private static func tellReplaced(_ settings: [EffectiveSetting]) {
        let replaced = settings.filter {
            ($0.key.hasPrefix("apple.") && $0.key != "apple.ocsp" && !$0.key.hasPrefix("apple.consumption.")
                || $0.key == "stripe.signing_secrets") && $0.shown != EffectiveSetting.defaults[$0.key]
        }
        guard !replaced.isEmpty else { return }
        let names = replaced.map { "\($0.key) (\($0.origin))" }.joined(separator: ", ")
        StandardError.print(
            "gatepass: the stores are simulated here, so these settings have no effect: \(VisibleText.escaped(names))")
    }

    /// The settings for the installation's own database, keys and sign-in. They replace those of the settings file.
    private func overrides(_ installation: Installation, _ database: EmbeddedMariaDB) throws -> [String: String] {
        let address = ["http.host": host, "http.port": port.map(String.init)].compactMapValues(\.self)
        return try [
            "environment": "development", "database.socket": database.socket,
            "database.user": database.user, "database.name": Self.schema, "database.password": "",
            "database.tls_ca": "",
            "auth.hs256_secret": installation.secret(), "auth.public_key_file": "", "auth.jwks_url": "",
            "auth.issuer": "", "auth.audience": "", "auth.user_id_claim": "sub",
            "stripe.signing_secrets": installation.cardSecret(),
            "tokens.key_encryption_key": installation.keyEncryptionKey().base64,
            "apple.issuer_id": "00000000-0000-0000-0000-000000000000", "apple.key_id": "DEVELOPMENT",
            "apple.private_key_file": installation.appStoreKeyFile(),
            "apple.api_base_url": "", "apple.sandbox_api_base_url": "", "apple.verify_receipt_url": "",
            "apple.sandbox_verify_receipt_url": "", "apple.shared_secret": installation.receiptSecret(),
            "apple.trust_roots": "\(Settings.Apple.defaultTrustRoot),\(installation.rootFile)",
            "apple.receipt_roots": "\(Settings.Apple.defaultReceiptRoot),\(installation.receiptRootFile)",
        ].merging(address) { $1 }
    }

    /// The settings on which answers depend, by key, so that a command in another shell answers as the server does.
    private static func decidingSettings(_ settings: Settings) -> [String: String] {
        [
            "sandbox_access": settings.sandboxAccess.rawValue,
            "plans.renewal_leeway_hours": "\(settings.entitlements.renewalLeewayHours)",
            "devices.seat_grace_hours": "\(settings.entitlements.seatGraceHours)",
            "auth.apple_accounts.enabled": "\(settings.auth.appleTokenDays != nil)",
        ]
    }

    private func announce(
        _ simulated: SimulatedStore, _ overrides: [String: String], _ authority: DevelopmentAuthority,
        _ catalogue: Catalogue, _ startup: Startup, port: Int
    ) async {
        let installation = simulated.installation
        do {
            let reach = Reach(host: startup.settings.http.host, port: port, addresses: Reach.addresses())
            let address = reach.here
            let production = Installation.appStoreAddress(.production, at: address)
            let sandbox = Installation.appStoreAddress(.sandbox, at: address)
            let reached = [
                "address": address, "apple.api_base_url": production, "apple.sandbox_api_base_url": sandbox,
                "apple.verify_receipt_url": production + "/verifyReceipt",
                "apple.sandbox_verify_receipt_url": sandbox + "/verifyReceipt",
            ]
            let settings = overrides.merging(reached) { _, new in new }
                .merging(Self.decidingSettings(startup.settings)) { _, new in new }
            try installation.announce(settings)
            if simulated.lead < 0 {
                let server = try RunningServer(on: installation)
                try await startup.withStore { store in
                    try await Customers(
                        installation: installation, simulated: simulated, server: server, store: store,
                        catalogue: catalogue, authority: authority
                    ).play()
                }
            }
            let pages = startup.settings.dashboard
            let origin = pages.origins(port: pages.onMainPort ? port : Int(pages.port))[0]
            let dashboard = pages.enabled ? try await DevelopmentOwner(startup: startup).lines(at: origin) : []
            // Log lines that were collected so far stand above the summary, which is seen last.
            LogStream.standardError.flush()
            try await Welcome(
                reach: reach, installation: installation, authority: authority, catalogue: catalogue,
                dashboard: dashboard, signsInAppleAccounts: startup.settings.auth.appleTokenDays != nil
            ).show()
        } catch {
            StandardError.print("gatepass: the summary cannot be made: \(error)")
        }
    }
}
