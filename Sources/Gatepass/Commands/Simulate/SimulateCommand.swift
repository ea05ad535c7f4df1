import ArgumentParser
import EntitlementAPI
import Entitlements

/// `gatepass simulate`: simulates what a store does, signed by the development authority.
struct SimulateCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "simulate",
        abstract:
            "Sign a purchase, a refund or its reversal and deliver it as the app would, or prove an Apple account.",
        subcommands: [
            SimulatePurchaseCommand.self, SimulateRefundCommand.self, SimulateReverseCommand.self,
            SimulateAppTransactionCommand.self,
        ])
}

/// The options of every simulation.
struct SimulationOptions: ParsableArguments {
    @OptionGroup var options: CommandOptions

    @OptionGroup var installation: InstallationOptions

    @Option(help: "The user who buys.")
    var user = "alice"

    @Option(help: "When it happens: RFC 3339, such as 2026-01-15T00:00:00Z (default: now).")
    var at: String?

    @Flag(name: .customLong("print"), help: "Print the JWS and deliver nothing.")
    var printsOnly = false

    @Flag(help: "Print one JSON document: the transaction id, the JWS and the answer.")
    var json = false

    /// The instant of `--at`, in milliseconds. Throws when it is none.
    func instant() throws -> Int64 {
        guard let at else { return Surroundings.now().milliseconds }
        guard let instant = RFC3339.instant(at) else { throw ValidationError("--at \(at) is not RFC 3339 in UTC") }
        return instant.milliseconds
    }
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
