/// The escapes of a JSON string (RFC 8259 §7).
enum JSONEscapes {
    /// The value of a hexadecimal digit; nil for any other character.
    static func hexValue(_ digit: UInt8) -> UInt8? {
        switch digit {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): digit - UInt8(ascii: "A") + 10
        default: nil
        }
    }

    /// The UTF-8 bytes of a string, with its escapes decoded. The scanner has checked that the escapes are well-formed.
    static func unescaped<Raw: Collection<UInt8>>(_ raw: Raw) -> [UInt8] {
        var output: [UInt8] = []
        var rest = raw[...]
        var high: UInt32?
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "\\"), let escape = rest.popFirst() else {
                output.append(byte)
                continue
            }
            guard escape == UInt8(ascii: "u") else {
                output.append(controls[escape] ?? escape)
                continue
            }
            let unit = rest.prefix(4).reduce(UInt32(0)) { $0 << 4 | UInt32(hexValue($1) ?? 0) }
            rest = rest.dropFirst(4)
            if unit & 0xFC00 == 0xD800 {
                high = unit
                continue
            }
            let scalar = high.map { 0x10000 + ($0 & 0x3FF) << 10 + unit & 0x3FF } ?? unit
            high = nil
            output.append(contentsOf: String(Unicode.Scalar(scalar) ?? "\u{FFFD}").utf8)
        }
        return output
    }

    private static let controls: [UInt8: UInt8] = [
        UInt8(ascii: "b"): 0x08, UInt8(ascii: "f"): 0x0C, UInt8(ascii: "n"): 0x0A, UInt8(ascii: "r"): 0x0D,
        UInt8(ascii: "t"): 0x09,
    ]
}
