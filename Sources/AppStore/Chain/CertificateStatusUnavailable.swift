/// Apple did not say whether a certificate is revoked: a passing fault, never a verdict on the evidence.
///
/// The same evidence may be sent again; HTTP answers 503.
package struct CertificateStatusUnavailable: Error, Hashable, Sendable {
    package init() {}
}
