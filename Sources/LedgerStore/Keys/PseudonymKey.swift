import Crypto
package import Entitlements

/// The installation's pseudonym key, under which names from outside this server are stored as HMACs (`semantics.md` §5,
/// *Names at the door*). The key is made once and never changes. Without it no label can be made again.
package struct PseudonymKey: Sendable, CustomStringConvertible {
    package static let byteCount = 32

    private let key: SymmetricKey
    /// The key's bytes, to be sealed.
    package let bytes: [UInt8]

    /// - Parameter bytes: 32 bytes that nobody can guess.
    package init(bytes: [UInt8]) {
        self.bytes = bytes
        key = SymmetricKey(data: bytes)
    }

    package var description: String { "(secret)" }

    package var labels: Labels {
        Labels { [key] message in Array(HMAC<SHA256>.authenticationCode(for: message, using: key)) }
    }

    /// A value that identifies this key and reveals nothing about it.
    package var checkValue: [UInt8] {
        Array(HMAC<SHA256>.authenticationCode(for: Array("gatepass pseudonym key check".utf8), using: key))
    }
}
