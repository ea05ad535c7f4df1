import Entitlements
import Hummingbird
import LedgerStore

/// `GET /api/admin/webhooks`: the deliveries of stores and what became of them, the last received first.
enum DeliveriesRoute {
    /// - Throws: `invalid_request` for a state, a reason, a limit or a cursor that is none, `unavailable`.
    static func respond(to call: ServerCall) async throws(Problem) -> Response {
        let query = try Query(call.request.uri.query)
        let page = try PageRequest(query, of: "webhooks")
        let state: DeliveryResult? = try word("state", in: query)
        let reason: DeliveryReason? = try word("reason", in: query)
        let rows = try await call.served {
            try await $0.reports.deliveries(
                before: page.before, limit: page.readLimit, of: state, because: reason)
        }
        return .json(page.body(of: rows, number: \.id) { $0.append($1) })
    }

    private static func word<Word>(_ name: String, in query: Query) throws(Problem) -> Word?
    where Word: RawRepresentable<String> & CaseIterable {
        guard let text = try query.text(name) else { return nil }
        guard let word = Word(rawValue: text) else {
            let words = Word.allCases.map(\.rawValue).joined(separator: ", ")
            throw .invalidRequest("The parameter must be one of \(words).", at: "?" + name)
        }
        return word
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
            let delivery = try await call.served { store in
                guard let id else { return nil as RecordedDelivery? }
                return try await store.inbox.replay(id, by: call.actor, reason: reason.text, audit: store.audit)
            }
            guard let delivery else { throw .notFound }
            return JSONAnswer(status: .ok, bytes: DeliveryBody(delivery).bytes)
        }
    }
}
