import Crypto
import Foundation
import LedgerStore

/// The key of 32 bytes that stored signing and webhook keys are encrypted with; prints as a mask.
struct KeyEncryptionKey: Hashable, Sendable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    static let byteCount = 32

    /// Exactly 32 bytes; never logged.
    let bytes: [UInt8]

    /// Nil unless `text` is the base64 of 32 bytes.
    init?(base64 text: String) {
        guard let data = Data(base64Encoded: text), data.count == Self.byteCount else { return nil }
        bytes = Array(data)
    }

    /// The key of development where none is set; everybody knows it, and production refuses it.
    static let development = KeyEncryptionKey(bytes: Array("gatepass-development-only-secret".utf8))

    /// 32 random bytes.
    static func random() -> KeyEncryptionKey {
        KeyEncryptionKey(bytes: (0..<byteCount).map { _ in UInt8.random(in: .min ... .max) })
    }

    private init(bytes: [UInt8]) {
        self.bytes = bytes
    }

    /// The key as the setting writes it.
    var base64: String { Data(bytes).base64EncodedString() }

    /// A key of one repeated byte, such as all zeros, is a placeholder.
    var isPlaceholder: Bool { Set(bytes).count == 1 }

    var description: String { "(secret)" }
    var debugDescription: String { description }
    var customMirror: Mirror { Mirror(self, children: [:]) }
}

extension Settings.Tokens {
    /// The seal of the keys in the database.
    var seal: KeySeal {
        let current = keyEncryptionKey ?? .development
        return KeySeal(
            SymmetricKey(data: current.bytes), previous: previousKeyEncryptionKeys.map { SymmetricKey(data: $0.bytes) })
    }
}
