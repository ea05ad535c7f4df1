/// Carries a question about revocation to Apple; handed in, because nothing in this module knows HTTP.
package protocol OCSPTransport: Sendable {
    /// POSTs a request as `application/ocsp-request` (RFC 6960 appendix A.1).
    ///
    /// Ends soon after its task is cancelled; the deadline is the caller's.
    ///
    /// - Returns: The body of a 200 answer.
    /// - Throws: Anything else, which counts as trouble of the network and never as a verdict.
    func post(_ request: [UInt8], to address: String) async throws -> [UInt8]
}
