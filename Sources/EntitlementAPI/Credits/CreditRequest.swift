import Entitlements

/// The part of a request that a spend and a reservation have in common.
struct CreditRequest {
    let amount: CreditAmount
    let purse: Purse
    /// The label of the idempotency key, which is unique among the keys of this user.
    let key: Label

    /// - Throws: `not_found` if the unit in the path cannot be decoded, `invalid_request` for any other defect.
    init(_ body: JSONBody, of user: UserID, _ call: some SignedCall) throws(Problem) {
        guard let unit = call.named("unit") else { throw .notFound }
        try body.requireObject()
        key = try call.labels().label(.idempotencyKey, user.text, IdempotencyKey(of: call.request).text)
        amount = try body.required("amount") { name throws(Problem) in try body.creditAmount(name) }
        let environment: StoreEnvironment = try body.choice("environment") ?? .production
        purse = Purse(unit: unit, environment: environment)
    }

    /// The label of the whole request, by which a reused idempotency key is noticed. `more` holds the members that only
    /// this act has.
    func label(of act: String, _ more: String?..., under labels: Labels) -> Label {
        let asked = [act, purse.unit, purse.environment.rawValue, String(amount.units)] + more.map { $0 ?? "\0" }
        return labels.label(.request, asked.map { "\($0.utf8.count) \($0)" }.joined())
    }
}

extension JSONBody {
    /// The number of units in the optional member `name`.
    ///
    /// - Throws: `invalid_request` unless it is a whole number within ``CreditAmount/range``.
    func creditAmount(_ name: String) throws(Problem) -> CreditAmount? {
        try integer(name, in: CreditAmount.range).flatMap { CreditAmount($0) }
    }
}
