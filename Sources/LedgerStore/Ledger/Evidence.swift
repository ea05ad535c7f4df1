package import Entitlements

/// A state of a purchase together with the signed text that proves it.
package struct Evidence: Sendable {
    package let purchase: VerifiedPurchase
    /// The compact JWS.
    package let text: String
    /// SHA-256 of `text`; finds a literal replay and is never an identity (`semantics.md` §5).
    package let digest: [UInt8]

    package init(purchase: VerifiedPurchase, text: String, digest: [UInt8]) {
        self.purchase = purchase
        self.text = text
        self.digest = digest
    }
}
