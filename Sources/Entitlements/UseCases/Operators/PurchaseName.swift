/// An operator's name for a purchase that a user has. Source and environment are needed only where its id is not
/// unique.
package struct PurchaseName: Hashable, Sendable {
    package let id: ExternalID
    package let source: Source?
    package let environment: StoreEnvironment?

    package init(_ id: ExternalID, source: Source? = nil, environment: StoreEnvironment? = nil) {
        self.id = id
        self.source = source
        self.environment = environment
    }

    /// True if the name means `key`.
    package func means(_ key: PurchaseKey) -> Bool {
        key.externalID == id && source.map { $0 == key.source } ?? true
            && environment.map { $0 == key.environment } ?? true
    }
}

extension Timeline {
    /// Where the one purchase stands that `name` means, of those that are the user's for as far as is known.
    package func position(ofHeld name: PurchaseName) -> Result<Int, OperatorRefusal> {
        let named = purchases.indices.filter { purchases[$0].isHeld && name.means(purchases[$0].key) }
        guard let position = named.first else { return .failure(.unknownPurchase) }
        return named.count == 1 ? .success(position) : .failure(.ambiguousPurchase)
    }
}
