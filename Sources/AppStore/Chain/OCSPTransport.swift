/// Sends OCSP requests to Apple. The program supplies it, because this module has no HTTP client.
package protocol OCSPTransport: Sendable {
    /// POSTs a request as `application/ocsp-request` (RFC 6960 appendix A.1).
    ///
    /// The caller sets the deadline by cancelling the task, and the call ends soon afterwards.
    ///
    /// - Returns: The body of a 200 answer.
    /// - Throws: Any error. Each one counts as a fault of the network, never as an answer about the certificate.
    func post(_ request: [UInt8], to address: String) async throws -> [UInt8]
}
