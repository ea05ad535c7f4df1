import EntitlementAPI
import Entitlements
import StoreSimulator

/// A sale of the simulator that a command is about.
enum SimulatedSale {
    case purchase(SoldPurchase)
    case subscription(KeptSubscription)

    /// The simulator sold nothing of that name, or the act does not fit what it sold.
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    /// The sale of a transaction, or the newest one of `user` that was delivered. Throws `Failure` when there is none,
    /// and for a file that is broken.
    static func find(
        _ transaction: String?, of user: String, in installation: Installation
    ) throws -> SimulatedSale {
        let purchase = try SoldPurchase.find(transaction, of: user, in: installation)
        let subscription = try KeptSubscription.find(transaction, of: user, in: installation)
        switch (purchase, subscription) {
        case (let purchase?, let subscription?):
            return purchase.transactionID > subscription.newestID ? .purchase(purchase) : .subscription(subscription)
        case (let purchase?, nil): return .purchase(purchase)
        case (nil, let subscription?): return .subscription(subscription)
        case (nil, nil):
            let what = transaction.map { "no transaction \($0) was sold" } ?? "nothing was delivered to \(user)"
            throw Failure(
                description: "\(what) here: run `gatepass simulate purchase` or `gatepass simulate subscribe` first")
        }
    }

    /// The sale where only a subscription will do. Throws `Failure`.
    static func subscription(
        _ transaction: String?, of user: String, in installation: Installation
    ) throws -> KeptSubscription {
        guard let kept = try KeptSubscription.find(transaction, of: user, in: installation) else {
            let what = transaction.map { "no subscription has a transaction \($0)" } ?? "\(user) has no subscription"
            throw Failure(description: "\(what) here: run `gatepass simulate subscribe` first")
        }
        return kept
    }

    /// Lets `act` happen. Throws `Failure` for an act before its period, which names the period's begin, and what `act`
    /// throws.
    static func begun<Outcome>(_ act: () throws -> Outcome) throws -> Outcome {
        do {
            return try act()
        } catch SimulatedSubscription.Refusal.notBegun(let begin) {
            let instant = RFC3339.text(of: Instant(milliseconds: begin))
            throw Failure(description: "the newest period begins at \(instant): name a later --at")
        }
    }

    /// Throws `Failure` for an instant before `earliest`, when `what` was.
    static func require(_ at: Int64, after earliest: Int64, _ what: String) throws {
        guard at < earliest else { return }
        let instant = RFC3339.text(of: Instant(milliseconds: earliest))
        throw Failure(description: "\(what) at \(instant): name a later --at")
    }
}
