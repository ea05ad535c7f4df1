import ArgumentParser
import Entitlements
import StoreSimulator

/// `gatepass simulate billing-failure`: Apple cannot charge for the next period of a plan.
struct SimulateBillingFailureCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "billing-failure",
        abstract: "Let billing fail at the end of a period; one that would still run ends now.")

    @OptionGroup var delivery: DeliveryOptions

    @Option(help: "A transaction of the plan (default: the user's newest plan).")
    var transaction: String?

    @Option(help: "The grace period, from the end of the period (default: none).")
    var graceDays: Int?

    @Flag(help: "The grace period of an earlier failure is over; Apple goes on trying.")
    var graceOver = false

    /// Throws the exit status 1 when it does not fit or the server refuses.
    func run() async throws {
        guard graceDays.map({ $0 > 0 }) ?? true else { throw ValidationError("--grace-days: write 1 or more") }
        guard !graceOver || graceDays == nil else {
            throw ValidationError("--grace-over and --grace-days exclude each other")
        }
        let act = try SubscriptionAct(delivery, transaction)
        try await Startup.reporting {
            try await act.perform({ "\(graceOver ? "Grace is over" : "Billing failed") for \($0.newest.words)" }) {
                kept in
                guard !graceOver else { return try kept.subscription.endGrace(at: act.at) }
                let end = min(kept.subscription.newest.expiresDate, act.at)
                let grace = graceDays.map { end + Int64($0) * Instant.millisecondsPerDay }
                return try kept.subscription.failBilling(graceUntil: grace, at: act.at)
            }
        }
    }
}

/// `gatepass simulate recover`: a retry of a failed charge succeeds.
struct SimulateRecoverCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "recover", abstract: "Let a retry succeed after billing failed.")

    @OptionGroup var delivery: DeliveryOptions

    @OptionGroup var route: RouteOptions

    @Option(help: "A transaction of the plan (default: the user's newest plan).")
    var transaction: String?

    /// Throws the exit status 1 when no billing has failed or the server refuses.
    func run() async throws {
        let act = try SubscriptionAct(delivery, transaction)
        try await Startup.reporting {
            try await act.perform(by: route.route, { "Recovered \($0.newest.words)" }) { kept in
                let subscription = kept.subscription
                let order = try act.order(
                    subscription.nextProductId, from: subscription.recoversFrom(at: act.at), days: kept.days)
                return try kept.subscription.recover(
                    as: order.transactionId, until: order.expiresDate, at: act.at)
            }
        }
    }
}
