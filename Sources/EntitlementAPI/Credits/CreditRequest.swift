import Entitlements

/// What a spend and a reservation have in common: how many units, of which purse, under which key.
struct CreditRequest {
    let amount: CreditAmount
    let purse: Purse
    let key: IdempotencyKey

    /// - Throws: `not_found` for a unit that cannot be read, `invalid_request` for anything else.
    init(_ body: JSONBody, _ call: some SignedCall) throws(Problem) {
        guard let unit = call.named("unit") else { throw .notFound }
        try body.requireObject()
        key = try IdempotencyKey(of: call.request)
        amount = try body.required("amount") { name throws(Problem) in try body.creditAmount(name) }
        let environment: StoreEnvironment = try body.choice("environment") ?? .production
        purse = Purse(unit: unit, environment: environment)
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
