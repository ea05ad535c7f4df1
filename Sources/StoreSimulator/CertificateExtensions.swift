package import SwiftASN1
package import X509

/// The extensions of Apple's certificates, for simulated certificates (`apple.md` §1.2, §1.3).
package enum CertificateExtensions {
    /// A marker as Apple writes it: an extension whose value is an ASN.1 NULL.
    package static func marker(_ identifier: ASN1ObjectIdentifier, critical: Bool = false) -> Certificate.Extension {
        Certificate.Extension(oid: identifier, critical: critical, value: [0x05, 0x00])
    }

    /// The addresses of the OCSP responder and of the issuer's certificate.
    ///
    /// - Throws: Never for addresses in ASCII.
    package static func authorityInformation(ocsp: String, issuer: String) throws -> Certificate.Extension {
        try Certificate.Extension(
            AuthorityInformationAccess([
                .init(method: .issuingCA, location: .uniformResourceIdentifier(issuer)),
                .init(method: .ocspServer, location: .uniformResourceIdentifier(ocsp)),
            ]),
            critical: false)
    }

    /// The address of the revocation list (RFC 5280 §4.2.1.13).
    ///
    /// - Throws: Never for addresses in ASCII.
    package static func revocationList(_ address: String) throws -> Certificate.Extension {
        var serializer = DER.Serializer()
        try serializer.appendConstructedNode(identifier: .sequence) { points in
            try points.appendConstructedNode(identifier: .sequence) { point in
                try point.appendConstructedNode(identifier: context(0)) { name in
                    try name.appendConstructedNode(identifier: context(0)) { fullName in
                        try fullName.serialize(GeneralName.uniformResourceIdentifier(address))
                    }
                }
            }
        }
        return Certificate.Extension(oid: [2, 5, 29, 31], critical: false, value: serializer.serializedBytes[...])
    }

    /// A certificate policy with a user notice (RFC 5280 §4.2.1.4).
    ///
    /// - Throws: Never.
    package static func policy(_ identifier: ASN1ObjectIdentifier, notice: String) throws -> Certificate.Extension {
        var serializer = DER.Serializer()
        try serializer.appendConstructedNode(identifier: .sequence) { policies in
            try policies.appendConstructedNode(identifier: .sequence) { policy in
                try policy.serialize(identifier)
                try policy.appendConstructedNode(identifier: .sequence) { qualifiers in
                    try qualifiers.appendConstructedNode(identifier: .sequence) { qualifier in
                        try qualifier.serialize([1, 3, 6, 1, 5, 5, 7, 2, 2] as ASN1ObjectIdentifier)
                        try qualifier.appendConstructedNode(identifier: .sequence) { userNotice in
                            try userNotice.serialize(ASN1UTF8String(notice))
                        }
                    }
                }
            }
        }
        return Certificate.Extension(oid: [2, 5, 29, 32], critical: false, value: serializer.serializedBytes[...])
    }

    private static func context(_ number: UInt) -> ASN1Identifier {
        ASN1Identifier(tagWithNumber: number, tagClass: .contextSpecific)
    }
}
