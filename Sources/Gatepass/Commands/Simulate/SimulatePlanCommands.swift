import ArgumentParser
import StoreSimulator

/// `gatepass simulate upgrade`: the customer goes to a higher plan at once.
struct SimulateUpgradeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "upgrade", abstract: "Go to a higher plan at once.")

    @OptionGroup var delivery: DeliveryOptions

    @OptionGroup var route: RouteOptions

    @Option(help: "A transaction of the plan (default: the user's newest plan).")
    var transaction: String?

    @Option(name: .customLong("to"), help: "The higher plan.")
    var target: String

    /// Throws the exit status 1 when it does not fit or the server refuses.
    func run() async throws {
        let act = try SubscriptionAct(delivery, transaction)
        try await Startup.reporting {
            try await act.perform(by: route.route, { "Upgraded to \($0.newest.words)" }) { kept in
                let order = try act.order(target, from: act.at, days: kept.days)
                return try kept.subscription.upgrade(to: order, at: act.at)
            }
        }
    }
}

/// `gatepass simulate downgrade`: the customer chooses a lower plan for the next period.
struct SimulateDowngradeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "downgrade", abstract: "Choose a lower plan for the next period, or the present one again.")

    @OptionGroup var delivery: DeliveryOptions

    @Option(help: "A transaction of the plan (default: the user's newest plan).")
    var transaction: String?

    @Option(name: .customLong("to"), help: "The lower plan.")
    var target: String

    /// Throws the exit status 1 when it does not fit or the server refuses.
    func run() async throws {
        let act = try SubscriptionAct(delivery, transaction)
        try await Startup.reporting {
            let price = try PlanOnSale(target, in: act.catalogue).price
            try await act.perform({ "\($0.newest.words) will renew as \($0.nextProductId)" }) { kept in
                try kept.subscription.downgrade(to: target, price: price, at: act.at)
            }
        }
    }
}

/// `gatepass simulate price-increase`: the next period of a plan costs more.
struct SimulatePriceIncreaseCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "price-increase", abstract: "Plan a higher price, which the customer has to consent to.")

    /// How much more it costs, in thousandths of the currency's unit.
    private static let increase: Int64 = 1_000

    @OptionGroup var delivery: DeliveryOptions

    @Option(help: "A transaction of the plan (default: the user's newest plan).")
    var transaction: String?

    @Flag(help: "The customer has consented, or does not have to.")
    var accepted = false

    /// Throws the exit status 1 when it does not fit or the server refuses.
    func run() async throws {
        let act = try SubscriptionAct(delivery, transaction)
        try await Startup.reporting {
            try await act.perform({
                "A higher price \(accepted ? "is accepted" : "awaits consent") for \($0.newest.words)"
            }) { kept in
                let isAsked = kept.subscription.consentsToPrice == false
                let price = isAsked ? nil : kept.subscription.nextPrice + Self.increase
                return try kept.subscription.increasePrice(to: price, isAccepted: accepted, at: act.at)
            }
        }
    }
}
