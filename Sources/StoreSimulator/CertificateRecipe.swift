package import FoundationEssentials
package import SwiftASN1
package import X509

/// The content of a certificate before it is signed.
///
/// ``DevelopmentAuthority`` makes three of them that resemble Apple's certificates. A test of a defective certificate
/// changes one member and signs the result.
package struct CertificateRecipe {
    package var version = Certificate.Version.v3
    package var subject: DistinguishedName
    package var issuer: DistinguishedName
    package var key: Certificate.PublicKey
    package var notBefore: Date
    package var notAfter: Date
    package var signatureAlgorithm: Certificate.SignatureAlgorithm?
    package var extensions: [Certificate.Extension]

    /// - Parameter period: The validity in milliseconds since the epoch, both ends included.
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
    /// - Throws: An error if key and algorithm do not fit, or if an extension is there twice.
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

    /// Replaces the extension with the same identifier, or appends the extension if there is none.
    package mutating func replace(_ extension: Certificate.Extension) {
        guard let place = extensions.firstIndex(where: { $0.oid == `extension`.oid }) else {
            return extensions.append(`extension`)
        }
        extensions[place] = `extension`
    }

    /// Removes the extension with this identifier.
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
