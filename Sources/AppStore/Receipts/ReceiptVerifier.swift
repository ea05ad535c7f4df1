package import Entitlements
import SwiftASN1
import X509

/// Decides whether the App Store signed an app receipt for one of the configured apps (`semantics.md` §5).
///
/// A receipt holds if its only signer is the leaf of a chain leaf → intermediate → configured root, all RSA and valid
/// at the receipt's creation date, with Apple's markers. Every developer has a certificate under Apple's root, so only
/// the markers tell the store's signer apart. swift-certificates' own CMS refuses these receipts: they name
/// `rsaEncryption` where it wants an algorithm with a digest.
package struct ReceiptVerifier: Sendable {
    /// The most certificates that a receipt may bring along; the App Store's bring three.
    private static let maximumCertificates = 8

    private let roots: TrustRoots

    /// - Parameter roots: The roots of receipts alone. Those of signed texts are others.
    package init(roots: TrustRoots) {
        self.roots = roots
    }

    /// Verifies a receipt, whatever ids are in it.
    ///
    /// - Parameters:
    ///   - apps: The apps whose receipts are accepted.
    ///   - now: Milliseconds since the epoch; the creation date must not lie after it.
    /// - Returns: The environment in which the receipt's ids count.
    /// - Throws: The first reason, in order of precedence.
    package func verify(
        _ receipt: AppReceipt, for apps: Set<StoreApp>, at now: Int64
    ) throws(EvidenceError) -> StoreEnvironment {
        let envelope = try SignedReceipt(receipt.bytes)
        let chain = try chain(of: envelope)
        if let createdAt = receipt.createdAt {
            guard chain.allSatisfy({ ValidityPeriod($0).contains(createdAt) }) else {
                throw EvidenceError(.chainExpired, "A certificate was not valid when the receipt was made.")
            }
        }
        guard chain[0].extensions[oid: .AppleMarker.leaf]?.critical == false,
            chain[1].extensions[oid: .AppleMarker.intermediate]?.critical == false
        else {
            throw EvidenceError(.missingAppleMarker, "The certificates are not for signing receipts of the App Store.")
        }
        guard
            chain[0].publicKey.isValidSignature(
                envelope.signature, for: envelope.content, signatureAlgorithm: envelope.algorithm)
        else { throw EvidenceError(.signatureMismatch, "The signature does not match the receipt.") }
        guard let createdAt = receipt.createdAt else {
            throw EvidenceError(.payloadMalformed, "The receipt has no creation date.")
        }
        let ahead = createdAt - (now + EvidenceVerifier.clockLeeway)
        guard ahead <= 0 else {
            throw EvidenceError(
                .signedDateOutOfRange, "The receipt was made in the future.", millisecondsAhead: ahead)
        }
        guard let name = receipt.bundleID else { throw EvidenceError(.wrongApp, "The receipt names no app.") }
        guard apps.contains(where: { $0.isNamed(name) }) else {
            throw EvidenceError(.wrongApp, "The receipt is of none of the configured apps.")
        }
        guard let environment = receipt.environment else {
            throw EvidenceError(.wrongEnvironment, "The receipt's type is neither of the Sandbox nor of Production.")
        }
        return environment
    }

    /// The certificates leaf, intermediate and root of a receipt, whose signatures are valid.
    ///
    /// - Throws: `certificate_count`, `certificate_malformed` or `chain_untrusted`.
    private func chain(of receipt: SignedReceipt) throws(EvidenceError) -> [Certificate] {
        guard (2...Self.maximumCertificates).contains(receipt.certificates.count) else {
            throw EvidenceError(.certificateCount, "A receipt brings its signer's certificate and that one's issuer.")
        }
        var certificates: [Certificate] = []
        for node in receipt.certificates {
            guard let certificate = try? Certificate(derEncoded: node) else {  // Lost: where it is no certificate.
                throw EvidenceError(.certificateMalformed, "A certificate is not DER of an X.509 certificate.")
            }
            certificates.append(certificate)
        }
        guard
            let leaf = certificates.first(where: {
                $0.issuer == receipt.issuer && $0.serialNumber.bytes == receipt.serialNumber
            }), Self.isSound(leaf), SigningChain.maySign(leaf), leaf.subject != leaf.issuer
        else { throw EvidenceError(.chainUntrusted, "The receipt lacks its signer's certificate, or it may not sign.") }
        guard
            let intermediate = certificates.first(where: {
                $0.subject == leaf.issuer && $0.subject != $0.issuer && Self.isSound($0) && SigningChain.mayIssue($0)
                    && $0.publicKey.isValidSignature(leaf.signature, for: leaf)
            })
        else { throw EvidenceError(.chainUntrusted, "No certificate of the receipt issued its signer's.") }
        guard
            let root = roots.roots.map(\.certificate).first(where: {
                $0.subject == intermediate.issuer && SigningChain.mayIssue($0, above: 1)
                    && $0.publicKey.isValidSignature(intermediate.signature, for: intermediate)
            })
        else { throw EvidenceError(.chainUntrusted, "The chain does not end at a configured root.") }
        return [leaf, intermediate, root]
    }

    private static func isSound(_ certificate: Certificate) -> Bool {
        SigningChain.isSound(certificate, signedBy: [.sha1WithRSAEncryption, .sha256WithRSAEncryption])
    }
}

