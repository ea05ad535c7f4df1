/// Something that a decision has written beside the ledgers, in the transaction that carries it out; what it is only
/// the store knows.
package protocol SideRow: Sendable {}
