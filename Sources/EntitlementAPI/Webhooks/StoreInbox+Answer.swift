import Entitlements
import Hummingbird
import LedgerStore

extension StoreInbox {
    /// The longest that a store waits for the result of its delivery.
    private static let patience = Duration.seconds(2)

    /// The answer to a store: the standing that the delivery reached within two seconds. Slower placing goes on in the
    /// background. If placing fails, a job tries again.
    static func answer(
        to stored: StoredDelivery, from source: Source, _ call: OpenCall,
        placing: @escaping @Sendable () async throws(ServiceFailure) -> DeliveryStanding
    ) async -> Response {
        guard !stored.standing.isSettled else { return answer(DeliveryStanding(.duplicate), from: source, call) }
        let placing = Task { () -> DeliveryStanding in
            do throws(ServiceFailure) {
                return try await placing()
            } catch {
                call.api.logger.tell(error)  // a job tries again
                return .pending
            }
        }
        if let standing = await placing.value(within: patience) { return answer(standing, from: source, call) }
        Task {
            let standing = await placing.value
            if standing != .pending { call.api.metrics.delivered(from: source, standing) }
        }
        return answer(.pending, from: source, call)
    }

    private static func answer(_ standing: DeliveryStanding, from source: Source, _ call: OpenCall) -> Response {
        call.api.metrics.delivered(from: source, standing)
        var json = JSONWriter(capacity: 64)
        json.beginObject()
        json.member("result", standing.result.rawValue)
        json.endObject()
        return .json(json.bytes)
    }
}
