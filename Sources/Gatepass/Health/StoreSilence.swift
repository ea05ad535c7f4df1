import EntitlementAPI
import Entitlements
import LedgerStore

/// For how long each store has told nothing new.
struct StoreSilence: Sendable {
    private let lastDeliveries: [LastDelivery]?
    private let now: Instant

    /// - Parameter lastDeliveries: Nil when they could not be read.
    init(_ lastDeliveries: [LastDelivery]?, at now: Instant) {
        self.lastDeliveries = lastDeliveries
        self.now = now
    }

    /// The readiness check: always in order, because a store that is silent says nothing of this server.
    var check: Readiness.Check { Readiness.Check(name: "deliveries", isInOrder: true, detail: detail) }

    private var detail: String {
        guard let lastDeliveries else { return "unknown" }
        guard !lastDeliveries.isEmpty else { return "none yet" }
        return lastDeliveries.map { last in
            let seconds = max(0, now.milliseconds - last.receivedAt.milliseconds) / 1_000
            return "\(last.source.text) \(last.environment.rawValue) \(seconds) s ago"
        }.joined(separator: ", ")
    }
}
