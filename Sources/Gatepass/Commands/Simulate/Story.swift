import AppStore
import ArgumentParser
import Entitlements
import Foundation
import StoreSimulator

/// A story of `gatepass simulate`: what a store or a customer does, and the options that it takes.
struct Story: Sendable {
    /// The words after `simulate`. A word in capitals stands for any word.
    let name: String
    let line: String
    /// The names of the options that the story takes.
    let options: [String]
    /// Plays the story. Throws `ValidationError` for a wrong option, and the exit status 1 if a fault was printed.
    let happen: @Sendable (Simulation) async throws -> Void

    init(
        _ name: String, _ line: String, _ options: String = "",
        _ happen: @escaping @Sendable (Simulation) async throws -> Void
    ) {
        self.name = name
        self.line = line
        self.options = options.split(separator: " ").map(String.init)
        self.happen = happen
    }

    var words: [String] { name.split(separator: " ").map(String.init) }

    /// The name and the description in columns.
    var row: String { "  " + name.padding(toLength: 20, withPad: " ", startingAt: 0) + line }

    /// True if the words of a command are the story's name.
    func isCalled(_ said: [String]) -> Bool {
        words.count == said.count && zip(words, said).allSatisfy { $0 == $1 || $0 == $0.uppercased() }
    }

    static let table: [Story] =
        apple + cards + [
            Story("stories", "Print which options each story takes.") { _ in
                for story in table {
                    print(story.row)
                    if !story.options.isEmpty {
                        print("      " + story.options.map { "--" + $0 }.joined(separator: " "))
                    }
                }
            }
        ]

    static let everywhere = "user at print json twice "
    private static let notified = everywhere + "hold "
    private static let plan = notified + "transaction "
    private static let either = plan + "by-app "
    private static let buyer = notified + "environment apple-account account-token family-shared by-notification "
    /// The amount by which a price increase raises the price, in thousandths of the currency's unit.
    private static let increase: Int64 = 1_000

