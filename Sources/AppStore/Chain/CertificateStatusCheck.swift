import Crypto
import FoundationEssentials
import SwiftASN1
import Synchronization
@_spi(FixedExpiryValidationTime) import X509

/// Asks Apple by OCSP whether the leaf or the intermediate of a chain is revoked (RFC 6960).
///
/// Fails hard: no answer is no permission. Only a genuine *revoked* is a verdict against the chain; whatever else is
/// not a genuine *good* is no verdict, and the question may be asked again. Answers are judged at `now`, while the
/// certificates' own dates stay judged at the text's `signedDate`; so with the check on, old texts are still good as
/// long as Apple answers for their leaf. A good answer is kept for ``keptFor``, others are never kept.
package final class CertificateStatusCheck: Sendable {
    /// How long a good answer counts: what Apple's own libraries take (`apple.md` §1.5).
    package static let keptFor = Duration.seconds(15 * 60)
    /// Chains whose answers are kept.
    package static let capacity = VerifiedChainCache.capacity

    /// How the policy of swift-certificates begins its reason when a genuine answer says revoked, and never else.
    private static let revoked = "revoked through OCSP"

    private let transport: any OCSPTransport
    private let uptime: @Sendable () -> Duration
    /// Until when a chain counts as good, by the digest of its two certificates.
    private let goodUntil = Mutex<[SHA256Digest: Duration]>([:])

    /// - Parameter uptime: Time that only goes forward, for the age of answers: `now` may jump.
    package init(transport: any OCSPTransport, uptime: @escaping @Sendable () -> Duration) {
        self.transport = transport
        self.uptime = uptime
    }

    /// True if the chain may still be trusted.
    ///
    /// - Returns: `false` if Apple says revoked.
    /// - Throws: ``CertificateStatusUnavailable`` if Apple could not be asked, does not know, or gives an answer that
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

/// Puts the transport under the policy of swift-certificates.
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
