/// Strict base64: each byte string has exactly one spelling, so no second text can stand for the same bytes.
///
/// The decoder refuses line breaks, blanks, characters of the other alphabet, missing or surplus padding and non-zero
/// trailing bits (RFC 4648 §3.2, §3.5). It looks characters up in a table, because every verification decodes base64.
enum Base64 {
    /// Decodes base64url without padding (RFC 7515 §2).
    ///
    /// - Returns: `nil` if the text is not the canonical spelling.
    static func decodeURL(_ text: UnsafeBufferPointer<UInt8>) -> [UInt8]? {
        guard text.count % 4 != 1 else { return nil }
        return decode(text, urlValues)
    }

    /// Decodes base64 with padding (RFC 4648 §4), as `x5c` has it (RFC 7515 §4.1.6).
    ///
    /// - Returns: `nil` if the text is not the canonical spelling.
    static func decodePadded(_ text: UnsafeBufferPointer<UInt8>) -> [UInt8]? {
        guard text.count % 4 == 0 else { return nil }
        guard !text.isEmpty else { return [] }
        let padding = text[text.count - 1] != pad ? 0 : text[text.count - 2] != pad ? 1 : 2
        return decode(UnsafeBufferPointer(rebasing: text.dropLast(padding)), standardValues)
    }

    private static let pad = UInt8(ascii: "=")

    /// The table's value for a byte that is no base64 character. No valid value has this bit.
    private static let invalid: UInt8 = 0x80

    private static let urlValues = values(of: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_")
    private static let standardValues = values(of: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")

    private static func values(of alphabet: String) -> [UInt8] {
        var values = [UInt8](repeating: invalid, count: 256)
        for (value, character) in alphabet.utf8.enumerated() {
            values[Int(character)] = UInt8(value)
        }
        return values
    }

    private static func decode(_ text: UnsafeBufferPointer<UInt8>, _ table: [UInt8]) -> [UInt8]? {
        let tail = text.count % 4
        let whole = text.count - tail
        let size = whole / 4 * 3 + max(0, tail - 1)
        var isCanonical = true
        let bytes = table.withUnsafeBufferPointer { values in
            [UInt8](unsafeUninitializedCapacity: size) { output, count in
                var seen: UInt8 = 0
                var written = 0
                for read in stride(from: 0, to: whole, by: 4) {
                    let (a, b) = (values[Int(text[read])], values[Int(text[read + 1])])
                    let (c, d) = (values[Int(text[read + 2])], values[Int(text[read + 3])])
                    seen |= a | b | c | d
                    output[written] = a << 2 | b >> 4
                    output[written + 1] = b << 4 | c >> 2
                    output[written + 2] = c << 6 | d
                    written += 3
                }
                if tail > 1 {
                    let (a, b) = (values[Int(text[whole])], values[Int(text[whole + 1])])
                    let c = tail == 3 ? values[Int(text[whole + 2])] : 0
                    seen |= a | b | c
                    output[written] = a << 2 | b >> 4
                    if tail == 3 { output[written + 1] = b << 4 | c >> 2 }
                    isCanonical = tail == 3 ? c & 0b11 == 0 : b & 0b1111 == 0
                }
                isCanonical = isCanonical && seen & invalid == 0
                count = size
            }
        }
        return isCanonical ? bytes : nil
    }
}