    private static let apple: [Story] = [
        Story("purchase", "Buy a pass, an add-on or credits.", buyer + "product quantity ask-to-buy") {
            try await $0.purchase()
        },
        Story("lose", "Buy, and let neither the app nor Apple tell.", "user at json product quantity environment") {
            try await $0.lose()
        },
        Story("restore", "Restore what the app knows; the server asks Apple for the rest.", "user json") {
            try await $0.restore()
        },
        Story("approve", "Approve, or decline, what was bought with --ask-to-buy.", plan + "decline") {
            try await $0.approve()
        },
        Story("refund", "Refund a purchase or a period of a plan.", either + "percent") { told in
            let text = told.options.percent ?? "100"
            guard let percent = Double(text), (0...100).contains(percent) else {
                throw ValidationError("--percent \(text): write 0 to 100")
            }
            let percentage = Int64((percent * 1_000).rounded())
            try await told.revise(
                percent == 100 ? "Apple refunded" : "Apple refunded \(Decimal(percentage) / 1_000) % of",
                purchase: {
                    $0.revocation = .init(date: told.at, percentage: percentage)
                    return .refund
                },
                period: { try $0.refund($1, percentage: percentage, at: told.at) })
        },
        Story("reverse", "Undo a refund.", either) { told in
            try await told.revise(
                "Apple undid the refund of",
                purchase: {
                    $0.revocation = nil
                    return .refundReversed
                },
                period: { try $0.reverseRefund(of: $1, at: told.at) })
        },
        Story("revoke", "End Family Sharing of what was bought with --family-shared.", either) { told in
            try await told.revise(
                "Family Sharing ended for",
                purchase: {
                    guard $0.isFamilyMember == true else { throw SimulatedSubscription.Refusal.notShared }
                    $0.revocation = .init(date: told.at, percentage: nil)
                    return .revoke
                },
                period: { subscription, _ in try subscription.revokeSharing(at: told.at) })
        },
        Story("subscribe", "Buy a plan; the app attaches it and Apple notifies.", buyer + "by-app product days trial") {
            try await $0.subscribe()
        },
        Story("renew", "Renew a plan: its next period follows the present one.", either) { told in
            try await told.change({ "Renewed \($0.newest.words)" }) { kept, catalogue in
                let (plan, start) = (kept.subscription.nextProductId, kept.subscription.newest.expiresDate)
                let order = try told.order(plan, from: start, days: kept.days, in: catalogue)
                return try kept.subscription.renew(as: order.transactionId, until: order.expiresDate, at: told.at)
            }
        },
        Story("cancel", "Switch the renewal of a plan off, or on again.", plan + "undo") { told in
            let undo = told.has(.undo)
            try await told.change({ "Renewal is \(undo ? "on" : "off") for \($0.newest.words)" }) { kept, _ in
                undo ? try kept.subscription.enable(at: told.at) : try kept.subscription.cancel(at: told.at)
            }
        },
        Story("expire", "End a plan; a period that would still run ends now.", plan + "not-for-sale") { told in
            try await told.change({ "Ended \($0.newest.words)" }) { kept, _ in
                try kept.subscription.expire(isUnavailable: told.has(.notForSale), at: told.at)
            }
        },
        Story("upgrade", "Go to a higher plan at once.", either + "to") { told in
            let target = try told.target()
            try await told.change({ "Upgraded to \($0.newest.words)" }) { kept, catalogue in
                let order = try told.order(target, from: told.at, days: kept.days, in: catalogue)
                return try kept.subscription.upgrade(to: order, at: told.at)
            }
        },
        Story("downgrade", "Choose a lower plan for the next period.", plan + "to") { told in
            let target = try told.target()
            try await told.change({ "\($0.newest.words) will renew as \($0.nextProductId)" }) { kept, catalogue in
                let price = try PlanOnSale(target, in: catalogue).price
                return try kept.subscription.downgrade(to: target, price: price, at: told.at)
            }
        },
        Story("billing-failure", "Let billing fail at the end of a period.", plan + "grace-days grace-over") { told in
            let isOver = told.has(.graceOver)
            try await told.change({ "\(isOver ? "Grace is over" : "Billing failed") for \($0.newest.words)" }) {
                kept, _ in
                guard !isOver else { return try kept.subscription.endGrace(at: told.at) }
                let end = min(kept.subscription.newest.expiresDate, told.at)
                let grace = told.options.graceDays.map { end + Int64($0) * Instant.millisecondsPerDay }
                return try kept.subscription.failBilling(graceUntil: grace, at: told.at)
            }
        },
        Story("recover", "Let a retry succeed after billing failed.", either) { told in
            try await told.change({ "Recovered \($0.newest.words)" }) { kept, catalogue in
                let (plan, start) = (kept.subscription.nextProductId, kept.subscription.recoversFrom(at: told.at))
                let order = try told.order(plan, from: start, days: kept.days, in: catalogue)
                return try kept.subscription.recover(as: order.transactionId, until: order.expiresDate, at: told.at)
            }
        },
        Story("price-increase", "Plan a higher price, which awaits consent.", plan + "accepted") { told in
            let accepted = told.has(.accepted)
            try await told.change({
                "A higher price \(accepted ? "is accepted" : "awaits consent") for \($0.newest.words)"
            }) { kept, _ in
                let isAsked = kept.subscription.consentsToPrice == false
                let price = isAsked ? nil : kept.subscription.nextPrice + increase
                return try kept.subscription.increasePrice(to: price, isAccepted: accepted, at: told.at)
            }
        },
        Story("notify TYPE", "Send a notification of any type.", plan + "subtype reason environment") {
            try await $0.notify($0.subject)
        },
        Story("consumption-request", "Ask how much was used, before a refund is decided.", plan + "reason") {
            try await $0.requestConsumption()
        },
        Story("deliver", "Deliver the notifications that --hold held back.", "newest-first") {
            try await $0.deliverHeld()
        },
        Story("receipt", "Print a receipt of what a user bought, with --transaction as of iOS 6.", "user transaction") {
            try await $0.printReceipt()
        },
        Story("app-transaction", "Print the signedAppTransaction of a user.", "user app environment") {
            try await $0.appTransaction()
        },
        Story("story NAME", "Play a year of a plan on the server's clock.", "user by-notification json") {
            try await $0.year()
        },
    ]
}
