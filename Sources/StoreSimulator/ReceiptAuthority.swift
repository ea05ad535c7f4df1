package import AppStore
import Crypto
package import CryptoExtras
import SwiftASN1
package import X509

/// A signing authority for app receipts in development, built like Apple's: RSA certificates with Apple's markers below
/// a root of their own, which no signed text ends at. One key serves all three certificates.
///
/// Like a ``DevelopmentAuthority``, it says in its subjects that it is for development.
package struct ReceiptAuthority: Sendable {
    /// The digest of a signature.
    package enum Digest: CaseIterable, Sendable {
        case sha1
        case sha256
    }

    package let key: _RSA.Signing.PrivateKey
    package var root: Certificate
    package var intermediate: Certificate
    package var leaf: Certificate
    package var digest = Digest.sha256

    /// Makes a new key and certificates, valid from and until instants in milliseconds since the epoch.
    ///
    /// - Throws: An error if the dates cannot be written in a certificate.
    package init(validFrom: Int64, validUntil: Int64) throws {
        key = try _RSA.Signing.PrivateKey(keySize: .bits2048)
        let period = validFrom...max(validFrom, validUntil)
        root = try Self.rootRecipe(key.publicKey, period).mint(signedBy: .init(key))
        intermediate = try Self.intermediateRecipe(key.publicKey, period).mint(signedBy: .init(key))
        leaf = try Self.leafRecipe(key.publicKey, period).mint(signedBy: .init(key))
    }

    /// The certificates and the key as PEM texts, for a directory that only its owner may read.
    package struct Kept: Hashable, Sendable {
        package var root: String
        package var intermediate: String
        package var leaf: String
        package var key: String

        package init(root: String, intermediate: String, leaf: String, key: String) {
            self.root = root
            self.intermediate = intermediate
            self.leaf = leaf
            self.key = key
        }
    }

    /// Restores an authority from its PEM texts.
    ///
    /// - Throws: An error if a text is not PEM of its kind.
    package init(_ kept: Kept) throws {
        key = try _RSA.Signing.PrivateKey(pemRepresentation: kept.key)
        root = try Certificate(pemEncoded: kept.root)
        intermediate = try Certificate(pemEncoded: kept.intermediate)
        leaf = try Certificate(pemEncoded: kept.leaf)
    }

    /// The certificates and the key as PEM.
    ///
    /// - Throws: Nothing in practice, because the certificates are valid.
    package var kept: Kept {
        get throws {
            Kept(
                root: try root.serializeAsPEM().pemString, intermediate: try intermediate.serializeAsPEM().pemString,
                leaf: try leaf.serializeAsPEM().pemString, key: key.pemRepresentation)
        }
    }

    /// The trust roots for a verifier: the root certificate of this authority alone.
    ///
    /// - Throws: Nothing in practice, because the root is a valid certificate.
    package var trustRoots: TrustRoots {
        get throws { try TrustRoots(files: [try root.der]) }
    }

    /// The PKCS#1 signature over some bytes.
    ///
    /// - Throws: Nothing in practice, because the key is valid.
    package func signature(over bytes: [UInt8]) throws -> [UInt8] {
        let signature =
            switch digest {
            case .sha1: try key.signature(for: Insecure.SHA1.hash(data: bytes), padding: .insecurePKCS1v1_5)
            case .sha256: try key.signature(for: SHA256.hash(data: bytes), padding: .insecurePKCS1v1_5)
            }
        return Array(signature.rawRepresentation)
    }

    /// True if ``signature(over:)`` made `signature` over the bytes.
    package func hasSigned(_ bytes: [UInt8], with signature: [UInt8]) -> Bool {
        leaf.publicKey.isValidSignature(signature, for: bytes, signatureAlgorithm: .sha256WithRSAEncryption)
    }

    // MARK: Certificates

    /// The root: like Apple Root CA of 2006.
    ///
    /// - Throws: Never.
    package static func rootRecipe(
        _ key: _RSA.Signing.PublicKey, _ period: ClosedRange<Int64>
    ) throws -> CertificateRecipe {
        try recipe(
            rootName, by: rootName, key, period,
            [
                .init(BasicConstraints.isCertificateAuthority(maxPathLength: nil), critical: true),
                .init(KeyUsage(keyCertSign: true, cRLSign: true), critical: true),
            ])
    }

    /// The intermediate: like Apple Worldwide Developer Relations, with its marker.
    ///
    /// - Throws: Never.
    package static func intermediateRecipe(
        _ key: _RSA.Signing.PublicKey, _ period: ClosedRange<Int64>
    ) throws -> CertificateRecipe {
        try recipe(
            intermediateName, by: rootName, key, period,
            [
                .init(BasicConstraints.isCertificateAuthority(maxPathLength: 0), critical: true),
                .init(KeyUsage(keyCertSign: true, cRLSign: true), critical: true),
                CertificateExtensions.marker(.AppleMarker.intermediate),
            ])
    }

    /// The leaf: like Apple's receipt signing certificate, with its marker.
    ///
    /// - Throws: Never.
    package static func leafRecipe(
        _ key: _RSA.Signing.PublicKey, _ period: ClosedRange<Int64>
    ) throws -> CertificateRecipe {
        try recipe(
            leafName, by: intermediateName, key, period,
            [
                .init(BasicConstraints.notCertificateAuthority, critical: true),
                .init(KeyUsage(digitalSignature: true), critical: true),
                CertificateExtensions.marker(.AppleMarker.leaf),
            ])
    }

    private static func recipe(
        _ subject: String, by issuer: String, _ key: _RSA.Signing.PublicKey, _ period: ClosedRange<Int64>,
        _ extensions: [Certificate.Extension]
    ) throws -> CertificateRecipe {
        CertificateRecipe(
            subject: try name(subject), issuer: try name(issuer), key: .init(key), period: period,
            extensions: extensions)
    }

    private static let rootName = "Gatepass Development Receipt Root CA"
    private static let intermediateName = "Gatepass Development Receipt Relations Authority"
    private static let leafName = "Development App Store Receipt Signing"

    private static func name(_ common: String) throws -> DistinguishedName {
        try DistinguishedName {
            CommonName(common)
            OrganizationalUnitName(TrustRoots.developmentUnit)
            OrganizationName("Gatepass")
            CountryName("US")
        }
    }
}
