import Crypto
import Entitlements

/// SHA-256 over what a state says, apart from when it was signed.
///
/// Part of a state's identity (`semantics.md` §1), so the encoding never changes: each field as its length and its bytes.
enum ContentDigest {
    static func bytes(of state: VerifiedPurchase) -> [UInt8] {
        var encoder = FieldEncoder()
        encoder.append(state.key)
        encoder.append(state.transactionID.text)
        encoder.append(state.periodID)
        encoder.append(state.productID.text)
        encoder.append(state.type.column)
        encoder.append(state.purchasedAt.milliseconds)
        encoder.append(state.originallyPurchasedAt.milliseconds)
        encoder.append(state.expiresAt?.milliseconds)
        encoder.append(Int64(state.quantity))
        encoder.append(state.isFamilyShared ? 1 : 0)
        encoder.append(state.isUpgraded ? 1 : 0)
        encoder.append(state.revocation?.revokedAt.milliseconds)
        encoder.append(state.revocation?.share.map(Int64.init))
        encoder.append(state.accountToken?.description)
        encoder.append(state.appTransactionID?.text)
        return encoder.digest
    }
}

/// Joins fields so that no two different lists of fields give the same bytes.
struct FieldEncoder {
    private(set) var bytes: [UInt8] = []

    /// SHA-256 of all fields so far.
    var digest: [UInt8] { Array(SHA256.hash(data: bytes)) }

    mutating func append(_ field: [UInt8]) {
        withUnsafeBytes(of: UInt32(field.count).bigEndian) { bytes.append(contentsOf: $0) }
        bytes.append(contentsOf: field)
    }

    /// An absent text differs from an empty one.
    mutating func append(_ text: String?) {
        guard let text else { return absent() }
        append(Array(text.utf8))
    }

    mutating func append(_ number: Int64?) {
        guard let number else { return absent() }
        append(withUnsafeBytes(of: number.bigEndian, Array.init))
    }

    mutating func append(_ key: PurchaseKey) {
        append(key.source.rawValue)
        append(key.app.text)
        append(key.environment.rawValue)
        append(key.externalID.text)
    }

    private mutating func absent() {
        withUnsafeBytes(of: UInt32.max.bigEndian) { bytes.append(contentsOf: $0) }
    }
}
