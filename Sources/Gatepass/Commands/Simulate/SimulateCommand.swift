import ArgumentParser
import EntitlementAPI
import Entitlements

/// `gatepass simulate`: simulates what a store does, signed by the development authority.
struct SimulateCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "simulate",
        abstract: "Play the stores: buy, renew, cancel, refund …, and tell the running server as they would.",
        subcommands: [
            SimulatePurchaseCommand.self, SimulateRefundCommand.self, SimulateReverseCommand.self,
            SimulateSubscribeCommand.self, SimulateRenewCommand.self, SimulateCancelCommand.self,
            SimulateExpireCommand.self, SimulateUpgradeCommand.self, SimulateDowngradeCommand.self,
            SimulateBillingFailureCommand.self, SimulateRecoverCommand.self, SimulatePriceIncreaseCommand.self,
            SimulateRevokeCommand.self, SimulateApproveCommand.self, SimulateNotifyCommand.self,
            SimulateDeliverCommand.self, SimulateStoryCommand.self, SimulateAppTransactionCommand.self,
            SimulateStripeCommand.self,
        ])
}

/// The options of every simulation.
struct SimulationOptions: ParsableArguments {
    @OptionGroup var options: CommandOptions

    @OptionGroup var installation: InstallationOptions

    @Option(help: "The user who buys.")
    var user = "alice"

    @Option(
        help: "When it happens: RFC 3339, such as 2026-01-15T00:00:00Z (default: now, by the installation's clock).")
    var at: String?

    @Flag(name: .customLong("print"), help: "Print the JWS and deliver nothing.")
    var printsOnly = false

    @Flag(help: "Print one JSON document: the ids, the JWS and the answers.")
    var json = false

    /// The instant of `--at`, in milliseconds. Throws when it is none.
    func instant() throws -> Int64 {
        guard let at else { return Installation(path: installation.dataDir).clock.now().milliseconds }
        guard let instant = RFC3339.instant(at) else { throw ValidationError("--at \(at) is not RFC 3339 in UTC") }
        return instant.milliseconds
    }

    /// The user of `--user`. Throws when it is none.
    func userID() throws -> UserID {
        guard let user = UserID(user) else { throw ValidationError("--user \(user) is no user id") }
        return user
    }
}

/// The options of what the App Store tells the server.
struct DeliveryOptions: ParsableArguments {
    @OptionGroup var simulation: SimulationOptions

    @Flag(help: "Deliver the notification twice, as the App Store does when an answer is lost.")
    var twice = false

    @Flag(help: "Hold the notification back until `gatepass simulate deliver`.")
    var hold = false

    /// Throws `ValidationError` for what excludes each other.
    func validate() throws {
        if twice, hold { throw ValidationError("--twice and --hold exclude each other") }
    }
}

/// How the server learns of a change that the user's app sees as well.
struct RouteOptions: ParsableArguments {
    @Flag(help: "Have the user's app attach the transaction, and send no notification.")
    var byApp = false

    /// What the flag says.
    var route: EventDelivery.Route { byApp ? .app : .notification }
}

/// Which of Apple's environments signs.
struct EnvironmentOptions: ParsableArguments {
    @Option(help: "Sandbox or Production.")
    var environment = StoreEnvironment.sandbox.rawValue

    /// The environment of `--environment`. Throws when it is none.
    func chosen() throws -> StoreEnvironment {
        guard let chosen = StoreEnvironment(rawValue: environment) else {
            throw ValidationError("--environment \(environment): write Sandbox or Production")
        }
        return chosen
    }
}
