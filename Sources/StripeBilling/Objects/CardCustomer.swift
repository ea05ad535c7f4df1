/// A customer as an event shows it.
package struct CardCustomer: Hashable, Sendable {
    package let metadata: [String: String]

    init?(_ object: CardObject) {
        guard object.id != nil else { return nil }
        metadata = object.metadata
    }
}
