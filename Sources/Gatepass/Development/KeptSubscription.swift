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
        let folder = installation.subscriptions
        // Without the directory nothing was sold yet.
        let files = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
        let kept = try files.filter { $0.hasSuffix(".json") }.map { name in
            try JSONDecoder().decode(Self.self, from: Data(contentsOf: folder.appendingPathComponent(name)))
        }
        if let transaction {
            return kept.first { $0.subscription.periods.contains { $0.transactionId == transaction } }
        }
        return kept.filter { $0.user == user }.max { $0.newestID < $1.newestID }
    }

    /// The id of its newest transaction; later ones are larger.
    var newestID: String { subscription.newest.transactionId }
}
