/// The name of a state of a user's ledger: a ledger only grows, and the hash of its newest entry covers all of it.
package struct LedgerHead: Hashable, Sendable {
    let pseudonym: UInt64
    let hash: [UInt8]

    package init(pseudonym: UInt64, hash: [UInt8]) {
        self.pseudonym = pseudonym
        self.hash = hash
    }

    init(_ head: UserRow.Head) { self.init(pseudonym: head.pseudonym, hash: head.hash) }
}
