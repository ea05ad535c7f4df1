import Foundation

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

    /// A key of one repeated byte, such as all zeros, is a placeholder.
    var isPlaceholder: Bool { Set(bytes).count == 1 }

    var description: String { "(secret)" }
    var debugDescription: String { description }
    var customMirror: Mirror { Mirror(self, children: [:]) }
}
