import Crypto
import FoundationEssentials
import SwiftASN1
import Synchronization
@_spi(FixedExpiryValidationTime) import X509

/// Asks Apple by OCSP whether the leaf or the intermediate of a chain is revoked (RFC 6960).
///
/// Only a genuine answer *good* permits the chain, and only a genuine answer *revoked* refuses it. Everything else is
/// an error, and the client may ask again.
///
/// Answers must be valid at `now`, certificates at the text's `signedDate`. So old texts stay good while Apple still
/// answers for their leaf. An answer *good* is kept for ``keptFor``; no other answer is kept.
package final class CertificateStatusCheck: Sendable {
    /// The time for which an answer *good* is used again, as in Apple's own libraries (`apple.md` §1.5).
    package static let keptFor = Duration.seconds(15 * 60)
    /// The number of chains whose answers are kept.
    package static let capacity = VerifiedChainCache.capacity

    /// The text with which swift-certificates begins its reason when a genuine answer says *revoked*, and only then.
    private static let revoked = "revoked through OCSP"

    private let transport: any OCSPTransport
    private let uptime: @Sendable () -> Duration
    /// The uptime until which a chain counts as good, by the digest of its leaf and intermediate.
    private let goodUntil = Mutex<[SHA256Digest: Duration]>([:])

    /// - Parameter uptime: A clock for the age of answers. Unlike `now` it never jumps.
    package init(transport: any OCSPTransport, uptime: @escaping @Sendable () -> Duration) {
        self.transport = transport
        self.uptime = uptime
    }

    /// True if the chain is not revoked.
    ///
    /// - Returns: `false` if Apple says that it is revoked.
    /// - Throws: ``CertificateStatusUnavailable`` if Apple cannot be asked, does not know, or answers with a text that
    ///   does not verify.
    func permits(_ chain: SigningChain, signedAt: Int64, at now: Int64) async throws(CertificateStatusUnavailable)
        -> Bool
    {
        let key = Self.key(of: chain)
        let asked = uptime()
        if let until = goodUntil.withLock({ $0[key] }), asked < until { return true }
        var verifier = Verifier(rootCertificates: CertificateStore([chain.root])) {
            RFC5280Policy(fixedExpiryValidationTime: Self.date(signedAt))
            OCSPVerifierPolicy(
                failureMode: .hard, requester: Requester(transport: transport),
                fixedExpiryValidationTime: Self.date(now))
        }
        switch await verifier.validate(leaf: chain.leaf, intermediates: CertificateStore([chain.intermediate])) {
        case .validCertificate:
            keep(key, askedAt: asked)
            return true
        case .couldNotValidate(let failures):
            let isRevoked = failures.contains { $0.policyFailureReason.description.hasPrefix(Self.revoked) }
            guard isRevoked else { throw CertificateStatusUnavailable() }
            return false
        }
    }

    private func keep(_ key: SHA256Digest, askedAt asked: Duration) {
        goodUntil.withLock { goodUntil in
            goodUntil = goodUntil.filter { asked < $0.value }
            guard goodUntil.count < Self.capacity else { return }
            goodUntil[key] = asked + Self.keptFor
        }
    }

    private static func key(of chain: SigningChain) -> SHA256Digest {
        var hash = SHA256()
        for certificate in [chain.leaf, chain.intermediate] {
            hash.update(data: SHA256.hash(data: certificate.tbsCertificateBytes).withUnsafeBytes(Array.init))
        }
        return hash.finalize()
    }

    private static func date(_ instant: Int64) -> Date {
        Date(timeIntervalSince1970: Double(instant) / 1000)
    }
}

/// The adapter that lets the OCSP policy of swift-certificates use an ``OCSPTransport``.
private struct Requester: OCSPRequester {
    let transport: any OCSPTransport

    func query(request: [UInt8], uri: String) async -> OCSPRequesterQueryResult {
        do {
            return .response(try await transport.post(request, to: uri))
        } catch {
            return .terminalError(error)
        }
    }
}
