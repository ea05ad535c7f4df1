import AppStore
package import Crypto
import SwiftASN1
import X509

extension DevelopmentAuthority {
    /// The root: like Apple Root CA – G3.
    ///
    /// - Throws: Never.
    package static func rootRecipe(
        _ key: P384.Signing.PrivateKey, _ period: ClosedRange<Int64>
    ) throws -> CertificateRecipe {
        CertificateRecipe(
            subject: try rootName, issuer: try rootName, key: .init(key.publicKey), period: period,
            extensions: [
                try .init(SubjectKeyIdentifier(hash: .init(key.publicKey)), critical: false),
                try .init(BasicConstraints.isCertificateAuthority(maxPathLength: nil), critical: true),
                try .init(KeyUsage(keyCertSign: true, cRLSign: true), critical: true),
            ])
    }

    /// The intermediate: like Apple Worldwide Developer Relations G6, with its marker.
    ///
    /// - Throws: Never.
    package static func intermediateRecipe(
        _ key: P384.Signing.PublicKey, below root: P384.Signing.PublicKey, _ period: ClosedRange<Int64>
    ) throws -> CertificateRecipe {
        CertificateRecipe(
            subject: try intermediateName, issuer: try rootName, key: .init(key), period: period,
            extensions: [
                try .init(BasicConstraints.isCertificateAuthority(maxPathLength: 0), critical: true),
                try .init(authorityKey(root), critical: false),
                try CertificateExtensions.authorityInformation(
                    ocsp: "http://ocsp.gatepass.invalid/root", issuer: "http://certs.gatepass.invalid/root"),
                try CertificateExtensions.revocationList("http://crl.gatepass.invalid/root"),
                try .init(SubjectKeyIdentifier(hash: .init(key)), critical: false),
                try .init(KeyUsage(keyCertSign: true, cRLSign: true), critical: true),
                CertificateExtensions.marker(.AppleMarker.intermediate),
            ])
    }

    /// The leaf: like Apple's receipt signing certificate, with its marker and a notice that gives it Apple's length.
    ///
    /// - Throws: Never.
    package static func leafRecipe(
        _ key: P256.Signing.PublicKey, below intermediate: P384.Signing.PublicKey, _ period: ClosedRange<Int64>
    ) throws -> CertificateRecipe {
        CertificateRecipe(
            subject: try leafName, issuer: try intermediateName, key: .init(key), period: period,
            extensions: [
                try .init(BasicConstraints.notCertificateAuthority, critical: true),
                try .init(authorityKey(intermediate), critical: false),
                try CertificateExtensions.authorityInformation(
                    ocsp: "http://ocsp.gatepass.invalid/relations",
                    issuer: "http://certs.gatepass.invalid/relations"),
                try CertificateExtensions.policy([2, 25, 1], notice: notice),
                try .init(SubjectKeyIdentifier(hash: .init(key)), critical: false),
                try .init(KeyUsage(digitalSignature: true), critical: true),
                CertificateExtensions.marker(.AppleMarker.leaf),
            ])
    }

    private static func authorityKey(_ key: P384.Signing.PublicKey) -> AuthorityKeyIdentifier {
        AuthorityKeyIdentifier(keyIdentifier: SubjectKeyIdentifier(hash: .init(key)).keyIdentifier)
    }

    private static var rootName: DistinguishedName {
        get throws {
            try DistinguishedName {
                CommonName("Gatepass Development Root CA")
                OrganizationalUnitName(TrustRoots.developmentUnit)
                OrganizationName("Gatepass")
                CountryName("US")
            }
        }
    }

    private static var intermediateName: DistinguishedName {
        get throws {
            try DistinguishedName {
                CommonName("Gatepass Development Relations Authority")
                OrganizationalUnitName(TrustRoots.developmentUnit)
                OrganizationName("Gatepass")
                CountryName("US")
            }
        }
    }

    private static var leafName: DistinguishedName {
        get throws {
            try DistinguishedName {
                CommonName("Development App Store and Receipt Signing")
                OrganizationalUnitName(TrustRoots.developmentUnit)
                OrganizationName("Gatepass")
                CountryName("US")
            }
        }
    }

    private static let notice = """
        This certificate belongs to a signing authority for development. Nothing it signs was bought: no \
        money changed hands and no store took part. A server in \
        production must not trust its root and refuses to start with it. Reliance on it is at the party's own risk.
        """
}
