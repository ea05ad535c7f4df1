import AppStore
import ArgumentParser
import EntitlementAPI
import Entitlements
import StoreSimulator

/// `gatepass simulate refund`: Apple refunds a purchase, wholly or in part.
struct SimulateRefundCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "refund", abstract: "Refund a purchase.")

    @OptionGroup var simulation: SimulationOptions

    @Option(help: "The transaction (default: the user's newest that was delivered).")
    var transaction: String?

    @Option(help: "The percentage of the price that is refunded, up to 100, such as 33.333.")
    var percent = 100.0

    /// Throws the exit status 1 when there is no such purchase or the server refuses the state.
    func run() async throws {
        guard (0...100).contains(percent) else { throw ValidationError("--percent \(percent): write 0 to 100") }
        let at = try simulation.instant()
        try await Startup.reporting {
            try await LaterState(simulation: simulation, transaction: transaction).tell(at: at) {
                $0.refunded(at: at, percentage: Int64((percent * 1_000).rounded()))
            }
        }
    }
}

/// `gatepass simulate reverse`: Apple undoes a refund.
struct SimulateReverseCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "reverse", abstract: "Undo a refund.")

    @OptionGroup var simulation: SimulationOptions

    @Option(help: "The transaction (default: the user's newest that was delivered).")
    var transaction: String?

    /// Throws the exit status 1 when there is no such purchase or the server refuses the state.
    func run() async throws {
        let at = try simulation.instant()
        try await Startup.reporting {
            try await LaterState(simulation: simulation, transaction: transaction).tell(at: at) { $0.reversed(at: at) }
        }
    }
}

/// A later state of a purchase that the simulator sold.
struct LaterState {
    /// The simulator sold nothing of that name, or later than the state would be.
    struct Unsold: Error, CustomStringConvertible {
        let description: String
    }

    let simulation: SimulationOptions
    let transaction: String?

    /// Signs what `change` makes of the purchase at `at` and delivers it. Throws `Unsold`, or what the delivery throws.
    func tell(at: Int64, _ change: (SimulatedTransaction) -> SimulatedTransaction) async throws {
        let installation = Installation(path: simulation.installation.dataDir)
        try installation.requireMade()
        guard var sold = try SoldPurchase.find(transaction, of: simulation.user, in: installation) else {
            let what =
                transaction.map { "no transaction \($0) was sold" } ?? "nothing was delivered to \(simulation.user)"
            throw Unsold(description: "\(what) here: run `gatepass simulate purchase` first")
        }
        guard at >= sold.purchasedAt else {
            let purchasedAt = RFC3339.text(of: Instant(milliseconds: sold.purchasedAt))
            throw Unsold(
                description: "transaction \(sold.transactionID) was bought at \(purchasedAt): name a later --at")
        }
        var state = change(sold.transaction)
        state.signedDate = max(state.revocationDate ?? state.signedDate, sold.signedAt + 1)
        sold.signedAt = state.signedDate
        try sold.keep(in: installation)
        let signed = try installation.authority().sign(state)
        try await Delivery(simulation: simulation, installation: installation).deliver(signed, of: sold)
    }
}
