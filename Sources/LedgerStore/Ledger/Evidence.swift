package import Entitlements

/// The proof of a purchase: the statement of a source, and for the App Store its signed text.
package struct Evidence: Sendable {
    /// A signed text, and what it says beyond the statement.
    package struct Proof: Sendable {
        /// The compact JWS.
        package let text: SignedText
        package let details: StoreDetails
        /// Its members that could not be read; none of them decides anything.
        package let unreadable: [String]

        package init(text: SignedText, details: StoreDetails, unreadable: [String] = []) {
            self.text = text
            self.details = details
            self.unreadable = unreadable
        }
    }

    package let statement: Statement
    /// Nil for a source whose statements need no signed text. Such statements have no table and stand in ledgers alone.
    package let proof: Proof?

    /// The state of a purchase with the signed text that proves it.
    package init(_ purchase: VerifiedPurchase, provedBy proof: Proof) {
        statement = .purchase(purchase)
        self.proof = proof
    }

    /// A statement of a source that has no table of its own.
    package init(_ statement: Statement) {
        self.statement = statement
        proof = nil
    }
}
