import Crypto

/// A weak entity tag (RFC 9110 §8.8). Two answers have the same tag if they differ only in the instant that they name.
struct EntityTag: Equatable {
    /// The text of the header `ETag`, with its `W/`.
    let text: String

    /// The tag with a text that an earlier tag had.
    init(text: String) { self.text = text }

    /// - Parameter substance: The bytes in which two answers must agree to have the same tag.
    init(of substance: some Sequence<UInt8>) {
        var hash = SHA256()
        hash.update(data: Array(substance))
        let digits = Array("0123456789abcdef".utf8)
        var bytes = Array("W/\"".utf8)
        for byte in hash.finalize().prefix(Self.length) {
            bytes.append(digits[Int(byte >> 4)])
            bytes.append(digits[Int(byte & 0x0F)])
        }
        bytes.append(UInt8(ascii: "\""))
        text = String(decoding: bytes, as: UTF8.self)
    }

    /// True if the header `If-None-Match` names this tag: it is `*`, or a list with the tag by weak comparison (RFC
    /// 9110 §13.1.2).
    ///
    /// A malformed field matches nothing, so the full answer is sent.
    func isNamed(in field: String) -> Bool {
        let field = field.utf8
        var rest = field[...].drop(while: Self.isBlank)
        if rest.first == UInt8(ascii: "*") { return rest.dropFirst().allSatisfy(Self.isBlank) }
        let wanted = text.utf8.dropFirst(2)
        var isNamed = false
        while !rest.isEmpty {
            rest = rest.drop { Self.isBlank($0) || $0 == UInt8(ascii: ",") }
            guard !rest.isEmpty else { break }
            if rest.starts(with: "W/".utf8) { rest = rest.dropFirst(2) }
            guard rest.first == UInt8(ascii: "\""), let end = rest.dropFirst().firstIndex(of: UInt8(ascii: "\""))
            else { return false }
            isNamed = isNamed || rest[...end].elementsEqual(wanted)
            rest = rest[rest.index(after: end)...].drop(while: Self.isBlank)
            guard rest.isEmpty || rest.first == UInt8(ascii: ",") else { return false }
        }
        return isNamed
    }

    /// The bytes of the digest in a tag.
    private static let length = 16

    private static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }
}
