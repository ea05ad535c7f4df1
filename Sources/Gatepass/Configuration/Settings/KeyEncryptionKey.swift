import Crypto
import Foundation
import LedgerStore

/// The key of 32 bytes that seals keys in the database. Printing it shows a mask.
struct KeyEncryptionKey: Hashable, Sendable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    static let byteCount = 32

    /// The 32 bytes, which are never logged.
    let bytes: [UInt8]

    /// Nil unless `text` is the base64 of 32 bytes.
    init?(base64 text: String) {
        guard let data = Data(base64Encoded: text), data.count == Self.byteCount else { return nil }
        bytes = Array(data)
    }

    /// The key for development if none is configured. It is public, so production refuses it.
    static let development = KeyEncryptionKey(bytes: Array("gatepass-development-only-secret".utf8))

    /// 32 random bytes.
    static func random() -> KeyEncryptionKey {
        KeyEncryptionKey(bytes: (0..<byteCount).map { _ in UInt8.random(in: .min ... .max) })
    }

    private init(bytes: [UInt8]) {
        self.bytes = bytes
    }

    /// The key in base64, as the setting has it.
    var base64: String { Data(bytes).base64EncodedString() }

    /// True if all bytes are equal, such as all zeros: a placeholder.
    var isPlaceholder: Bool { Set(bytes).count == 1 }

    var description: String { "(secret)" }
    var debugDescription: String { description }
    var customMirror: Mirror { Mirror(self, children: [:]) }
}

extension Settings.Tokens {
    /// The seal with this key; it also opens what earlier keys sealed.
    var seal: KeySeal {
        let current = keyEncryptionKey ?? .development
        return KeySeal(
            SymmetricKey(data: current.bytes), previous: previousKeyEncryptionKeys.map { SymmetricKey(data: $0.bytes) })
    }
}
