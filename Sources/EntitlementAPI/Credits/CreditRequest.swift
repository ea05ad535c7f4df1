import Entitlements

/// The common part of a spend and a reservation: how many units, of which purse, under which key.
struct CreditRequest {
    let amount: CreditAmount
    let purse: Purse
    /// The label of the caller's idempotency key, which belongs to the user.
    let key: Label

    /// - Throws: `not_found` for a unit that cannot be read, `invalid_request` for anything else.
    init(_ body: JSONBody, of user: UserID, _ call: some SignedCall) throws(Problem) {
        guard let unit = call.named("unit") else { throw .notFound }
        try body.requireObject()
        key = try call.labels().label(.idempotencyKey, user.text, IdempotencyKey(of: call.request).text)
        amount = try body.required("amount") { name throws(Problem) in try body.creditAmount(name) }
        let environment: StoreEnvironment = try body.choice("environment") ?? .production
        purse = Purse(unit: unit, environment: environment)
    }

    /// The label of the whole request; `more` is the part that a spend and a reservation do not have in common.
    func label(of act: String, _ more: String?..., under labels: Labels) -> Label {
        let asked = [act, purse.unit, purse.environment.rawValue, String(amount.units)] + more.map { $0 ?? "\0" }
        return labels.label(.request, asked.map { "\($0.utf8.count) \($0)" }.joined())
    }
}

extension JSONBody {
    /// How many units are asked for.
    ///
    /// - Throws: `invalid_request` for what is out of range.
    func creditAmount(_ name: String) throws(Problem) -> CreditAmount? {
        try integer(name, in: CreditAmount.range).flatMap { CreditAmount($0) }
    }
}
