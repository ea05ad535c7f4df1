/// A customer as an event shows it.
package struct CardCustomer: Hashable, Sendable {
    package let id: String
    package let metadata: [String: String]

    init?(_ object: CardObject) {
        guard let id = object.id else { return nil }
        self.id = id
        metadata = object.metadata
    }
}
