import AppStore
import ArgumentParser
import Entitlements
import StoreSimulator

/// `gatepass simulate app-transaction`: the proof of an Apple account that attach and restore take.
struct SimulateAppTransactionCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "app-transaction", abstract: "Print the signedAppTransaction of a user's Apple account.")

    @OptionGroup var options: CommandOptions

    @OptionGroup var installation: InstallationOptions

    @Option(help: "The user whose Apple account it is.")
    var user = "alice"

    @Option(help: "The bundle id of the app (default: the first of the catalogue).")
    var app: String?

    @OptionGroup var environment: EnvironmentOptions

    /// Throws when the app or the environment is none, and the exit status 1 where there is no installation.
    func run() async throws {
        let apps = try Startup(options).catalogueFile().catalogue.apps
        guard let app = apps.first(where: { app == nil || $0.id.text == app }) else {
            throw ValidationError("--app \(app ?? ""): write one of \(apps.map(\.id.text).joined(separator: ", "))")
        }
        let installation = Installation(path: installation.dataDir)
        var transaction = SimulatedAppTransaction(
            bundleId: app.id.text, at: installation.clock.now().milliseconds)
        transaction.environment = try environment.chosen()
        transaction.appAppleId = transaction.environment == .production ? app.appleID : nil
        transaction.appTransactionId = SoldPurchase.appTransactionID(of: user)
        try Startup.reporting {
            try installation.requireMade()
            print(try installation.authority().sign(transaction).text)
        }
    }
}
