/// The search for the purchases that a payment was for (`semantics.md` §7). It follows each number to the numbers that
/// it leads to: from a charge to a payment, from there to an invoice, and from there to a subscription.
struct NumberSearch {
    /// The purchases that were found, each with the transactions that were paid for; nil for the whole purchase.
    private(set) var purchases: [PurchaseKey: Set<TransactionID>?] = [:]
    /// The numbers at which the search ends without a purchase, because it is not known yet what they lead to.
    private(set) var unknown: [String] = []

    init(for numbers: [String], in space: NumberSpace, given history: PurchaseHistory) {
        var transactions: [PurchaseKey: Set<TransactionID>] = [:]
        var leading: [String] = []
        var next = Set(numbers)
        var seen = next
        while !next.isEmpty {
            var found: Set<String> = []
            for number in next.sorted() {
                // A payment that is itself a purchase may also lead to an invoice. That invoice is then for no
                // subscription.
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
        // While nothing is found, any of the numbers on the way may still turn out to be the id of a purchase.
        if purchases.isEmpty, transactions.isEmpty { unknown += leading }
        for (key, paid) in transactions.sorted(by: { $0.key < $1.key }) where purchases[key] == nil {
            if history.purchases[key] == nil { unknown.append(key.externalID.text) } else { purchases[key] = paid }
        }
    }
}
