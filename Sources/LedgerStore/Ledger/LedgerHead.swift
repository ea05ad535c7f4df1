/// The identity of a user's ledger at one length: the pseudonym, and the hash of the newest entry, which covers all
/// entries before it.
package struct LedgerHead: Hashable, Sendable {
    let pseudonym: UInt64
    let hash: [UInt8]

    package init(pseudonym: UInt64, hash: [UInt8]) {
        self.pseudonym = pseudonym
        self.hash = hash
    }

    init(_ head: UserRow.Head) { self.init(pseudonym: head.pseudonym, hash: head.hash) }
}
