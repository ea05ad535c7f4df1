import Entitlements
import Hummingbird
import LedgerStore

extension StoreInbox {
    /// The longest that a store waits for the result of its delivery.
    private static let patience = Duration.seconds(2)

    /// The answer to a store: the outcome that the delivery reached within two seconds. Slower placing goes on in the
    /// background. If placing fails, a job tries again.
    static func answer(
        to stored: StoredDelivery, from source: Source, _ call: OpenCall,
        placing: @escaping @Sendable () async throws(ServiceFailure) -> DeliveryOutcome
    ) async -> Response {
        guard !stored.outcome.isSettled else { return answer(DeliveryOutcome(.duplicate), from: source, call) }
        let placing = Task { () -> DeliveryOutcome in
            do throws(ServiceFailure) {
                return try await placing()
            } catch {
                call.api.logger.tell(error)  // a job tries again
                return .pending
            }
        }
        if let outcome = await placing.value(within: patience) { return answer(outcome, from: source, call) }
        Task {
            let outcome = await placing.value
            if outcome != .pending { call.api.metrics.delivered(from: source, outcome) }
        }
        return answer(.pending, from: source, call)
    }

    private static func answer(_ outcome: DeliveryOutcome, from source: Source, _ call: OpenCall) -> Response {
        call.api.metrics.delivered(from: source, outcome)
        var json = JSONWriter(capacity: 64)
        json.beginObject()
        json.member("result", outcome.result.rawValue)
        json.endObject()
        return .json(json.bytes)
    }
}
