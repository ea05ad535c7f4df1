package import Entitlements

/// A statement of a source about a purchase, and for the App Store the signed text that proves it.
package struct Evidence: Sendable {
    /// A signed text, and its details beyond the statement.
    package struct Proof: Sendable {
        /// The compact JWS.
        package let text: SignedText
        package let details: StoreDetails
        /// The JSON members of the text that could not be read; none of them affects a decision.
        package let unreadable: [String]

        package init(text: SignedText, details: StoreDetails, unreadable: [String] = []) {
            self.text = text
            self.details = details
            self.unreadable = unreadable
        }
    }

    package let statement: Statement
    /// Nil for a source whose statements have no signed text. Such statements are stored in ledgers alone, not in a
    /// table of states.
    package let proof: Proof?

    /// The state of a purchase with the signed text that proves it.
    package init(_ purchase: VerifiedPurchase, provedBy proof: Proof) {
        statement = .purchase(purchase)
        self.proof = proof
    }

    /// A statement of a source without signed texts.
    package init(_ statement: Statement) {
        self.statement = statement
        proof = nil
    }
}
