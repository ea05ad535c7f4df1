/// Spends units of one purse, once for each idempotency key (`semantics.md` §4).
///
/// A repeat of a key gives the first answer and records nothing; a refusal is not remembered. The API names no
/// environment: it spends in Production unless asked otherwise.
package struct SpendCredits: Sendable {
    package let amount: CreditAmount
    package let purse: Purse
    package let user: UserID
    package let idempotencyKey: Label
    /// The digest of the request, which a repeat must repeat.
    package let request: Label
    package let note: Note?
    package let catalogue: CatalogueVersions
    package let settings: EntitlementSettings

    package init(
        _ amount: CreditAmount, from purse: Purse, of user: UserID, idempotencyKey: Label, request: Label,
        note: Note? = nil, in catalogue: CatalogueVersions, settings: EntitlementSettings
    ) {
        self.amount = amount
        self.purse = purse
        self.user = user
        self.idempotencyKey = idempotencyKey
        self.request = request
        self.note = note
        self.catalogue = catalogue
        self.settings = settings
    }

    package func decide(given history: PurchaseHistory) -> Decision<SpendReceipt, DrawRefusal> {
        let position = CreditPosition(of: user, given: history, in: catalogue, settings)
        if let first = position.entry(under: idempotencyKey) {
            guard case .spent(let spend) = first.act, spend.request == request else {
                return Decision(answer: .failure(.keyReused))
            }
            return Decision(answer: .success(SpendReceipt(spend)))
        }
        switch position.draw(amount, from: purse) {
        case .failure(let refusal): return Decision(answer: .failure(refusal))
        case .success(let (draws, spendableAfter)):
            let spend = Spend(
                idempotencyKey: idempotencyKey, request: request, purse: purse, amount: amount.units, draws: draws,
                spendableAfter: spendableAfter)
            return Decision(
                drafts: [user: [LedgerEntry.Draft(.credit(.spent(spend)), at: position.at, note: note)]],
                answer: .success(SpendReceipt(spend)))
        }
    }
}

/// Why units are not drawn, in order of precedence; the raw value is the problem's code.
package enum DrawRefusal: String, Error, Hashable, Sendable, CaseIterable {
    /// The key already belongs to another request of this user.
    case keyReused = "idempotency_key_reused"
    case unknownUnit = "unknown_unit"
    case inDebt = "in_debt"
    case insufficientCredits = "insufficient_credits"
}

/// The spend: its units, their lots, and the rest.
package struct SpendReceipt: Hashable, Sendable {
    package let spent: Int
    package let draws: [Draw]
    package let spendable: Int
    package let debt: Int

    init(spent: Int, draws: [Draw], spendable: Int, debt: Int) {
        self.spent = spent
        self.draws = draws
        self.spendable = spendable
        self.debt = debt
    }

    /// As it was when it was recorded; nobody in debt can spend.
    init(_ spend: Spend) {
        self.init(spent: spend.amount, draws: spend.draws, spendable: spend.spendableAfter, debt: 0)
    }
}
