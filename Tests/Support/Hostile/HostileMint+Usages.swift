import AppStore
import Crypto
import FoundationEssentials
import StoreSimulator
import SwiftASN1
import X509

extension HostileMint {
    /// Certificates below the right root that may not be used for their place (`threats.md` T5, T7).
    func usages() throws -> [HostileVector] {
        try rights() + keys() + criticalExtensions() + brokenExtensions()
    }

    private func rights() throws -> [HostileVector] {
        let leafUsages: [(String, KeyUsage)] = [
            ("nothing", KeyUsage()), ("key encipherment", KeyUsage(keyEncipherment: true)),
            ("key agreement", KeyUsage(keyAgreement: true)),
            ("data encipherment", KeyUsage(dataEncipherment: true)),
            ("non-repudiation", KeyUsage(nonRepudiation: true)),
            ("signing certificates", KeyUsage(keyCertSign: true)), ("signing lists", KeyUsage(cRLSign: true)),
            (
                "all but signatures",
                KeyUsage(
                    nonRepudiation: true, keyEncipherment: true, dataEncipherment: true, keyAgreement: true,
                    keyCertSign: true, cRLSign: true)
            ),
        ]
        let issuerUsages: [(String, KeyUsage)] = [
            ("nothing", KeyUsage()), ("signatures", KeyUsage(digitalSignature: true)),
            ("signing lists", KeyUsage(cRLSign: true)),
            ("key agreement", KeyUsage(keyAgreement: true)),
        ]
        var vectors: [(String, String)] = []
        for critical in [true, false] {
            for (name, usage) in leafUsages {
                vectors.append(
                    (
                        "leaf for \(name), critical \(critical)",
                        try chain(leaf: { $0.replace(try .init(usage, critical: critical)) })
                    ))
            }
            for (name, usage) in issuerUsages {
                vectors.append(
                    (
                        "intermediate for \(name), critical \(critical)",
                        try chain(intermediate: { $0.replace(try .init(usage, critical: critical)) })
                    ))
            }
            vectors += [
                (
                    "leaf is an authority, critical \(critical)",
                    try chain(leaf: {
                        $0.replace(
                            try .init(BasicConstraints.isCertificateAuthority(maxPathLength: nil), critical: critical))
                    })
                ),
                (
                    "leaf is an authority of length 0, critical \(critical)",
                    try chain(leaf: {
                        $0.replace(
                            try .init(BasicConstraints.isCertificateAuthority(maxPathLength: 0), critical: critical))
                    })
                ),
                (
                    "intermediate is no authority, critical \(critical)",
                    try chain(intermediate: {
                        $0.replace(try .init(BasicConstraints.notCertificateAuthority, critical: critical))
                    })
                ),
            ]
        }
        vectors.append(
            (
                "intermediate without basic constraints",
                try chain(intermediate: { $0.remove(.X509ExtensionID.basicConstraints) })
            ))
        return family("right to be used", .chainUntrusted, vectors)
    }

    /// Certificates of other versions and with other keys.
    private func keys() throws -> [HostileVector] {
        let leaves: [(String, Certificate.PublicKey)] = [
            ("P-384", .init(P384.Signing.PrivateKey().publicKey)),
            ("P-521", .init(P521.Signing.PrivateKey().publicKey)),
            ("Ed25519", .init(Curve25519.Signing.PrivateKey().publicKey)),
        ]
        let edwards = Curve25519.Signing.PrivateKey()
        let key = P256.Signing.PrivateKey()
        var intermediate = try intermediateRecipe(authority.intermediateKey.publicKey)
        intermediate.key = .init(edwards.publicKey)
        let leaf = try leafRecipe(key.publicKey, below: authority.intermediateKey.publicKey).mint(
            signedBy: .init(edwards)
        ).der
        let below = try sign(
            certificates: [leaf, try intermediate.mint(signedBy: .init(authority.rootKey)).der, certificates[2]],
            by: key)
        return family(
            "key or version of a certificate", .chainUntrusted,
            try leaves.map { name, key in ("a leaf with \(name)", try chain(leaf: { $0.key = key })) }
                + [
                    ("a leaf below Ed25519", below),
                    (
                        "a leaf of version 1",
                        try chain(leaf: {
                            $0.version = .v1; $0.extensions = []
                        })
                    ),
                    (
                        "an intermediate of version 1",
                        try chain(intermediate: {
                            $0.version = .v1; $0.extensions = []
                        })
                    ),
                    ("a leaf of version 1 with extensions", try chain(leaf: { $0.version = .v1 })),
                    ("an intermediate of version 1 with extensions", try chain(intermediate: { $0.version = .v1 })),
                ])
    }

    private func criticalExtensions() throws -> [HostileVector] {
        let unknown: [(String, Certificate.Extension)] = [
            ("an unknown one", .init(oid: [1, 2, 3, 4, 5], critical: true, value: [0x05, 0x00])),
            ("another of Apple's", .init(oid: [1, 2, 840, 113635, 100, 6, 99], critical: true, value: [0x05, 0x00])),
            ("extended key usage", try .init(ExtendedKeyUsage([.codeSigning]), critical: true)),
            ("an alternative name", try .init(SubjectAlternativeNames([.dnsName("x")]), critical: true)),
            ("policy constraints", .init(oid: [2, 5, 29, 36], critical: true, value: [0x30, 0x00])),
            ("inhibit any policy", .init(oid: [2, 5, 29, 54], critical: true, value: [0x02, 0x01, 0x00])),
            ("name constraints", try .init(NameConstraints(excludedDNSDomains: ["x"]), critical: true)),
            ("name constraints, not critical", try .init(NameConstraints(excludedDNSDomains: ["x"]), critical: false)),
        ]
        return family(
            "extension that is not understood", .chainUntrusted,
            try unknown.flatMap { name, `extension` in
                [
                    ("\(name) on the leaf", try chain(leaf: { $0.replace(`extension`) })),
                    ("\(name) on the intermediate", try chain(intermediate: { $0.replace(`extension`) })),
                ]
            })
    }

    private func brokenExtensions() throws -> [HostileVector] {
        let values: [(String, [UInt8])] = [
            ("nothing", []), ("a NULL", [0x05, 0x00]), ("a byte too many", [0x30, 0x03, 0x01, 0x01, 0xFF, 0x00]),
            ("half", [0x30, 0x03, 0x01]),
            ("a negative length", [0x30, 0x06, 0x01, 0x01, 0xFF, 0x02, 0x01, 0xFF]),
        ]
        return family(
            "extension that cannot be read", .chainUntrusted,
            try values.flatMap { name, value in
                [
                    (
                        "basic constraints of the intermediate: \(name)",
                        try chain(intermediate: {
                            $0.replace(.init(oid: .X509ExtensionID.basicConstraints, critical: true, value: value[...]))
                        })
                    ),
                    (
                        "basic constraints of the leaf: \(name)",
                        try chain(leaf: {
                            $0.replace(.init(oid: .X509ExtensionID.basicConstraints, critical: true, value: value[...]))
                        })
                    ),
                    (
                        "key usage of the leaf: \(name)",
                        try chain(leaf: {
                            $0.replace(.init(oid: .X509ExtensionID.keyUsage, critical: true, value: value[...]))
                        })
                    ),
                    (
                        "key usage of the intermediate: \(name)",
                        try chain(intermediate: {
                            $0.replace(.init(oid: .X509ExtensionID.keyUsage, critical: true, value: value[...]))
                        })
                    ),
                ]
            })
    }
}
