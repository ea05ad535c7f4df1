import Crypto
import Synchronization

/// A cache of the chains under which a text was verified, and of their intermediates.
///
/// With a cached chain the next text costs one P-256 check, in place of three checks and two certificates to parse. A
/// new leaf below a cached intermediate costs one check fewer.
///
/// The key of a chain is the SHA-256 of the header segment. A chain enters only after a signature *over that very
/// header* was valid, so only the holder of a trusted leaf key can add one. An attacker who forges an intermediate, or
/// spells a header with Apple's certificates differently, can neither add a chain nor evict one. The header contains
/// the algorithm and all certificates, so the key covers them. The caller checks dates at every use.
///
/// The key of an intermediate is its DER. An intermediate enters once a root's signature over it is valid, even if the
/// text is refused later. A forged one cannot enter. Others that Apple issued may evict a genuine one, which is then
/// checked again.
package final class VerifiedChainCache: Sendable {
    /// The number of entries of each kind. Apple's leaf changes about every two years; sandboxes and development
    /// authorities add a few.
    package static let capacity = 64

    /// The entries of one kind; the cache keeps them under a lock. When there are too many, the oldest is removed.
    private struct Shelf<Key: Hashable & Sendable, Value: Sendable> {
        var values: [Key: Value] = [:]
        /// The keys in order of insertion.
        var order: [Key] = []

        /// Adds an entry; does nothing if the key is already there.
        mutating func insert(_ value: Value, for key: Key) {
            guard values[key] == nil else { return }
            values[key] = value
            order.append(key)
            guard order.count > VerifiedChainCache.capacity else { return }
            values.removeValue(forKey: order.removeFirst())
        }
    }

    private let chains = Mutex(Shelf<SHA256Digest, SigningChain>())
    private let intermediates = Mutex(Shelf<[UInt8], VerifiedIntermediate>())

    package init() {}

    /// The number of chains in the cache.
    package var count: Int {
        chains.withLock { $0.values.count }
    }

    /// The number of intermediates in the cache.
    package var intermediateCount: Int {
        intermediates.withLock { $0.values.count }
    }

    subscript(header: SHA256Digest) -> SigningChain? {
        chains.withLock { $0.values[header] }
    }

    /// The cached intermediate with these DER bytes.
    func intermediate(_ der: [UInt8]) -> VerifiedIntermediate? {
        intermediates.withLock { $0.values[der] }
    }

    func insert(_ chain: SigningChain, for header: SHA256Digest) {
        chains.withLock { $0.insert(chain, for: header) }
    }

    func insert(_ intermediate: VerifiedIntermediate) {
        intermediates.withLock { $0.insert(intermediate, for: intermediate.der) }
    }
}
