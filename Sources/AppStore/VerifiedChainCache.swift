import Crypto
import Synchronization

/// Chains under which a text has been verified, so that the next text under the same header costs one P-256 check, not three
/// signatures and two certificates.
///
/// The key is the SHA-256 of the header segment, and a chain enters only after a signature *over that very header* held. So nobody
/// but the holder of a trusted leaf key can put anything in: a forged intermediate, or Apple's certificates in a header of an
/// attacker's spelling, can neither be stored nor push a good chain out. Algorithm and number of certificates are part of the
/// header, thus of the key; dates are judged by the caller at every use.
package final class VerifiedChainCache: Sendable {
    /// Apple's leaf changes about once in two years; a few sandboxes and development authorities stand beside it.
    package static let capacity = 64

    /// What the lock guards.
    private struct Storage {
        var chains: [SHA256Digest: SigningChain] = [:]
        /// Keys in order of entry; the oldest leaves first.
        var order: [SHA256Digest] = []
    }

    private let storage = Mutex(Storage())

    package init() {}

    /// Number of chains held.
    package var count: Int {
        storage.withLock { $0.chains.count }
    }

    subscript(header: SHA256Digest) -> SigningChain? {
        storage.withLock { $0.chains[header] }
    }

    /// Keeps a chain; entering the same again changes nothing.
    func insert(_ chain: SigningChain, for header: SHA256Digest) {
        storage.withLock { storage in
            guard storage.chains.updateValue(chain, forKey: header) == nil else { return }
            storage.order.append(header)
            guard storage.order.count > Self.capacity else { return }
            storage.chains.removeValue(forKey: storage.order.removeFirst())
        }
    }
}
