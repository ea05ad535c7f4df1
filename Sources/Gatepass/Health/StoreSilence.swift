import EntitlementAPI
import Entitlements
import LedgerStore

/// The time since each store's last new delivery.
struct StoreSilence: Sendable {
    private let lastDeliveries: [LastDelivery]?
    private let now: Instant

    /// - Parameter lastDeliveries: The last delivery of each store; nil if they could not be read.
    init(_ lastDeliveries: [LastDelivery]?, at now: Instant) {
        self.lastDeliveries = lastDeliveries
        self.now = now
    }

    /// The readiness check. It always passes, because a store that sends nothing is no fault of this server.
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
