package import SwiftASN1
package import X509

/// The extensions of Apple's certificates, for certificates that look like them (`apple.md` §1.2, §1.3).
package enum CertificateExtensions {
    /// A marker as Apple writes it: an ASN.1 NULL, not critical.
    package static func marker(_ identifier: ASN1ObjectIdentifier, critical: Bool = false) -> Certificate.Extension {
        Certificate.Extension(oid: identifier, critical: critical, value: [0x05, 0x00])
    }

    /// Where to ask whether the certificate is revoked, and where its issuer's is found.
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

    /// Where the list of revoked certificates is found (RFC 5280 §4.2.1.13).
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

    /// A certificate policy with a notice to whoever relies on it (RFC 5280 §4.2.1.4).
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
