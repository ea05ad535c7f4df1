package import AppStore
package import Crypto
import FoundationEssentials
import SwiftASN1
package import X509

/// A signing authority for development, built like Apple's: P-384 root and intermediate, P-256 leaf, Apple's markers,
/// certificates of Apple's sizes. Its texts are verified by the same code as Apple's own; only the root differs.
///
/// Every installation makes its own authority. The certificates' subjects say that it is for development, and a
/// production server refuses to start with its root.
package struct DevelopmentAuthority: Sendable {
    package let root: Certificate
    package let intermediate: Certificate
    package let leaf: Certificate
    package let rootKey: P384.Signing.PrivateKey
    package let intermediateKey: P384.Signing.PrivateKey
    package let leafKey: P256.Signing.PrivateKey

    /// The first segment of every JWS that the authority signs.
    private let header: String

    /// Makes new keys and certificates.
    ///
    /// - Parameters:
    ///   - validFrom: The first valid instant in milliseconds since the epoch; texts signed before it are refused.
    ///   - validUntil: The last valid instant in milliseconds since the epoch; texts signed after it are refused.
    /// - Throws: An error if the dates cannot be written in a certificate.
    package init(validFrom: Int64, validUntil: Int64) throws {
        let rootKey = P384.Signing.PrivateKey()
        let intermediateKey = P384.Signing.PrivateKey()
        let leafKey = P256.Signing.PrivateKey()
        let period = validFrom...max(validFrom, validUntil)
        let root = try Self.rootRecipe(rootKey, period).mint(signedBy: .init(rootKey))
        let intermediate = try Self.intermediateRecipe(intermediateKey.publicKey, below: rootKey.publicKey, period)
            .mint(signedBy: .init(rootKey))
        let leaf = try Self.leafRecipe(leafKey.publicKey, below: intermediateKey.publicKey, period)
            .mint(signedBy: .init(intermediateKey))
        try self.init(
            root: root, intermediate: intermediate, leaf: leaf, rootKey: rootKey, intermediateKey: intermediateKey,
            leafKey: leafKey)
    }

    /// Restores an authority from its PEM texts.
    ///
    /// - Throws: An error if a text is not PEM of its kind.
    package init(_ kept: Kept) throws {
        try self.init(
            root: Certificate(pemEncoded: kept.root), intermediate: Certificate(pemEncoded: kept.intermediate),
            leaf: Certificate(pemEncoded: kept.leaf), rootKey: P384.Signing.PrivateKey(pemRepresentation: kept.rootKey),
            intermediateKey: P384.Signing.PrivateKey(pemRepresentation: kept.intermediateKey),
            leafKey: P256.Signing.PrivateKey(pemRepresentation: kept.leafKey))
    }

    private init(
        root: Certificate, intermediate: Certificate, leaf: Certificate, rootKey: P384.Signing.PrivateKey,
        intermediateKey: P384.Signing.PrivateKey, leafKey: P256.Signing.PrivateKey
    ) throws {
        self.root = root
        self.intermediate = intermediate
        self.leaf = leaf
        self.rootKey = rootKey
        self.intermediateKey = intermediateKey
        self.leafKey = leafKey
        let header = CompactText.header(certificates: [try leaf.der, try intermediate.der, try root.der])
        self.header = CompactText.base64URL(header.json.utf8)
    }

    /// The trust roots for a verifier: the root certificate of this authority alone.
    ///
    /// - Throws: Nothing in practice, because the root is a valid certificate.
    package var trustRoots: TrustRoots {
        get throws { try TrustRoots(files: [try root.der]) }
    }

    // MARK: Signing

    /// Signs any payload, whether or not the App Store would.
    ///
    /// - Returns: A compact JWS.
    /// - Throws: Nothing in practice, because the key is valid.
    package func sign(_ payload: SimulatedPayload) throws -> String {
        let signingInput = header + "." + CompactText.base64URL(payload.json.utf8)
        let signature = try leafKey.signature(for: Array(signingInput.utf8))
        return signingInput + "." + CompactText.base64URL(signature.rawRepresentation)
    }

    /// Signs a transaction.
    ///
    /// - Throws: Nothing in practice, because the key is valid.
    package func sign(_ transaction: SimulatedTransaction) throws -> SignedTransaction {
        SignedTransaction(try sign(transaction.payload))
    }

    /// Signs renewal info.
    ///
    /// - Throws: Nothing in practice, because the key is valid.
    package func sign(_ renewalInfo: SimulatedRenewalInfo) throws -> SignedRenewalInfo {
        SignedRenewalInfo(try sign(renewalInfo.payload))
    }

    /// Signs a notification.
    ///
    /// - Throws: Nothing in practice, because the key is valid.
    package func sign(_ notification: SimulatedNotification) throws -> SignedNotification {
        SignedNotification(try sign(notification.payload))
    }

    /// Signs an app transaction.
    ///
    /// - Throws: Nothing in practice, because the key is valid.
    package func sign(_ appTransaction: SimulatedAppTransaction) throws -> SignedAppTransaction {
        SignedAppTransaction(try sign(appTransaction.payload))
    }
}
