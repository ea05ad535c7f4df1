import Crypto
import SwiftASN1
import X509

/// A path leaf → intermediate → configured root whose signatures hold and whose certificates may be used that way.
///
/// The shape is fixed, so nothing is searched and nothing awaited: `Verifier` of swift-certificates is asynchronous,
/// and a verification must not leave its thread. The rules are those of RFC 5280 §6.1 for a path of three and stricter
/// where Apple's certificates allow: name constraints, unknown critical extensions, keys other than elliptic-curve ones
/// and self-issued certificates inside the path are refused. `SigningChainTests` holds the verdicts against `Verifier`
/// with `RFC5280Policy`.
///
/// Dates and Apple's markers are not part of trust here; they are judged one after the other by ``EvidenceVerifier``.
///
/// A class, because every text under a header hands the same chain about, and a certificate is many references.
final class SigningChain: Sendable {
    let leaf: Certificate
    let intermediate: Certificate
    let root: Certificate
    /// The leaf's key.
    let key: P256.Signing.PublicKey
    /// When all three are valid.
    let period: ValidityPeriod
    /// True if Apple issued these certificates for signing App Store data (`apple.md` §1.3).
    ///
    /// Any developer certificate chains to Apple's root; only the markers tell the store's signers from them. A marker
    /// counts on its own certificate and as Apple writes it, not critical; its value is not read.
    let carriesAppleMarkers: Bool

    /// Parses the two certificates and builds the path. An intermediate that `chains` knows is neither parsed nor
    /// checked again, and one that proves good is kept there.
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

    /// - Throws: `certificate_malformed`.
    static func parse(_ der: [UInt8], _ ordinal: String) throws(EvidenceError) -> Certificate {
        do {
            return try Certificate(derEncoded: der)
        } catch {
            throw EvidenceError(.certificateMalformed, "The \(ordinal) certificate is not DER of an X.509 certificate.")
        }
    }

    /// True for what any certificate of a path must be: version 3, signed by ECDSA, with no critical extension that is
    /// not understood. Name constraints are refused: they are not implemented here, and Apple does not use them.
    static func isSound(_ certificate: Certificate) -> Bool {
        certificate.version == .v3
            && ecdsa.contains(certificate.signatureAlgorithm)
            && certificate.extensions.allSatisfy { !$0.critical || understood.contains($0.oid) }
            && certificate.extensions[oid: .X509ExtensionID.nameConstraints] == nil
    }

    /// True if a certificate may issue others, with `issuers` more between it and the leaf (RFC 5280 §4.2.1.3,
    /// §4.2.1.9).
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

    /// True if a certificate may sign data: no authority itself, and `digitalSignature` if it restricts its use at all.
    private static func maySign(_ certificate: Certificate) -> Bool {
        do {
            if case .isCertificateAuthority = try certificate.extensions.basicConstraints { return false }
            return try certificate.extensions.keyUsage?.digitalSignature ?? true
        } catch {
            return false  // An extension that cannot be read permits nothing.
        }
    }

    private static let ecdsa: Set<Certificate.SignatureAlgorithm> = [
        .ecdsaWithSHA256, .ecdsaWithSHA384, .ecdsaWithSHA512,
    ]

    /// Extensions that are enforced here, so they may be critical; a critical marker is understood, and then found
    /// wanting.
    private static let understood: Set<ASN1ObjectIdentifier> = [
        .X509ExtensionID.basicConstraints, .X509ExtensionID.keyUsage, .AppleMarker.leaf, .AppleMarker.intermediate,
    ]
}
