import Entitlements
import Hummingbird
import LedgerStore

/// `GET /api/admin/webhooks`: the deliveries of stores and what became of them, the last received first.
enum DeliveriesRoute {
    /// - Throws: `invalid_request` for a state that is none, a limit or a cursor that is none, `unavailable`.
    static func respond(to call: ServerCall) async throws(Problem) -> Response {
        let query = try Query(call.request.uri.query)
        let page = try PageRequest(query, of: "webhooks")
        let state = try query.text("state").map { (text) throws(Problem) in
            guard let state = DeliveryResult(rawValue: text) else {
                let states = DeliveryResult.allCases.map(\.rawValue).joined(separator: ", ")
                throw .invalidRequest("The parameter must be one of \(states).", at: "?state")
            }
            return state
        }
        let rows = try await call.served { () async throws(ServiceFailure) in
            try await call.api.operators.deliveries(before: page.before, limit: page.readLimit, of: state)
        }
        return .json(page.body(of: rows, number: \.id) { $0.append($1) })
    }
}

/// `POST /api/admin/webhooks/{delivery_id}/replay`: the delivery is placed again.
enum ReplayDeliveryRoute {
    /// - Throws: `not_found` for a number that no delivery has, `invalid_request`, what `idempotently` throws,
    ///   `unavailable`.
    static func respond(to call: ServerCall) async throws(Problem) -> Response {
        let body = try await call.optionalJSON()
        try body.requireObject()
        let reason = try Reason(optionalIn: body.value)
        let id = call.context.parameters.get("delivery_id").flatMap { UInt64($0) }
        return try await call.idempotently(body, about: .nobody) { _ async throws(Problem) in
            let delivery = try await call.served { () async throws(ServiceFailure) -> RecordedDelivery? in
                guard let id else { return nil }
                return try await call.api.operators.replayDelivery(id, by: call.actor, reason: reason.text)
            }
            guard let delivery else { throw .notFound }
            var json = JSONWriter(capacity: 512)
            json.append(delivery)
            return JSONAnswer(status: .ok, bytes: json.bytes)
        }
    }
}

extension JSONWriter {
    fileprivate mutating func append(_ delivery: RecordedDelivery) {
        beginObject()
        member("id", String(delivery.id))
        member("source", delivery.source.text)
        member("app", delivery.app.text)
        member("environment", delivery.environment.rawValue)
        member("notification_id", delivery.externalID)
        member("type", delivery.type)
        member("subtype", delivery.subtype)
        member("state", delivery.standing.result.rawValue)
        member("reason", delivery.standing.reason?.rawValue)
        member("external_id", delivery.purchase?.text)
        member("user_id", delivery.owner?.text)
        member("contradicted", delivery.isContradicted)
        member("signed_at", exactly: "signed_at_ms", delivery.signedAt)
        member("received_at", exactly: "received_at_ms", delivery.receivedAt)
        member("settled_at", exactly: "settled_at_ms", delivery.settledAt)
        endObject()
    }
}
