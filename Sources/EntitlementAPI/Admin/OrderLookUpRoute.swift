package import AppStore
import Entitlements
import Hummingbird
package import LedgerStore
import Logging

/// `POST /api/admin/orders/look-up`: has Apple asked about an order. It is a read that may record evidence, like a
/// webhook.
package enum OrderLookUpRoute {
    /// The time that an answer may take, in seconds: Apple may take long, and is asked for each app.
    package static let deadlineSeconds: Int64 = 60

    /// True if this server has the credentials with which Apple is asked.
    package static func isOffered(to call: OpenCall) -> Bool { call.api.history != nil }

    /// - Throws: `not_found` without App Store credentials, `invalid_request` for what is no order number,
    ///   `unavailable`.
    static func respond(to call: ServerCall) async throws(Problem) -> Response {
        guard call.api.history != nil else { throw .notFound }
        let body = try await call.json()
        try body.requireObject()
        let id = try order(try body.requiredText("order_id"))
        return .json(document(of: try await lookUp(id, by: call.actor, call), in: id))
    }

    /// The transactions of an order, for a person of the staff. Each person may ask as often as a server may.
    ///
    /// - Throws: `not_found` without App Store credentials, `invalid_request` for what is no order number,
    ///   `rate_limited`, `unavailable`.
    package static func lookUp(
        _ text: String, by member: StaffMember, _ call: OpenCall
    ) async throws(Problem) -> [OrderedTransaction] {
        let id = try order(text)
        try call.count(.lookUp, for: .staff(member.id), at: call.api.realNow())
        return try await lookUp(id, by: Actor(member), call)
    }

    private static func order(_ text: String) throws(Problem) -> OrderID {
        guard let id = OrderID(text.uppercased()) else {
            throw .invalidRequest("The member must be an order number, such as MQ7HX2K4TN.", at: "#/order_id")
        }
        return id
    }

    private static func lookUp(
        _ id: OrderID, by actor: Actor, _ call: some Call
    ) async throws(Problem) -> [OrderedTransaction] {
        guard let history = call.api.history else { throw .notFound }
        try await call.served { try await $0.lookups.note(order: id.text, by: actor, audit: $0.audit) }
        do throws(StoreHistory.Failure) {
            return try await history.order(id)
        } catch {
            switch error {
            case .service(let failure):
                call.api.logger.tell(failure)
                throw Problem(failure)
            case .certificateStatus(let failure): throw Problem(failure)
            case .apple(let failure):
                call.api.logger.warning("Apple could not be asked about an order", metadata: ["error": "\(failure)"])
                let wait = error.earliest.map { Int(($0 - call.api.realNow() + 999) / 1_000) } ?? 30
                throw .unavailable("Apple cannot be asked about the order.", retryAfterSeconds: wait)
            }
        }
    }

    /// The transactions of an order as JSON.
    package static func document(of transactions: [OrderedTransaction], in id: OrderID) -> [UInt8] {
        JSONWriter.object { json in
            json.member("order_id", id.text)
            json.member("transactions", objects: transactions) { json, transaction in
                let state = transaction.state
                json.member("app", state.key.appText)
                json.member("environment", state.key.environment.rawValue)
                json.member("product_id", state.productID.text)
                json.member("transaction_id", state.transactionID.text)
                json.member("original_transaction_id", state.key.externalID.text)
                json.member("purchased_at", exactly: "purchased_at_ms", state.purchasedAt)
                json.member("user_id", transaction.owner?.text)
                json.member("refunded", state.revocation != nil)
            }
        }
    }
}
