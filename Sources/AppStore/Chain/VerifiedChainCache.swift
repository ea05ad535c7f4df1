import Crypto
import Synchronization

/// Chains under which a text has been verified, and the intermediates of those chains.
///
/// The next text under the same header costs one P-256 check, not three signatures and two certificates. Another leaf
/// below a kept intermediate costs one check fewer.
///
/// The key of a chain is the SHA-256 of the header segment, and a chain enters only after a signature *over that very
/// header* held. So nobody but the holder of a trusted leaf key can put anything in. A forged intermediate, or Apple's
/// certificates in a header of an attacker's spelling, can neither be stored nor push a good chain out. Algorithm and
/// number of certificates are part of the header, thus of the key; dates are judged by the caller at every use.
///
/// The key of an intermediate is its DER, and it enters when a root's signature over it held, whatever becomes of the
/// text. A forged one cannot be stored. A genuine one may be pushed out by others that Apple issued, and then costs its
/// check again.
package final class VerifiedChainCache: Sendable {
    /// Apple's leaf changes about once in two years; a few sandboxes and development authorities stand beside it.
    package static let capacity = 64

    /// The entries behind the lock; the oldest is removed first.
    private struct Shelf<Key: Hashable & Sendable, Value: Sendable> {
        var values: [Key: Value] = [:]
        /// Keys in order of entry.
        var order: [Key] = []

        /// Entering the same again changes nothing.
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

    /// Number of chains held.
    package var count: Int {
        chains.withLock { $0.values.count }
    }

    /// Number of intermediates held.
    package var intermediateCount: Int {
        intermediates.withLock { $0.values.count }
    }

    subscript(header: SHA256Digest) -> SigningChain? {
        chains.withLock { $0.values[header] }
    }

    /// The intermediate of these bytes.
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
