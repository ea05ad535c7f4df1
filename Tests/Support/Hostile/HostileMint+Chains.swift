import AppStore
import Crypto
import FoundationEssentials
import StoreSimulator
import SwiftASN1
import X509

extension HostileMint {
    /// Attacks on the path to the root (`threats.md` T4, T6).
    func chains() throws -> [HostileVector] {
        try orders() + foreignRoots() + forgedIssuers() + flippedCertificates() + mismatchedNames()
    }

    private func orders() throws -> [HostileVector] {
        let places: [(String, [Int])] = [
            ("leaf and intermediate swapped", [1, 0, 2]), ("reversed", [2, 1, 0]), ("the root second", [0, 2, 1]),
            ("the root first", [2, 0, 1]), ("the intermediate first", [1, 2, 0]), ("the leaf twice", [0, 0, 2]),
            ("the intermediate twice", [1, 1, 2]), ("the root three times", [2, 2, 2]),
            ("the leaf three times", [0, 0, 0]),
            ("the intermediate below the root", [1, 2, 2]),
        ]
        return family(
            "order of the certificates", .chainUntrusted,
            try places.map { ($0.0, try sign(certificates: $0.1.map { certificates[$0] })) })
    }

    /// Whole chains of an attacker, with all that can be copied from the real one.
    private func foreignRoots() throws -> [HostileVector] {
        let foreign = P384.Signing.PrivateKey()
        let copy = try DevelopmentAuthority.rootRecipe(foreign, period)
        var sameKeyIdentifier = copy
        sameKeyIdentifier.replace(
            try .init(SubjectKeyIdentifier(hash: .init(authority.rootKey.publicKey)), critical: false))
        let stranger = try HostileVectors.authority()
        let header = CompactText.header(certificates: [
            try stranger.leaf.der, try stranger.intermediate.der, certificates[2],
        ])
        return family(
            "chain of another root", .chainUntrusted,
            [
                ("another authority of the same names", try stranger.sign(payload)),
                (
                    "the same, with the real root third",
                    try sign(header: Array(header.json.utf8), payload: Array(payload.json.utf8), by: stranger.leafKey)
                ),
                (
                    "a root of the same name third",
                    try chain(rootKey: foreign, third: try copy.mint(signedBy: .init(foreign)).der)
                ),
                (
                    "a root of the same name and key identifier third",
                    try chain(rootKey: foreign, third: try sameKeyIdentifier.mint(signedBy: .init(foreign)).der)
                ),
                ("the real root third", try chain(rootKey: foreign)),
                ("an empty third", try chain(rootKey: foreign, third: [])),
                (
                    "an intermediate that names another root",
                    try chain(intermediate: { $0.issuer = try Self.name("Other Root") })
                ),
                ("a self-issued intermediate", try chain(intermediate: { $0.issuer = $0.subject })),
                (
                    "an intermediate that calls itself root",
                    try chain(intermediate: { $0.subject = $0.issuer }, rootKey: foreign)
                ),
                ("a development leaf of Xcode", try xcode()),
            ])
    }

    /// What Xcode signs: its own certificate, alone in Xcode's texts, three times here (`apple.md` §1.7).
    private func xcode() throws -> String {
        let key = P256.Signing.PrivateKey()
        let name = try Self.name("StoreKit Testing in Xcode")
        let recipe = CertificateRecipe(
            subject: name, issuer: name, key: .init(key.publicKey), period: period,
            extensions: [CertificateExtensions.marker(.AppleMarker.leaf)])
        let der = try recipe.mint(signedBy: .init(key)).der
        return try sign(certificates: [der, der, der], by: key)
    }

