import Foundation

/// Writes receipts of the App Store as PKCS#7 (`apple.md` §9.1), as Apple and as Xcode spell them. Nobody signs them.
package struct ReceiptWriter: Sendable {
    /// A purchase in a receipt. Empty ids are written as empty texts, as the App Store does.
    package struct Purchase: Sendable {
        let id: String
        let originalID: String?

        /// - Parameter originalID: The id of the first purchase; nil leaves the attribute out.
        package init(_ id: String, of originalID: String?) {
            self.id = id
            self.originalID = originalID
        }
    }

    package var bundleID: String
    package var purchases: [Purchase] = []
    /// True for indefinite lengths and octet strings in parts, as Xcode writes them.
    package var isOfXcode = false
    /// The object identifier of the whole, in DER; that of signed data.
    package var kind: [UInt8] = [0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x07, 0x02]
    /// Further elements of the set of attributes, in DER.
    package var more: [UInt8] = []

    package init(_ ids: [String] = [], ofApp bundleID: String = "com.example.app") {
        self.bundleID = bundleID
        purchases = ids.map { Purchase($0, of: $0) }
    }

    package var base64: String { Data(bytes).base64EncodedString() }

    package var bytes: [UInt8] {
        let data: [UInt8] = [0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x07, 0x01]
        let set = Self.element(
            0x31,
            attribute(0, Self.text("ProductionSandbox")) + attribute(2, Self.text(bundleID)) + attribute(4, [1, 2, 3])
                + purchases.flatMap { attribute(17, Self.element(0x31, self.purchase($0))) } + more)
        let content = wrapped(0x30, Self.element(0x06, data) + wrapped(0xA0, octets(set)))
        let signed = wrapped(
            0x30, Self.element(0x02, [1]) + Self.element(0x31, []) + content + Self.element(0x31, []))
        return wrapped(0x30, Self.element(0x06, kind) + wrapped(0xA0, signed))
    }

    private func purchase(_ purchase: Purchase) -> [UInt8] {
        attribute(1701, Self.element(0x02, [1])) + attribute(1702, Self.text("pass.30d"))
            + attribute(1703, Self.text(purchase.id))
            + (purchase.originalID.map { attribute(1705, Self.text($0)) } ?? [])
            + attribute(1708, Self.element(0x16, []))
    }

    private func attribute(_ type: Int, _ value: [UInt8]) -> [UInt8] {
        let number: [UInt8] = type < 128 ? [UInt8(type)] : [UInt8(type >> 8), UInt8(type & 0xFF)]
        return Self.element(
            0x30, Self.element(0x02, number) + Self.element(0x02, [1]) + Self.element(0x04, value))
    }

    private static func text(_ text: String) -> [UInt8] { element(0x0C, Array(text.utf8)) }

    /// An octet string; of Xcode, in parts of 1,000 bytes.
    private func octets(_ bytes: [UInt8]) -> [UInt8] {
        guard isOfXcode else { return Self.element(0x04, bytes) }
        let parts = stride(from: 0, to: bytes.count, by: 1_000).flatMap { start in
            Self.element(0x04, Array(bytes[start..<min(start + 1_000, bytes.count)]))
        }
        return wrapped(0x24, parts)
    }

    /// An element that holds others; of Xcode, of indefinite length.
    private func wrapped(_ tag: UInt8, _ content: [UInt8]) -> [UInt8] {
        isOfXcode ? [tag, 0x80] + content + [0, 0] : Self.element(tag, content)
    }

    /// An element of definite length.
    package static func element(_ tag: UInt8, _ content: [UInt8]) -> [UInt8] {
        guard content.count >= 128 else { return [tag, UInt8(content.count)] + content }
        var (length, rest): ([UInt8], Int) = ([], content.count)
        while rest > 0 {
            length.insert(UInt8(rest & 0xFF), at: 0)
            rest >>= 8
        }
        return [tag, 0x80 | UInt8(length.count)] + length + content
    }
}
