/// The purchases that a payment was for: those that its numbers lead to, each number through others (`semantics.md`
/// §7). A charge leads to a payment, that to an invoice, and that to a subscription.
struct NumberSearch {
    /// The transactions that the numbers mean; nil for the whole purchase.
    private(set) var purchases: [PurchaseKey: Set<TransactionID>?] = [:]
    /// The numbers at which the way ends: nothing says yet what they mean.
    private(set) var unknown: [String] = []

    init(for numbers: [String], in space: NumberSpace, given history: PurchaseHistory) {
        var transactions: [PurchaseKey: Set<TransactionID>] = [:]
        var leading: [String] = []
        var next = Set(numbers)
        var seen = next
        while !next.isEmpty {
            var found: Set<String> = []
            for number in next.sorted() {
                // A payment that is a purchase may also be known to pay an invoice, which then is of none.
                if history.purchases[space.key(number)] != nil { purchases[space.key(number)] = .some(nil) }
                let meanings = history.numbers[number] ?? []
                for meaning in meanings {
                    if let transaction = meaning.transaction {
                        transactions[space.key(meaning.target), default: []].insert(transaction)
                    } else if seen.insert(meaning.target).inserted {
                        found.insert(meaning.target)
                    }
                }
                guard history.purchases[space.key(number)] == nil else { continue }
                if meanings.isEmpty { unknown.append(number) } else { leading.append(number) }
            }
            next = found
        }
        // As long as nothing is found, a number that leads on may itself become a purchase.
        if purchases.isEmpty, transactions.isEmpty { unknown += leading }
        for (key, paid) in transactions.sorted(by: { $0.key < $1.key }) where purchases[key] == nil {
            if history.purchases[key] == nil { unknown.append(key.externalID.text) } else { purchases[key] = paid }
        }
    }
}
