import EntitlementAPI
import Entitlements
import StoreSimulator

/// A simulated sale that a command is about: a one-time purchase or a subscription.
enum SimulatedSale {
    case purchase(SoldPurchase)
    case subscription(KeptSubscription)

    /// The simulator has no such sale, or the act does not fit it.
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    /// The sale of a transaction, or the newest delivered sale of `user`. Throws `Failure` if there is none, or an
    /// error if a file is broken.
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

    /// The subscription of a transaction, or the newest one of `user`. Throws `Failure` if there is none.
    static func subscription(
        _ transaction: String?, of user: String, in installation: Installation
    ) throws -> KeptSubscription {
        guard let kept = try KeptSubscription.find(transaction, of: user, in: installation) else {
            let what = transaction.map { "no subscription has a transaction \($0)" } ?? "\(user) has no subscription"
            throw Failure(description: "\(what) here: run `gatepass simulate subscribe` first")
        }
        return kept
    }

    /// Runs `act`. If it comes before its period begins, throws a `Failure` that names the begin. Other errors of `act`
    /// are passed on.
    static func begun<Outcome>(_ act: () throws -> Outcome) throws -> Outcome {
        do {
            return try act()
        } catch SimulatedSubscription.Refusal.notBegun(let begin) {
            let instant = RFC3339.text(of: Instant(milliseconds: begin))
            throw Failure(description: "the newest period begins at \(instant): name a later --at")
        }
    }

    /// Throws `Failure` if `at` lies before `earliest`; `what` says in words what happened at `earliest`.
    static func require(_ at: Int64, after earliest: Int64, _ what: String) throws {
        guard at < earliest else { return }
        let instant = RFC3339.text(of: Instant(milliseconds: earliest))
        throw Failure(description: "\(what) at \(instant): name a later --at")
    }
}
