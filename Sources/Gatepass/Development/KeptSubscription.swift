import Foundation
import StoreSimulator

/// A subscription that the simulator sold, as the installation keeps it.
struct KeptSubscription: Codable {
    /// Whose app bought it.
    let user: String
    /// The length of each period, where the command named one; else the plan's own.
    let days: Int?
    var subscription: SimulatedSubscription

    /// Keeps it. Throws what the file system refuses.
    func keep(in installation: Installation) throws {
        let file = installation.subscriptions.appendingPathComponent("\(subscription.originalTransactionId).json")
        try installation.write(String(decoding: try JSONEncoder().encode(self), as: UTF8.self), to: file)
    }

    /// The subscription of a transaction, or the newest one of `user`; nil when there is none. Throws for a file that
    /// is broken.
    static func find(_ transaction: String?, of user: String, in installation: Installation) throws -> Self? {
        let kept = try all(in: installation)
        if let transaction {
            return kept.first { $0.subscription.periods.contains { $0.transactionId == transaction } }
        }
        return kept.filter { $0.user == user }.max { $0.newestID < $1.newestID }
    }

    /// All that were sold. Throws for a file that is broken.
    static func all(in installation: Installation) throws -> [KeptSubscription] {
        try installation.documents(in: installation.subscriptions)
    }

    /// The id of its newest transaction; later ones are larger.
    var newestID: String { subscription.newest.transactionId }
}
