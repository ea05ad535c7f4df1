package import FoundationEssentials
package import SwiftASN1
package import X509

/// The content of a certificate that is still to be signed.
///
/// ``DevelopmentAuthority`` fills three in the way Apple's look; a test that needs one that must be refused changes one
/// member and mints it.
package struct CertificateRecipe {
    package var version = Certificate.Version.v3
    package var subject: DistinguishedName
    package var issuer: DistinguishedName
    package var key: Certificate.PublicKey
    package var notBefore: Date
    package var notAfter: Date
    package var signatureAlgorithm: Certificate.SignatureAlgorithm?
    package var extensions: [Certificate.Extension]

    /// - Parameter period: Milliseconds since the epoch; both ends are valid.
    package init(
        subject: DistinguishedName, issuer: DistinguishedName, key: Certificate.PublicKey, period: ClosedRange<Int64>,
        extensions: [Certificate.Extension]
    ) {
        self.subject = subject
        self.issuer = issuer
        self.key = key
        self.notBefore = Date(timeIntervalSince1970: Double(period.lowerBound) / 1000)
        self.notAfter = Date(timeIntervalSince1970: Double(period.upperBound) / 1000)
        self.extensions = extensions
    }

    /// Signs the certificate. Its serial number is random.
    ///
    /// - Throws: If key and algorithm do not fit, or an extension stands twice.
    package func mint(signedBy issuerKey: Certificate.PrivateKey) throws -> Certificate {
        let serialNumber = Certificate.SerialNumber()
        let extensions = try Certificate.Extensions(extensions)
        guard let signatureAlgorithm else {
            return try Certificate(
                version: version, serialNumber: serialNumber, publicKey: key, notValidBefore: notBefore,
                notValidAfter: notAfter, issuer: issuer, subject: subject, extensions: extensions,
                issuerPrivateKey: issuerKey)
        }
        return try Certificate(
            version: version, serialNumber: serialNumber, publicKey: key, notValidBefore: notBefore,
            notValidAfter: notAfter, issuer: issuer, subject: subject, signatureAlgorithm: signatureAlgorithm,
            extensions: extensions, issuerPrivateKey: issuerKey)
    }

    /// Puts an extension in the place of the one with its identifier, or at the end.
    package mutating func replace(_ extension: Certificate.Extension) {
        guard let place = extensions.firstIndex(where: { $0.oid == `extension`.oid }) else {
            return extensions.append(`extension`)
        }
        extensions[place] = `extension`
    }

    /// Leaves an extension out.
    package mutating func remove(_ identifier: ASN1ObjectIdentifier) {
        extensions.removeAll { $0.oid == identifier }
    }
}

extension Certificate {
    /// The whole certificate in DER.
    ///
    /// - Throws: Never for a certificate that was minted or parsed.
    package var der: [UInt8] {
        get throws {
            var serializer = DER.Serializer()
            try serializer.serialize(self)
            return serializer.serializedBytes
        }
    }
}
