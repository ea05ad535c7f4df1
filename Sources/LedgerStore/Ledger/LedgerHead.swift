/// The head of a ledger: whose it is, and its number of entries, including entries that this program cannot read.
package struct LedgerHead: Hashable, Sendable {
    let pseudonym: UInt64
    let length: Int
}