/// The signed data of a receipt in DER, with one signer (RFC 2315 §9).
private struct SignedReceipt {
    let content: ArraySlice<UInt8>
    let certificates: [ASN1Node]
    /// The issuer and serial number of the signer's certificate.
    let issuer: DistinguishedName
    let serialNumber: ArraySlice<UInt8>
    let algorithm: Certificate.SignatureAlgorithm
    let signature: ArraySlice<UInt8>

    /// Reads a receipt. Indefinite lengths, as Xcode writes them, are refused, and so are several signers and
    /// attributes that are signed in place of the content: the App Store writes neither.
    ///
    /// - Throws: `malformed` or `unsupported_algorithm`.
    init(_ bytes: ArraySlice<UInt8>) throws(EvidenceError) {
        let digest: ASN1ObjectIdentifier
        let encryption: ASN1ObjectIdentifier
        do {
            let info = try LegacyReceipt.children(of: DER.parse(bytes))
            guard info.count == 2, try ASN1ObjectIdentifier(derEncoded: info[0]) == LegacyReceipt.signedData else {
                throw LegacyReceipt.Unreadable()
            }
            let signed = try LegacyReceipt.children(of: LegacyReceipt.children(of: info[1]).first)
            guard signed.count == 5, signed[3].identifier == Self.certificates else { throw LegacyReceipt.Unreadable() }
            let inner = try LegacyReceipt.children(of: signed[2])
            guard inner.count == 2, try ASN1ObjectIdentifier(derEncoded: inner[0]) == Self.data,
                let octets = try LegacyReceipt.children(of: inner[1]).first
            else { throw LegacyReceipt.Unreadable() }
            content = try ASN1OctetString(derEncoded: octets).bytes
            certificates = try LegacyReceipt.children(of: signed[3])
            let signers = try LegacyReceipt.children(of: signed[4])
            let signer = try LegacyReceipt.children(of: signers.first)
            guard signers.count == 1, signer.count == 5 else { throw LegacyReceipt.Unreadable() }
            let name = try LegacyReceipt.children(of: signer[1])
            guard name.count == 2 else { throw LegacyReceipt.Unreadable() }
            issuer = try DistinguishedName(derEncoded: name[0])
            serialNumber = try ArraySlice<UInt8>(derEncoded: name[1])
            digest = try Self.algorithm(signer[2])
            encryption = try Self.algorithm(signer[3])
            signature = try ASN1OctetString(derEncoded: signer[4]).bytes
        } catch {
            throw EvidenceError(.malformed, "The receipt is not DER of PKCS#7 with one signer of its content.")
        }
        guard let algorithm = Self.algorithms[[digest, encryption]] else {
            throw EvidenceError(.unsupportedAlgorithm, "The receipt is not signed by RSA with SHA-1 or SHA-256.")
        }
        self.algorithm = algorithm
    }

    private static let data: ASN1ObjectIdentifier = [1, 2, 840, 113_549, 1, 7, 1]
    private static let certificates = ASN1Identifier(tagWithNumber: 0, tagClass: .contextSpecific)

    /// The algorithms by the names of the digest and of the encryption, which may name its digest again.
    private static let algorithms: [[ASN1ObjectIdentifier]: Certificate.SignatureAlgorithm] = {
        let (sha1, sha256): (ASN1ObjectIdentifier, ASN1ObjectIdentifier) = (
            [1, 3, 14, 3, 2, 26], [2, 16, 840, 1, 101, 3, 4, 2, 1]
        )
        let rsa: ASN1ObjectIdentifier = [1, 2, 840, 113_549, 1, 1, 1]
        return [
            [sha1, rsa]: .sha1WithRSAEncryption, [sha1, [1, 2, 840, 113_549, 1, 1, 5]]: .sha1WithRSAEncryption,
            [sha256, rsa]: .sha256WithRSAEncryption,
            [sha256, [1, 2, 840, 113_549, 1, 1, 11]]: .sha256WithRSAEncryption,
        ]
    }()

    /// The identifier of an algorithm; its parameters are not read.
    private static func algorithm(_ node: ASN1Node) throws -> ASN1ObjectIdentifier {
        guard let identifier = try LegacyReceipt.children(of: node).first else { throw LegacyReceipt.Unreadable() }
        return try ASN1ObjectIdentifier(derEncoded: identifier)
    }
}
