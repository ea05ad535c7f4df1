/// Apple did not say whether a certificate is revoked. This is a passing fault and says nothing about the evidence.
///
/// The API answers 503, and the client may send the same evidence again.
package struct CertificateStatusUnavailable: Error, Hashable, Sendable {
    package init() {}
}
