import ArgumentParser
import Entitlements
import StoreSimulator

/// `gatepass simulate stripe`: plays a card account, signed with the installation's endpoint secret.
struct SimulateStripeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "stripe",
        abstract: "Play card billing: check out, renew, fail, refund …, and tell the running server as Stripe would.",
        subcommands: [
            SimulateStripeCheckoutCommand.self, SimulateStripeRenewCommand.self, SimulateStripeFailCommand.self,
            SimulateStripeRecoverCommand.self, SimulateStripeCancelCommand.self, SimulateStripePauseCommand.self,
            SimulateStripeResumeCommand.self, SimulateStripeRefundCommand.self, SimulateStripeDisputeCommand.self,
        ])
}

/// The options of every act of a card account.
struct CardOptions: ParsableArguments {
    @OptionGroup var simulation: SimulationOptions

    @Flag(help: "Deliver each event twice, as when an answer is lost.")
    var twice = false

    @Flag(help: "Deliver the events in reverse order.")
    var reversed = false
}

/// `gatepass simulate stripe checkout`: somebody pays by card.
struct SimulateStripeCheckoutCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "checkout", abstract: "Pay by card for a product of the catalogue.")

    @OptionGroup var card: CardOptions

    @Option(help: "The product, by its id (default: the first that the catalogue sells by card).")
    var product: String?

    @Option(help: "The length of each period in days (default: the plan's own month or year).")
    var days: Int?

    @Flag(help: "The first period is a free trial.")
    var trial = false

    @Flag(help: "Write the events as before API version 2025-03-31.")
    var oldShape = false

    @OptionGroup var environment: EnvironmentOptions

    /// Throws when the catalogue sells no such product by card, and the exit status 1 when the server refuses.
    func run() async throws {
        guard days.map({ $0 > 0 }) ?? true else { throw ValidationError("--days: write 1 or more") }
        let act = try CardAct(card)
        let goods = try CardGoods(product, in: act.catalogue)
        let account = CardAccount(
            oldShape ? .old : .new, tag: String(Surroundings.id().prefix(14)),
            isLive: try environment.chosen() == .production)
        let user = card.simulation.user
        try await Startup.reporting {
            let (sale, events) =
                goods.isPlan
                ? SimulatedCardSale.subscribe(
                    to: goods.name, by: user, until: goods.end(from: act.seconds, days: days), isTrial: trial,
                    at: act.seconds, of: account)
                : SimulatedCardSale.pay(goods.name, by: user, at: act.seconds, to: account)
            let kept = KeptCardSale(days: days, number: Surroundings.now().milliseconds, sale: sale)
            try await act.tell("\(user) paid for \(goods.product) by card", events, of: kept)
        }
    }
}

/// `gatepass simulate stripe renew`: the next period is paid.
struct SimulateStripeRenewCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "renew", abstract: "Renew a subscription: its next period begins and is paid.")

    @OptionGroup var card: CardOptions

    /// Throws the exit status 1 when it does not renew or the server refuses.
    func run() async throws {
        try await CardAct(card).perform("Renewed") { kept, goods, seconds in
            try kept.sale.renew(until: goods.end(from: kept.sale.endsAt, days: kept.days), at: seconds)
        }
    }
}

/// `gatepass simulate stripe fail`: the next period begins and is not paid.
struct SimulateStripeFailCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "fail", abstract: "Begin the next period of a subscription and let its payment fail.")

    @OptionGroup var card: CardOptions

    /// Throws the exit status 1 when it does not renew or the server refuses.
    func run() async throws {
        try await CardAct(card).perform("Payment failed for") { kept, goods, seconds in
            try kept.sale.fail(until: goods.end(from: kept.sale.endsAt, days: kept.days), at: seconds)
        }
    }
}

/// `gatepass simulate stripe recover`: a later attempt succeeds.
struct SimulateStripeRecoverCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "recover", abstract: "Let a later attempt to charge succeed.")

    @OptionGroup var card: CardOptions

    /// Throws the exit status 1 when nothing failed or the server refuses.
    func run() async throws {
        try await CardAct(card).perform("Recovered") { kept, _, seconds in try kept.sale.recover(at: seconds) }
    }
}

/// `gatepass simulate stripe cancel`: a subscription ends.
struct SimulateStripeCancelCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "cancel", abstract: "End a subscription with its period, or now.")

    @OptionGroup var card: CardOptions

    @Flag(name: .customLong("now"), help: "It ends at once.")
    var atOnce = false

    /// Throws the exit status 1 when it has ended already or the server refuses.
    func run() async throws {
        try await CardAct(card).perform(atOnce ? "Ended" : "Ends with its period:") { kept, _, seconds in
            try kept.sale.cancel(atOnce: atOnce, at: seconds)
        }
    }
}

/// `gatepass simulate stripe pause`: a subscription gives nothing until it is resumed.
struct SimulateStripePauseCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "pause", abstract: "Pause a subscription.")

    @OptionGroup var card: CardOptions

    /// Throws the exit status 1 when it does not run or the server refuses.
    func run() async throws {
        try await CardAct(card).perform("Paused") { kept, _, seconds in try kept.sale.pause(at: seconds) }
    }
}

/// `gatepass simulate stripe resume`: a paused subscription begins a new period.
struct SimulateStripeResumeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "resume", abstract: "Resume a paused subscription with a new period.")

    @OptionGroup var card: CardOptions

    /// Throws the exit status 1 when it is not paused or the server refuses.
    func run() async throws {
        try await CardAct(card).perform("Resumed") { kept, goods, seconds in
            try kept.sale.resume(until: goods.end(from: seconds, days: kept.days), at: seconds)
        }
    }
}

/// `gatepass simulate stripe refund`: the last payment goes back, wholly or in part.
struct SimulateStripeRefundCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "refund", abstract: "Refund the last payment, or a part of it.")

    @OptionGroup var card: CardOptions

    @Option(help: "How many hundredths have been refunded in all, 1 to 100.")
    var percent: Int64 = 100

    /// Throws when the share is none, and the exit status 1 when the server refuses.
    func run() async throws {
        guard (1...100).contains(percent) else { throw ValidationError("--percent \(percent): write 1 to 100") }
        try await CardAct(card).perform(percent == 100 ? "Refunded" : "Refunded \(percent) % of") { kept, _, seconds in
            kept.sale.refund(percent: percent, at: seconds)
        }
    }
}

/// `gatepass simulate stripe dispute`: the customer's bank disputes the last payment, or decides.
struct SimulateStripeDisputeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "dispute", abstract: "Dispute the last payment, or let the dispute be won or lost.")

    @OptionGroup var card: CardOptions

    @Flag(help: "The account won it.")
    var won = false

    @Flag(help: "The account lost it.")
    var lost = false

    /// Throws when it is both, and the exit status 1 when the server refuses.
    func run() async throws {
        guard !won || !lost else { throw ValidationError("--won and --lost exclude each other") }
        let dispute: SimulatedCardSale.Dispute = won ? .won : lost ? .lost : .opened
        try await CardAct(card).perform("Dispute \(dispute.rawValue) about") { kept, _, seconds in
            kept.sale.dispute(dispute, at: seconds)
        }
    }
}
