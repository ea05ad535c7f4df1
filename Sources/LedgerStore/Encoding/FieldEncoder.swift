import Crypto

/// Joins fields into bytes, so that two different lists of fields never give the same bytes.
struct FieldEncoder {
    private(set) var bytes: [UInt8] = []

    /// SHA-256 of all fields so far.
    var digest: [UInt8] { Array(SHA256.hash(data: bytes)) }

    mutating func append(_ field: some Collection<UInt8>) {
        withUnsafeBytes(of: UInt32(field.count).bigEndian) { bytes.append(contentsOf: $0) }
        bytes.append(contentsOf: field)
    }

    /// Appends a text; nil gives other bytes than an empty text.
    mutating func append(_ text: String?) {
        guard let text else { return absent() }
        append(text.utf8)
    }

    mutating func append(_ number: Int64?) {
        guard let number else { return absent() }
        withUnsafeBytes(of: number.bigEndian) { append($0) }
    }

    mutating func append(_ number: UInt64?) {
        append(number.map { Int64(bitPattern: $0) })
    }

    private mutating func absent() {
        withUnsafeBytes(of: UInt32.max.bigEndian) { bytes.append(contentsOf: $0) }
    }
}
