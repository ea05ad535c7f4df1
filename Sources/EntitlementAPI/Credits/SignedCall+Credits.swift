import Entitlements

extension SignedCall {
    /// The units that the body of a spend or reservation asks for.
    ///
    /// - Throws: `not_found` if the unit in the path cannot be decoded, `invalid_request` for any other defect.
    func creditDraw(in body: JSONBody, of user: UserID) throws(Problem) -> CreditDraw {
        guard let unit = named("unit") else { throw .notFound }
        try body.requireObject()
        let key = try labels().label(.idempotencyKey, user.text, idempotencyKey())
        let amount = try body.required("amount") { name throws(Problem) in try body.creditAmount(name) }
        let environment: StoreEnvironment = try body.choice("environment") ?? .production
        return CreditDraw(amount, from: Purse(unit: unit, environment: environment), key: key)
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
