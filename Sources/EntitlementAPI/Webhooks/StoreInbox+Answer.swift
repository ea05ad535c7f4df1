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
        let inbox = call.api.inbox
        guard !stored.outcome.isSettled else {
            return inbox.answer(DeliveryOutcome(.duplicate), to: stored, from: source)
        }
        let placing = Task { () -> DeliveryOutcome in
            do throws(ServiceFailure) {
                return try await placing()
            } catch {
                call.api.logger.tell(error)  // a job tries again
                return .pending
            }
        }
        if let outcome = await placing.value(within: patience) {
            return inbox.answer(outcome, to: stored, from: source)
        }
        Task {
            let outcome = await placing.value
            if outcome != .pending { inbox.tell(outcome, of: stored.id, from: source, type: stored.type) }
        }
        return inbox.answer(.pending, to: stored, from: source)
    }

    private func answer(_ outcome: DeliveryOutcome, to stored: StoredDelivery, from source: Source) -> Response {
        tell(outcome, of: stored.id, from: source, type: stored.type)
        var json = JSONWriter(capacity: 64)
        json.beginObject()
        json.member("result", outcome.result.rawValue)
        json.endObject()
        return .json(json.bytes)
    }
}
