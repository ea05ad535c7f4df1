import AppStore
import ArgumentParser
import Foundation
import StoreSimulator

/// `gatepass simulate refund`: Apple refunds a purchase, or a period of a plan, wholly or in part.
struct SimulateRefundCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "refund", abstract: "Refund a purchase or a period of a plan.")

    @OptionGroup var delivery: DeliveryOptions

    @OptionGroup var route: RouteOptions

    @Option(help: "The transaction (default: the user's newest that was delivered).")
    var transaction: String?

    @Option(help: "The percentage of the price that is refunded, up to 100, such as 33.333.")
    var percent = 100.0

    /// Throws the exit status 1 when there is no such purchase or the server refuses the state.
    func run() async throws {
        guard (0...100).contains(percent) else { throw ValidationError("--percent \(percent): write 0 to 100") }
        let percentage = Int64((percent * 1_000).rounded())
        let act = try RevocationAct(delivery, transaction, route.route)
        try await Startup.reporting {
            try await act.perform(
                percent == 100 ? "Apple refunded" : "Apple refunded \(Decimal(percentage) / 1_000) % of",
                purchase: {
                    $0.revocation = .init(date: act.at, percentage: percentage)
                    return .refund
                },
                period: { (subscription, period) throws(SimulatedSubscription.Refusal) in
                    try subscription.refund(period, percentage: percentage, at: act.at)
                })
        }
    }
}

/// `gatepass simulate reverse`: Apple undoes a refund.
struct SimulateReverseCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "reverse", abstract: "Undo a refund.")

    @OptionGroup var delivery: DeliveryOptions

    @OptionGroup var route: RouteOptions

    @Option(help: "The transaction (default: the user's newest that was delivered).")
    var transaction: String?

    /// Throws the exit status 1 when there is no such purchase or the server refuses the state.
    func run() async throws {
        let act = try RevocationAct(delivery, transaction, route.route)
        try await Startup.reporting {
            try await act.perform(
                "Apple undid the refund of",
                purchase: {
                    $0.revocation = nil
                    return .refundReversed
                },
                period: { (subscription, period) throws(SimulatedSubscription.Refusal) in
                    try subscription.reverseRefund(of: period, at: act.at)
                })
        }
    }
}

/// `gatepass simulate revoke`: the purchaser stops sharing within the family.
struct SimulateRevokeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "revoke", abstract: "End Family Sharing of what was bought with --family-shared.")

    @OptionGroup var delivery: DeliveryOptions

    @OptionGroup var route: RouteOptions

    @Option(help: "The transaction (default: the user's newest that was delivered).")
    var transaction: String?

    /// Throws the exit status 1 when there is no such purchase or the server refuses the state.
    func run() async throws {
        let act = try RevocationAct(delivery, transaction, route.route)
        try await Startup.reporting {
            try await act.perform(
                "Family Sharing ended for",
                purchase: {
                    guard $0.isFamilyMember == true else { throw SimulatedSubscription.Refusal.notShared }
                    $0.revocation = .init(date: act.at, percentage: nil)
                    return .revoke
                },
                period: { (subscription, _) throws(SimulatedSubscription.Refusal) in
                    try subscription.revokeSharing(at: act.at)
                })
        }
    }
}
