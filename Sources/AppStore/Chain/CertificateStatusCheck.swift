import Crypto
import FoundationEssentials
import SwiftASN1
import Synchronization
@_spi(FixedExpiryValidationTime) import X509

/// Asks Apple by OCSP whether the leaf or the intermediate of a chain is revoked (RFC 6960).
///
/// Fails hard: no answer is no permission. Answers are judged at `now`, while the certificates' own dates stay judged
/// at the text's `signedDate`; so with the check on, old texts are still good as long as Apple answers for their leaf.
/// A good answer is kept for ``keptFor``, bad ones are never kept.
package final class CertificateStatusCheck: Sendable {
    /// How long a good answer counts: what Apple's own libraries take (`apple.md` §1.5).
    package static let keptFor: Int64 = 15 * 60 * 1000
    /// Chains whose answers are kept.
    package static let capacity = VerifiedChainCache.capacity

    private let transport: any OCSPTransport
    /// Until when a chain counts as good, by the digest of its two certificates.
    private let goodUntil = Mutex<[SHA256Digest: Int64]>([:])

    package init(transport: any OCSPTransport) {
        self.transport = transport
    }

    /// Whether the chain may still be trusted.
    ///
    /// - Returns: `false` if Apple says revoked or unknown, or gives an answer that does not verify.
    /// - Throws: ``CertificateStatusUnavailable`` if Apple could not be asked.
    func permits(_ chain: SigningChain, signedAt: Int64, at now: Int64) async throws(CertificateStatusUnavailable)
        -> Bool
    {
        let key = Self.key(of: chain)
        if let until = goodUntil.withLock({ $0[key] }), now < until { return true }
        let requester = Requester(transport: transport)
        var verifier = Verifier(rootCertificates: CertificateStore([chain.root])) {
            RFC5280Policy(fixedExpiryValidationTime: Self.date(signedAt))
            OCSPVerifierPolicy(failureMode: .hard, requester: requester, fixedExpiryValidationTime: Self.date(now))
        }
        let result = await verifier.validate(leaf: chain.leaf, intermediates: CertificateStore([chain.intermediate]))
        guard !requester.hasFailed else { throw CertificateStatusUnavailable() }
        guard case .validCertificate = result else { return false }
        keep(key, until: now + Self.keptFor, at: now)
        return true
    }

    private func keep(_ key: SHA256Digest, until: Int64, at now: Int64) {
        goodUntil.withLock { goodUntil in
            goodUntil = goodUntil.filter { now < $0.value }
            guard goodUntil.count < Self.capacity else { return }
            goodUntil[key] = until
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

/// Puts the transport under the policy of swift-certificates and remembers whether it failed, which the policy's
/// verdict does not tell.
private final class Requester: OCSPRequester {
    private let transport: any OCSPTransport
    private let failed = Mutex(false)

    init(transport: any OCSPTransport) {
        self.transport = transport
    }

    var hasFailed: Bool { failed.withLock { $0 } }

    func query(request: [UInt8], uri: String) async -> OCSPRequesterQueryResult {
        do {
            return .response(try await transport.post(request, to: uri))
        } catch {
            failed.withLock { $0 = true }
            return .terminalError(error)
        }
    }
}
