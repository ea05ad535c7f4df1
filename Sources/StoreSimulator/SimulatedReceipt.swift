import FoundationEssentials
import SwiftASN1
import X509

/// An app receipt as PKCS#7 (`apple.md` §9.1), as Apple and as Xcode spell it. A ``ReceiptAuthority`` signs it.
package struct SimulatedReceipt: Sendable {
    /// A purchase in a receipt. Empty ids are written as empty texts, as the App Store does.
    package struct Purchase: Sendable {
        let id: String
        let originalID: String?
        let product: String

        /// - Parameter originalID: The id of the first purchase; nil leaves the attribute out.
        package init(_ id: String, of originalID: String?, product: String = "pass.30d") {
            self.id = id
            self.originalID = originalID
            self.product = product
        }
    }

    /// The app's bundle id; nil leaves the attribute out.
    package var bundleID: String?
    /// The receipt type: `Production`, `ProductionSandbox`, `Xcode`, …
    package var type = "ProductionSandbox"
    /// The creation date in milliseconds since the epoch; nil leaves the attribute out.
    package var createdAt: Int64?
    package var purchases: [Purchase]
    /// True for indefinite lengths and octet strings in parts, as Xcode writes them.
    package var isOfXcode = false
    /// The object identifier of the whole, in DER; that of signed data.
    package var kind: [UInt8] = [0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x07, 0x02]
    /// Further elements of the set of attributes, in DER.
    package var more: [UInt8] = []

    package init(_ purchases: [Purchase], ofApp bundleID: String, at createdAt: Int64?) {
        self.bundleID = bundleID
        self.createdAt = createdAt
        self.purchases = purchases
    }

    // MARK: Signing

    /// The receipt, signed as the App Store signs.
    ///
    /// - Throws: Nothing in practice, because the authority's certificates are valid.
    package func signed(by authority: ReceiptAuthority) throws -> [UInt8] {
        bytes(
            certificates: try [authority.leaf, authority.intermediate, authority.root].flatMap { try $0.der },
            signers: try signer(of: authority))
    }

    /// The receipt without a signer.
    package var unsigned: [UInt8] { bytes(certificates: nil, signers: []) }

    /// The signature of an authority over the attributes, and its name for the leaf.
    ///
    /// - Parameter attributes: Signed attributes, which the App Store does not write.
    /// - Throws: Nothing in practice, because the authority's certificates are valid.
    package func signer(of authority: ReceiptAuthority, attributes: [UInt8] = []) throws -> [UInt8] {
        var issuer = DER.Serializer()
        try issuer.serialize(authority.leaf.issuer)
        var serial = Array(authority.leaf.serialNumber.bytes)
        if let first = serial.first, first & 0x80 != 0 { serial.insert(0, at: 0) }
        let digest: [UInt8] =
            switch authority.digest {
            case .sha1: [0x2B, 0x0E, 0x03, 0x02, 0x1A]
            case .sha256: [0x60, 0x86, 0x48, 0x01, 0x65, 0x03, 0x04, 0x02, 0x01]
            }
        let rsa: [UInt8] = [0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x01, 0x01]
        let name = Self.element(0x30, issuer.serializedBytes + Self.element(0x02, serial))
        return Self.element(
            0x30,
            Self.element(0x02, [1]) + name + Self.algorithm(digest) + attributes + Self.algorithm(rsa)
                + Self.element(0x04, try authority.signature(over: content)))
    }

    /// The whole in DER, or as Xcode writes it.
    ///
    /// - Parameters:
    ///   - certificates: The certificates that it brings along, in DER; nil leaves the member out.
    ///   - signers: The signers, in DER.
    package func bytes(certificates: [UInt8]?, signers: [UInt8]) -> [UInt8] {
        let data: [UInt8] = [0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x07, 0x01]
        let inner = wrapped(0x30, Self.element(0x06, data) + wrapped(0xA0, octets(content)))
        let signed = wrapped(
            0x30,
            Self.element(0x02, [1]) + Self.element(0x31, []) + inner
                + (certificates.map { Self.element(0xA0, $0) } ?? []) + Self.element(0x31, signers))
        return wrapped(0x30, Self.element(0x06, kind) + wrapped(0xA0, signed))
    }

    // MARK: Content

    /// The set of attributes.
    private var content: [UInt8] {
        Self.element(
            0x31,
            attribute(0, Self.text(type)) + (bundleID.map { attribute(2, Self.text($0)) } ?? [])
                + attribute(4, [1, 2, 3])
                + (createdAt.map { attribute(12, Self.element(0x16, Array(Self.date($0).utf8))) } ?? [])
                + purchases.flatMap { attribute(17, Self.element(0x31, self.purchase($0))) } + more)
    }

    private func purchase(_ purchase: Purchase) -> [UInt8] {
        attribute(1701, Self.element(0x02, [1])) + attribute(1702, Self.text(purchase.product))
            + attribute(1703, Self.text(purchase.id))
            + (purchase.originalID.map { attribute(1705, Self.text($0)) } ?? [])
            + attribute(1708, Self.element(0x16, []))
    }

    private func attribute(_ type: Int, _ value: [UInt8]) -> [UInt8] {
        let number: [UInt8] = type < 128 ? [UInt8(type)] : [UInt8(type >> 8), UInt8(type & 0xFF)]
        return Self.element(
            0x30, Self.element(0x02, number) + Self.element(0x02, [1]) + Self.element(0x04, value))
    }

    private static func date(_ milliseconds: Int64) -> String {
        Date(timeIntervalSince1970: Double(milliseconds / 1_000)).formatted(.iso8601)
    }

    private static func text(_ text: String) -> [UInt8] { element(0x0C, Array(text.utf8)) }

    private static func algorithm(_ identifier: [UInt8]) -> [UInt8] {
        element(0x30, element(0x06, identifier) + element(0x05, []))
    }

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
