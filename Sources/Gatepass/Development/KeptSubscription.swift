import Foundation
import StoreSimulator

/// A subscription that the simulator sold, stored as a file of the installation.
struct KeptSubscription: Codable {
    /// The user whose app bought it.
    let user: String
    /// The length of each period in days, if the command named one; nil for the plan's month or year.
    let days: Int?
    var subscription: SimulatedSubscription

    /// Writes the subscription to its file. Throws an error of the file system.
    func keep(in installation: Installation) throws {
        let file = installation.subscriptions.appendingPathComponent("\(subscription.originalTransactionId).json")
        try installation.write(String(decoding: try JSONEncoder().encode(self), as: UTF8.self), to: file)
    }

    /// The subscription that has the transaction, or the newest one of `user`; nil if there is none. Throws if a file
    /// is broken.
    static func find(_ transaction: String?, of user: String, in installation: Installation) throws -> Self? {
        let kept = try all(in: installation)
        if let transaction {
            return kept.first { $0.subscription.periods.contains { $0.transactionId == transaction } }
        }
        return kept.filter { $0.user == user }.max { $0.newestID < $1.newestID }
    }

    /// All stored subscriptions. Throws if a file is broken.
    static func all(in installation: Installation) throws -> [KeptSubscription] {
        try installation.documents(in: installation.subscriptions)
    }

    /// The id of the newest transaction. Later ids are larger.
    var newestID: String { subscription.newest.transactionId }
}
