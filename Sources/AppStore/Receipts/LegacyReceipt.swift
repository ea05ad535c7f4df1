import SwiftASN1

/// A receipt of an app that was built before StoreKit 2 (`apple.md` §9.1). It is not verified, so nothing in it counts
/// but the ids: Apple is asked about these, and answers with signed texts.
package enum LegacyReceipt: Hashable, Sendable {
    /// An app receipt: the bundle id that it names, and the original transaction ids in it, the largest first.
    case app(bundleID: String?, purchases: [String])
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
            guard String(decoding: bytes, as: UTF8.self).contains("\"purchase-info\"") else {
                throw EvidenceError(.malformed, "The receipt is of no kind that the App Store makes.")
            }
            self = .transaction
            return
        }
        do {
            let attributes = try Self.attributes(in: Self.content(of: bytes))
            let names = attributes.compactMap { $0.type == Self.bundleType ? Self.text($0.value) : nil }
            // A purchase that cannot be read does not spoil the others.
            let ids = attributes.compactMap { $0.type == Self.purchaseType ? Self.purchase(in: $0.value) : nil }
            self = .app(bundleID: names.first, purchases: Self.distinct(ids))
        } catch {
            throw EvidenceError(.malformed, "The receipt is not PKCS#7 with a receipt of the App Store inside.")
        }
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

    private static func isUsable(_ id: String) -> Bool {
        (1...20).contains(id.utf8.count) && id.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    }

    // MARK: PKCS#7

    private static let bundleType = 2
    private static let purchaseType = 17
    private static let transactionIDType = 1703
    private static let originalIDType = 1705
    private static let signedData: ASN1ObjectIdentifier = [1, 2, 840, 113_549, 1, 7, 2]

    /// An attribute of a receipt, or of a purchase in it.
    private typealias Attribute = (type: Int, value: ArraySlice<UInt8>)

    /// The fault of bytes that are no receipt.
    private struct Unreadable: Error {}

    private static func parsed(_ bytes: ArraySlice<UInt8>) throws -> ASN1Node {
        guard BERBounds.hold(bytes) else { throw Unreadable() }
        return try BER.parse(bytes)
    }

    private static func children(of node: ASN1Node?) throws -> [ASN1Node] {
        guard case .constructed(let nodes)? = node?.content else { throw Unreadable() }
        return Array(nodes)
    }

    /// The signed content of a PKCS#7 `SignedData` (RFC 2315 §9.1). Its signatures are not read.
    private static func content(of bytes: [UInt8]) throws -> ArraySlice<UInt8> {
        let info = try children(of: parsed(bytes[...]))
        guard info.count == 2, try ASN1ObjectIdentifier(berEncoded: info[0]) == signedData else { throw Unreadable() }
        let signed = try children(of: children(of: info[1]).first)
        guard signed.count >= 3 else { throw Unreadable() }
        let inner = try children(of: signed[2])
        guard inner.count == 2, let octets = try children(of: inner[1]).first else { throw Unreadable() }
        return try ASN1OctetString(berEncoded: octets).bytes
    }

    /// The attributes in a set. What is not of their form is left out.
    private static func attributes(in bytes: ArraySlice<UInt8>) throws -> [Attribute] {
        let set = try parsed(bytes)
        guard set.identifier == .set else { throw Unreadable() }
        return try children(of: set).compactMap { node in
            // `try?` drops what is no attribute.
            guard let parts = try? children(of: node), parts.count == 3,
                let type = try? Int(berEncoded: parts[0]), let value = try? ASN1OctetString(berEncoded: parts[2])
            else { return nil }
            return (type, value.bytes)
        }
    }

    /// The original transaction id of a purchase, or its transaction id where the receipt leaves the other empty.
    private static func purchase(in bytes: ArraySlice<UInt8>) -> String? {
        // `try?` drops a purchase that cannot be read.
        guard let attributes = try? attributes(in: bytes) else { return nil }
        let ids = [originalIDType, transactionIDType].map { type in
            attributes.first { $0.type == type }.flatMap { text($0.value) } ?? ""
        }
        return ids.first(where: isUsable)
    }

    private static func text(_ bytes: ArraySlice<UInt8>) -> String? {
        // `try?` drops what is no text.
        guard let node = try? parsed(bytes), let text = try? ASN1UTF8String(berEncoded: node) else { return nil }
        return String(text)
    }
}
