/// The name by which an operator's request names a purchase of a user. Source and environment are needed only if the id
/// is not unique.
package struct PurchaseName: Hashable, Sendable {
    package let id: ExternalID
    package let source: Source?
    package let environment: StoreEnvironment?

    package init(_ id: ExternalID, source: Source? = nil, environment: StoreEnvironment? = nil) {
        self.id = id
        self.source = source
        self.environment = environment
    }

    /// True if `key` fits the name.
    package func means(_ key: PurchaseKey) -> Bool {
        key.externalID == id && source.map { $0 == key.source } ?? true
            && environment.map { $0 == key.environment } ?? true
    }
}

extension Timeline {
    /// Returns the index of the only purchase that the user has and that fits `name`.
    package func position(ofHeld name: PurchaseName) -> Result<Int, OperatorRefusal> {
        let named = purchases.indices.filter { purchases[$0].isHeld && name.means(purchases[$0].key) }
        guard let position = named.first else { return .failure(.unknownPurchase) }
        return named.count == 1 ? .success(position) : .failure(.ambiguousPurchase)
    }
}
