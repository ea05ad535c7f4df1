import FoundationEssentials
package import Entitlements
import SwiftASN1

/// The content of an app receipt (`apple.md` §9.1). Nobody vouches for it before ``ReceiptVerifier`` does.
package struct AppReceipt: Hashable, Sendable {
    package let bundleID: String?
    /// The environment in which its numbers count; nil for Xcode's, and where none is named.
    package let environment: StoreEnvironment?
    /// The creation date in milliseconds since the epoch; nil if none can be read.
    package let createdAt: Int64?
    /// The original transaction ids, the largest first; at most ``LegacyReceipt/maximumPurchases``.
    package let purchases: [String]
    /// The whole receipt.
    let bytes: ArraySlice<UInt8>

    /// Reads a receipt.
    ///
    /// - Parameter content: The set of attributes inside `bytes`.
    /// - Throws: An error for what is no set of attributes.
    init(_ bytes: ArraySlice<UInt8>, content: ArraySlice<UInt8>) throws {
        let attributes = try Attribute.all(in: content)
        self.bytes = bytes
        bundleID = attributes.first(of: .bundleID)?.text
        environment = attributes.first(of: .environment)?.text.flatMap { Self.environments[$0] }
        createdAt = attributes.first(of: .creationDate)?.date
        // A purchase that cannot be read does not spoil the others.
        purchases = LegacyReceipt.distinct(attributes.filter { $0.type == .purchase }.compactMap(\.purchaseID))
    }

    /// The receipt types of the App Store (`apple.md` §9.1). Purchases of companies are `VPP`.
    private static let environments: [String: StoreEnvironment] = [
        "Production": .production, "ProductionVPP": .production,
        "ProductionSandbox": .sandbox, "ProductionVPPSandbox": .sandbox,
    ]
}

/// An attribute of a receipt, or of a purchase in it.
private struct Attribute {
    /// The number of an attribute. Those that are not listed are not read.
    struct Kind: Hashable {
        let number: Int

        static let environment = Kind(number: 0)
        static let bundleID = Kind(number: 2)
        static let creationDate = Kind(number: 12)
        static let purchase = Kind(number: 17)
        static let transactionID = Kind(number: 1703)
        static let originalID = Kind(number: 1705)
    }

    let type: Kind
    let value: ArraySlice<UInt8>

    /// The attributes in a set. What is not of their form is left out.
    ///
    /// - Throws: An error for what is no set.
    static func all(in bytes: ArraySlice<UInt8>) throws -> [Attribute] {
        let set = try LegacyReceipt.parsed(bytes)
        guard set.identifier == .set else { throw LegacyReceipt.Unreadable() }
        return try LegacyReceipt.children(of: set).compactMap { node in
            // `try?` drops what is no attribute.
            guard let parts = try? LegacyReceipt.children(of: node), parts.count == 3,
                let number = try? Int(berEncoded: parts[0]), let value = try? ASN1OctetString(berEncoded: parts[2])
            else { return nil }
            return Attribute(type: Kind(number: number), value: value.bytes)
        }
    }

    /// The value as a text; nil if it is none.
    var text: String? {
        // `try?` drops what is no text.
        guard let node = try? LegacyReceipt.parsed(value), let text = try? ASN1UTF8String(berEncoded: node) else {
            return nil
        }
        return String(text)
    }

    /// The value as an instant (RFC 3339), in milliseconds since the epoch; nil if it is none.
    var date: Int64? {
        // `try?` drops what is no date.
        guard let node = try? LegacyReceipt.parsed(value), let text = try? ASN1IA5String(berEncoded: node),
            let date = try? Date(String(text), strategy: .iso8601)
        else { return nil }
        return Int64((date.timeIntervalSince1970 * 1_000).rounded())
    }

    /// The original transaction id of a purchase, or its transaction id where the receipt leaves the other empty.
    var purchaseID: String? {
        // `try?` drops a purchase that cannot be read.
        guard let attributes = try? Self.all(in: value) else { return nil }
        let ids = [Kind.originalID, .transactionID].map { attributes.first(of: $0)?.text ?? "" }
        return ids.first(where: LegacyReceipt.isUsable)
    }
}

extension [Attribute] {
    fileprivate func first(of type: Attribute.Kind) -> Attribute? { first { $0.type == type } }
}
