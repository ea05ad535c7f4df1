package import Entitlements

/// A state of a purchase together with the signed text that proves it.
package struct Evidence: Sendable {
    package let purchase: VerifiedPurchase
    /// The compact JWS.
    package let text: SignedText

    package init(purchase: VerifiedPurchase, text: SignedText) {
        self.purchase = purchase
        self.text = text
    }
}
