package import Entitlements

/// A state of a purchase together with the signed text that proves it.
package struct Evidence: Sendable {
    package let purchase: VerifiedPurchase
    /// The compact JWS.
    package let text: SignedText
    /// The members of it that decide nothing and could not be read.
    package let unreadable: [String]

    package init(purchase: VerifiedPurchase, text: SignedText, unreadable: [String] = []) {
        self.purchase = purchase
        self.text = text
        self.unreadable = unreadable
    }
}
