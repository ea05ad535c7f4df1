import X509

/// An intermediate certificate that a configured root issued. It is checked once for all leaves below it.
///
/// Its dates, its marker and the leaf are checked again for each text.
final class VerifiedIntermediate: Sendable {
    let der: [UInt8]
    let certificate: Certificate
    let root: Certificate
    /// The time in which the intermediate and its root are valid.
    let period: ValidityPeriod
    /// True if the certificate carries Apple's marker for intermediates (`apple.md` §1.3).
    let isMarked: Bool

    /// Parses the certificate and looks for the root that issued it.
    ///
    /// - Throws: `certificate_malformed` or `chain_untrusted`.
    init(_ der: [UInt8], to roots: TrustRoots) throws(EvidenceError) {
        let certificate = try SigningChain.parse(der, "second")
        guard SigningChain.isSound(certificate), certificate.subject != certificate.issuer,
            SigningChain.mayIssue(certificate)
        else {
            throw EvidenceError(.chainUntrusted, "The second certificate may not stand in its place of the chain.")
        }
        guard
            let root = roots.roots.first(where: {
                $0.certificate.subject == certificate.issuer && SigningChain.mayIssue($0.certificate, above: 1)
                    && $0.certificate.publicKey.isValidSignature(certificate.signature, for: certificate)
            })
        else {
            throw EvidenceError(.chainUntrusted, "The chain does not end at a configured root.")
        }
        self.der = der
        self.certificate = certificate
        self.root = root.certificate
        self.period = ValidityPeriod(certificate).intersection(root.period)
        self.isMarked = certificate.extensions[oid: .AppleMarker.intermediate]?.critical == false
    }
}
