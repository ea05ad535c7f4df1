import SwiftASN1

/// A receipt of an app that was built before StoreKit 2 (`apple.md` §9.1), as its sender wrote it. Its ids lead to
/// Apple's signed texts, and only if Apple vouches for it (`semantics.md` §5): ``ReceiptVerifier``, or verifyReceipt.
package enum LegacyReceipt: Hashable, Sendable {
    case app(AppReceipt)
    /// A transaction receipt, as iOS 6 made it.
    case transaction

    /// The most purchases of a receipt that Apple is asked about.
    package static let maximumPurchases = 100

    /// Reads a receipt in base64.
    ///
    /// - Throws: `malformed`.
    package init(_ text: String) throws(EvidenceError) {
        var text = text
        guard let bytes = text.withUTF8(Base64.decodePadded), !bytes.isEmpty else {
            throw EvidenceError(.malformed, "The receipt is not base64.")
        }
        if bytes.first == UInt8(ascii: "{") {
            guard Self.isTransaction(bytes) else {
                throw EvidenceError(.malformed, "The receipt is of no kind that the App Store makes.")
            }
            self = .transaction
            return
        }
        do {
            self = .app(try AppReceipt(bytes[...], content: Self.content(of: bytes[...])))
        } catch {
            throw EvidenceError(.malformed, "The receipt is not PKCS#7 with a receipt of the App Store inside.")
        }
    }

    /// True for the content of a transaction receipt.
    static func isTransaction(_ bytes: some Sequence<UInt8>) -> Bool {
        String(decoding: Array(bytes), as: UTF8.self).contains("\"purchase-info\"")
    }

    /// The text of a receipt as its sender meant it. Forms turn `+` into a space, and encoders break lines.
    package static func repaired(_ text: String) -> String {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.utf8.count)
        for byte in text.utf8 where byte != UInt8(ascii: "\n") && byte != UInt8(ascii: "\r") {
            bytes.append(byte == UInt8(ascii: " ") ? UInt8(ascii: "+") : byte)
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// The first ids of purchases about which Apple can be asked, each once, the largest first: Apple's ids ascend.
    package static func distinct(_ ids: [String]) -> [String] {
        let usable = Set(ids.filter(isUsable))
        return Array(usable.sorted { ($0.utf8.count, $0) > ($1.utf8.count, $1) }.prefix(maximumPurchases))
    }

    static func isUsable(_ id: String) -> Bool {
        (1...20).contains(id.utf8.count) && id.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    }

    // MARK: PKCS#7

    static let signedData: ASN1ObjectIdentifier = [1, 2, 840, 113_549, 1, 7, 2]

    /// The fault of bytes that are no receipt.
    struct Unreadable: Error {}

    /// - Throws: `Unreadable` for more elements than are parsed, or an error of the parser.
    static func parsed(_ bytes: ArraySlice<UInt8>) throws -> ASN1Node {
        guard BERBounds.hold(bytes) else { throw Unreadable() }
        return try BER.parse(bytes)
    }

    /// - Throws: `Unreadable` for an element that holds no others.
    static func children(of node: ASN1Node?) throws -> [ASN1Node] {
        guard case .constructed(let nodes)? = node?.content else { throw Unreadable() }
        return Array(nodes)
    }

    /// The content of a PKCS#7 `SignedData` (RFC 2315 §9.1), whoever signed it.
    private static func content(of bytes: ArraySlice<UInt8>) throws -> ArraySlice<UInt8> {
        let info = try children(of: parsed(bytes))
        guard info.count == 2, try ASN1ObjectIdentifier(berEncoded: info[0]) == signedData else { throw Unreadable() }
        let signed = try children(of: children(of: info[1]).first)
        guard signed.count >= 3 else { throw Unreadable() }
        let inner = try children(of: signed[2])
        guard inner.count == 2, let octets = try children(of: inner[1]).first else { throw Unreadable() }
        return try ASN1OctetString(berEncoded: octets).bytes
    }
}
