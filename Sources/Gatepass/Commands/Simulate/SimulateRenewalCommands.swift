import ArgumentParser
import StoreSimulator

/// `gatepass simulate renew`: Apple charges for the next period of a plan.
struct SimulateRenewCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "renew", abstract: "Renew a plan: its next period follows upon the present one.")

    @OptionGroup var delivery: DeliveryOptions

    @OptionGroup var route: RouteOptions

    @Option(help: "A transaction of the plan (default: the user's newest plan).")
    var transaction: String?

    /// Throws the exit status 1 when the plan does not renew or the server refuses.
    func run() async throws {
        let act = try SubscriptionAct(delivery, transaction)
        try await Startup.reporting {
            try await act.perform(by: route.route, { "Renewed \($0.newest.words)" }) { kept in
                let subscription = kept.subscription
                let order = try act.order(
                    subscription.nextProductId, from: subscription.newest.expiresDate, days: kept.days)
                return try kept.subscription.renew(
                    as: order.transactionId, until: order.expiresDate, at: act.at)
            }
        }
    }
}

/// `gatepass simulate cancel`: the customer switches renewal off.
struct SimulateCancelCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "cancel", abstract: "Switch the renewal of a plan off, or on again.")

    @OptionGroup var delivery: DeliveryOptions

    @Option(help: "A transaction of the plan (default: the user's newest plan).")
    var transaction: String?

    @Flag(help: "Switch it on again.")
    var undo = false

    /// Throws the exit status 1 when renewal is so already or the server refuses.
    func run() async throws {
        let act = try SubscriptionAct(delivery, transaction)
        try await Startup.reporting {
            try await act.perform({ "Renewal is \(undo ? "on" : "off") for \($0.newest.words)" }) { kept in
                undo ? try kept.subscription.enable(at: act.at) : try kept.subscription.cancel(at: act.at)
            }
        }
    }
}

/// `gatepass simulate expire`: a plan ends.
struct SimulateExpireCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "expire", abstract: "End a plan; a period that would still run ends now.")

    @OptionGroup var delivery: DeliveryOptions

    @Option(help: "A transaction of the plan (default: the user's newest plan).")
    var transaction: String?

    @Flag(help: "The product is not for sale any more.")
    var notForSale = false

    /// Throws the exit status 1 when it has ended already or the server refuses.
    func run() async throws {
        let act = try SubscriptionAct(delivery, transaction)
        try await Startup.reporting {
            try await act.perform({ "Ended \($0.newest.words)" }) { kept in
                try kept.subscription.expire(isUnavailable: notForSale, at: act.at)
            }
        }
    }
}
