import Entitlements

extension JSONWriter {
    /// Writes the member `transaction` of the answer to an attach.
    mutating func append(_ purchase: VerifiedPurchase, kind: ProductKind?) {
        beginObject()
        member("transaction_id", purchase.transactionID.text)
        member("original_transaction_id", purchase.key.externalID.text)
        member("product_id", purchase.productID.text)
        member("kind", kind?.rawValue)
        member("quantity", purchase.quantity)
        member("environment", purchase.key.environment.rawValue)
        member("purchased_at", exactly: "purchased_at_ms", purchase.purchasedAt)
        endObject()
    }
}

extension CatalogueVersions {
    /// The product of the purchase; nil while the catalogue does not know it.
    func product(of purchase: VerifiedPurchase) -> Product? {
        product(
            named: purchase.productNames, from: purchase.key.source, for: purchase.key.app,
            purchasedAt: purchase.purchasedAt)
    }
}
