/// Apple did not say whether a certificate is revoked: a passing fault, never a verdict on the evidence.
///
/// HTTP answers 503, and the evidence may be sent again as it is.
package struct CertificateStatusUnavailable: Error, Hashable, Sendable {
    package init() {}
}