    private func forgedIssuers() throws -> [HostileVector] {
        let key = P256.Signing.PrivateKey()
        let foreign = P384.Signing.PrivateKey()
        let leaf = try leafRecipe(key.publicKey, below: authority.intermediateKey.publicKey)
        let forgedLeaf = try leaf.mint(signedBy: .init(foreign)).der
        let forged = try intermediateRecipe(foreign.publicKey).mint(signedBy: .init(foreign)).der
        let copied = try intermediateRecipe(authority.intermediateKey.publicKey).mint(signedBy: .init(foreign)).der
        var issuedByRoot = leaf
        issuedByRoot.issuer = authority.root.subject
        var issuedByLeaf = leaf
        issuedByLeaf.issuer = authority.leaf.subject
        issuedByLeaf.subject = try Self.name("Below the leaf")
        return family(
            "forged issuer", .chainUntrusted,
            [
                (
                    "a leaf that the intermediate did not sign",
                    try sign(certificates: [forgedLeaf, certificates[1], certificates[2]], by: key)
                ),
                (
                    "an intermediate that the root did not sign",
                    try sign(certificates: [forgedLeaf, forged, certificates[2]], by: key)
                ),
                (
                    "the real leaf below a forged intermediate",
                    try sign(certificates: [certificates[0], forged, certificates[2]])
                ),
                (
                    "the real intermediate's key, certified by another",
                    try sign(certificates: [certificates[0], copied, certificates[2]])
                ),
                (
                    "a leaf that signed itself",
                    try sign(
                        certificates: [try leaf.mint(signedBy: .init(key)).der, certificates[1], certificates[2]],
                        by: key)
                ),
                (
                    "a leaf below the root",
                    try sign(
                        certificates: [
                            try issuedByRoot.mint(signedBy: .init(authority.rootKey)).der, certificates[2],
                            certificates[2],
                        ], by: key)
                ),
                (
                    "a leaf of the root above the intermediate",
                    try sign(
                        certificates: [
                            try issuedByRoot.mint(signedBy: .init(authority.rootKey)).der, certificates[1],
                            certificates[2],
                        ], by: key)
                ),
                (
                    "a leaf below the leaf",
                    try sign(
                        certificates: [
                            try issuedByLeaf.mint(signedBy: .init(authority.leafKey)).der, certificates[0],
                            certificates[1],
                        ], by: key)
                ),
            ])
    }

    /// One bit of a certificate changed where it is signed: dates, names, extensions, the signature itself.
    private func flippedCertificates() throws -> [HostileVector] {
        var vectors: [(String, String)] = []
        for place in 0..<2 {
            let der = certificates[place]
            // The last bytes are the signature's s.
            for offset in 1...20 {
                var certificates = self.certificates
                certificates[place][der.count - offset] ^= 1
                vectors.append(("entry \(place), byte -\(offset)", try sign(certificates: certificates)))
            }
            // In version 3 the serial number starts at byte 15: two headers, the version, its own header.
            for offset in 16..<26 {
                var certificates = self.certificates
                certificates[place][offset] ^= 1
                vectors.append(("entry \(place), byte \(offset)", try sign(certificates: certificates)))
            }
        }
        return family("bit of a certificate", .chainUntrusted, vectors)
    }

    private func mismatchedNames() throws -> [HostileVector] {
        let subject = "Gatepass Development Relations Authority"
        let names = [
            subject.lowercased(), subject + " ", " " + subject, "",
            "Apple Worldwide Developer Relations Certification Authority", subject + "\0",
        ]
        return family(
            "names that do not follow", .chainUntrusted,
            try names.map { name in
                ("issued by \(SimulatedPayload.quoted(name))", try chain(leaf: { $0.issuer = try Self.name(name) }))
            }
                + [
                    ("no issuer", try chain(leaf: { $0.issuer = DistinguishedName() })),
                    ("issued by the root's name", try chain(leaf: { $0.issuer = authority.root.subject })),
                    ("the leaf issues itself", try chain(leaf: { $0.issuer = $0.subject })),
                    ("the leaf has its issuer's name", try chain(leaf: { $0.subject = $0.issuer })),
                ])
    }

    static func name(_ commonName: String) throws -> DistinguishedName {
        try DistinguishedName {
            CommonName(commonName)
            OrganizationalUnitName(TrustRoots.developmentUnit)
            OrganizationName("Gatepass")
            CountryName("US")
        }
    }
}
