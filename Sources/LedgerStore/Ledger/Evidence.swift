package import Entitlements

/// What somebody may be shown to have: a statement of a source, and for the App Store what proves it.
package struct Evidence: Sendable {
    /// A signed text, and what it says beyond the statement.
    package struct Proof: Sendable {
        /// The compact JWS.
        package let text: SignedText
        package let details: StoreDetails
        /// The members of it that decide nothing and could not be read.
        package let unreadable: [String]

        package init(text: SignedText, details: StoreDetails, unreadable: [String] = []) {
            self.text = text
            self.details = details
            self.unreadable = unreadable
        }
    }

    package let statement: Statement
    /// Nil for a source that proves its statements by itself; of those the ledgers alone keep the statements.
    package let proof: Proof?

    /// The state of a purchase with the signed text that proves it.
    package init(_ purchase: VerifiedPurchase, provedBy proof: Proof) {
        statement = .purchase(purchase)
        self.proof = proof
    }

    /// What a source states that has no table of its own.
    package init(_ statement: Statement) {
        self.statement = statement
        proof = nil
    }
}
