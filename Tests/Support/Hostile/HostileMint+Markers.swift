import AppStore
import FoundationEssentials
import StoreSimulator
import SwiftASN1
import X509

extension HostileMint {
    /// Apple certified it, but for something else (`threats.md` T5).
    func markers() throws -> [HostileVector] {
        let leaf = ASN1ObjectIdentifier.AppleMarker.leaf
        let intermediate = ASN1ObjectIdentifier.AppleMarker.intermediate
        let leafAlikes: [ASN1ObjectIdentifier] = [
            [1, 2, 840, 113635, 100, 6, 11, 2], [1, 2, 840, 113635, 100, 6, 11], [1, 2, 840, 113635, 100, 6, 11, 1, 1],
            [1, 2, 840, 113635, 100, 6, 1, 11],
            [1, 2, 840, 113635, 100, 6, 11, 0], [1, 2, 840, 113635, 100, 6, 11, 11], [1, 2, 840, 113635, 100, 6, 1, 2],
            [1, 2, 840, 113636, 100, 6, 11, 1],
            [1, 2, 840, 113635, 100, 6, 111], [2, 2, 840, 113635, 100, 6, 11, 1],
        ]
        let intermediateAlikes: [ASN1ObjectIdentifier] = [
            [1, 2, 840, 113635, 100, 6, 2, 2], [1, 2, 840, 113635, 100, 6, 2], [1, 2, 840, 113635, 100, 6, 2, 1, 1],
            [1, 2, 840, 113635, 100, 6, 1, 2],
            [1, 2, 840, 113635, 100, 6, 2, 6], [1, 2, 840, 113635, 100, 6, 21], [1, 2, 840, 113636, 100, 6, 2, 1],
        ]
        let misplaced: [(String, String)] = [
            ("absent from the leaf", try chain(leaf: { $0.remove(leaf) })),
            ("absent from the intermediate", try chain(intermediate: { $0.remove(intermediate) })),
            ("absent from both", try chain(leaf: { $0.remove(leaf) }, intermediate: { $0.remove(intermediate) })),
            (
                "swapped",
                try chain(
                    leaf: {
                        $0.remove(leaf); $0.replace(CertificateExtensions.marker(intermediate))
                    },
                    intermediate: {
                        $0.remove(intermediate); $0.replace(CertificateExtensions.marker(leaf))
                    })
            ),
            (
                "both on the leaf",
                try chain(
                    leaf: { $0.replace(CertificateExtensions.marker(intermediate)) },
                    intermediate: { $0.remove(intermediate) })
            ),
            (
                "both on the intermediate",
                try chain(leaf: { $0.remove(leaf) }, intermediate: { $0.replace(CertificateExtensions.marker(leaf)) })
            ),
            (
                "critical on the leaf",
                try chain(leaf: { $0.replace(CertificateExtensions.marker(leaf, critical: true)) })
            ),
            (
                "critical on the intermediate",
                try chain(intermediate: { $0.replace(CertificateExtensions.marker(intermediate, critical: true)) })
            ),
            (
                "named as a policy of the leaf",
                try chain(leaf: {
                    $0.remove(leaf); $0.replace(try CertificateExtensions.policy(leaf, notice: "x"))
                })
            ),
            (
                "named as an extended key usage of the leaf",
                try chain(leaf: {
                    $0.remove(leaf); $0.replace(try .init(ExtendedKeyUsage([.init(oid: leaf)]), critical: false))
                })
            ),
            (
                "named in the value of another extension",
                try chain(leaf: {
                    $0.remove(leaf)
                    var serializer = DER.Serializer()
                    try serializer.serialize(leaf)
                    $0.replace(.init(oid: [1, 2, 3], critical: false, value: serializer.serializedBytes[...]))
                })
            ),
        ]
        return family("marker absent or misplaced", .missingAppleMarker, misplaced)
            + family(
                "marker of another purpose", .missingAppleMarker,
                try leafAlikes.map { alike in
                    (
                        "leaf with \(alike)",
                        try chain(leaf: {
                            $0.remove(leaf); $0.replace(CertificateExtensions.marker(alike))
                        })
                    )
                }
                    + intermediateAlikes.map { alike in
                        (
                            "intermediate with \(alike)",
                            try chain(intermediate: {
                                $0.remove(intermediate); $0.replace(CertificateExtensions.marker(alike))
                            })
                        )
                    })
    }
}
