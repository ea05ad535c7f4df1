import Crypto
import SwiftASN1
import X509

/// A path leaf → intermediate → configured root. Its signatures are valid, and each certificate's extensions allow its
/// position in the path.
///
/// The path has a fixed shape, so this type checks it itself and without `await`. `Verifier` of swift-certificates is
/// asynchronous, and a verification must stay on its thread. The rules are those of RFC 5280 §6.1 for three
/// certificates. They are stricter where Apple's certificates allow it: name constraints, unknown critical extensions,
/// keys other than elliptic-curve ones and self-issued certificates inside the path are refused. `SigningChainTests`
/// compares the results with `Verifier` and `RFC5280Policy`.
///
/// ``EvidenceVerifier`` checks dates and Apple's markers afterwards.
///
/// This is a class because all texts under one header share the same chain, and a certificate holds many references.
final class SigningChain: Sendable {
    let leaf: Certificate
    let intermediate: Certificate
    let root: Certificate
    /// The leaf's public key.
    let key: P256.Signing.PublicKey
    /// The time in which all three certificates are valid.
    let period: ValidityPeriod
    /// True if leaf and intermediate have Apple's markers for signing App Store data (`apple.md` §1.3).
    ///
    /// Every developer certificate chains to Apple's root, so only the markers tell the store's signers apart. A marker
    /// counts if it is not critical, as Apple writes it; its value is not read.
    let carriesAppleMarkers: Bool

    /// Parses the two certificates and builds the path. An intermediate that `chains` holds is not parsed or checked
    /// again, and a new one that passes its checks is added to `chains`.
    ///
    /// - Throws: `certificate_malformed` or `chain_untrusted`.
    init(
        _ header: JWSHeader, to roots: TrustRoots, knowing chains: VerifiedChainCache = VerifiedChainCache()
    ) throws(EvidenceError) {
        let leaf = try Self.parse(header.leaf, "first")
        let issuer: VerifiedIntermediate
        if let known = chains.intermediate(header.intermediate) {
            issuer = known
        } else {
            issuer = try VerifiedIntermediate(header.intermediate, to: roots)
            chains.insert(issuer)
        }
        guard Self.isSound(leaf) else {
            throw EvidenceError(.chainUntrusted, "A certificate makes demands that Apple's certificates do not make.")
        }
        guard leaf.issuer == issuer.certificate.subject, leaf.subject != leaf.issuer else {
            throw EvidenceError(.chainUntrusted, "The certificates do not follow one another.")
        }
        guard Self.maySign(leaf), let key = P256.Signing.PublicKey(leaf.publicKey) else {
            throw EvidenceError(.chainUntrusted, "A certificate may not be used for its place in the chain.")
        }
        guard issuer.certificate.publicKey.isValidSignature(leaf.signature, for: leaf) else {
            throw EvidenceError(.chainUntrusted, "The second certificate did not issue the first.")
        }
        self.leaf = leaf
        self.intermediate = issuer.certificate
        self.root = issuer.root
        self.key = key
        self.period = ValidityPeriod(leaf).intersection(issuer.period)
        self.carriesAppleMarkers = leaf.extensions[oid: .AppleMarker.leaf]?.critical == false && issuer.isMarked
    }

    /// Parses a certificate in DER.
    ///
    /// - Throws: `certificate_malformed`.
    static func parse(_ der: [UInt8], _ ordinal: String) throws(EvidenceError) -> Certificate {
        do {
            return try Certificate(derEncoded: der)
        } catch {
            throw EvidenceError(.certificateMalformed, "The \(ordinal) certificate is not DER of an X.509 certificate.")
        }
    }

    /// True if a certificate meets what every certificate of a path must: version 3, signed by one of `algorithms`, no
    /// unknown critical extension. A certificate with name constraints is refused: Apple uses none, and they are not
    /// implemented.
    static func isSound(
        _ certificate: Certificate, signedBy algorithms: Set<Certificate.SignatureAlgorithm> = ecdsa
    ) -> Bool {
        certificate.version == .v3
            && algorithms.contains(certificate.signatureAlgorithm)
            && certificate.extensions.allSatisfy { !$0.critical || understood.contains($0.oid) }
            && certificate.extensions[oid: .X509ExtensionID.nameConstraints] == nil
    }

    /// True if a certificate may issue others when `issuers` further certificates stand between it and the leaf (RFC
    /// 5280 §4.2.1.3, §4.2.1.9).
    static func mayIssue(_ certificate: Certificate, above issuers: Int = 0) -> Bool {
        do {
            guard case .isCertificateAuthority(let maximumPathLength) = try certificate.extensions.basicConstraints
            else {
                return false
            }
            let keyUsage = try certificate.extensions.keyUsage
            return maximumPathLength ?? issuers >= issuers && keyUsage?.keyCertSign ?? true
        } catch {
            return false  // An extension that cannot be read permits nothing.
        }
    }

    /// True if a certificate may sign data: it is no authority, and its key usage, if it states one, has
    /// `digitalSignature`.
    static func maySign(_ certificate: Certificate) -> Bool {
        do {
            if case .isCertificateAuthority = try certificate.extensions.basicConstraints { return false }
            return try certificate.extensions.keyUsage?.digitalSignature ?? true
        } catch {
            return false  // An extension that cannot be read permits nothing.
        }
    }

    static let ecdsa: Set<Certificate.SignatureAlgorithm> = [
        .ecdsaWithSHA256, .ecdsaWithSHA384, .ecdsaWithSHA512,
    ]

    /// Extensions that may be critical because they are enforced here. A critical marker of Apple's passes here, but
    /// then does not count as a marker.
    private static let understood: Set<ASN1ObjectIdentifier> = [
        .X509ExtensionID.basicConstraints, .X509ExtensionID.keyUsage, .AppleMarker.leaf, .AppleMarker.intermediate,
    ]
}
