/// The header `Stripe-Signature`, parsed strictly (`stripe.md` §1). It is a list of `name=value` pairs with exactly one
/// time `t` and any number of signatures `v1`, of which the first few count. Other names are ignored.
package struct SignatureHeader: Hashable, Sendable {
    /// The longest header that is parsed, in bytes.
    package static let maximumBytes = 1_024
    /// The most signatures that count. Stripe sends one for each secret in use.
    package static let maximumSignatures = 8

    /// The digits of `t` as they were signed.
    let timestamp: String
    /// The time `t`, in seconds since the Unix epoch.
    let seconds: Int64
    /// The signatures `v1`, 32 bytes each. Malformed ones are left out.
    let signatures: [[UInt8]]

    /// Reads the header's text. Throws `.headerMissing`, `.headerMalformed` and `.signatureMissing`.
    package init(_ text: String?) throws(SignatureRefusal) {
        guard let text else { throw .headerMissing }
        guard text.utf8.count <= Self.maximumBytes else { throw .headerMalformed }
        var times: [Substring.UTF8View] = []
        var signatures: [[UInt8]] = []
        var count = 0
        for pair in text.utf8.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false) {
            let pair = Self.trimmed(pair)
            guard let equals = pair.firstIndex(of: UInt8(ascii: "=")) else { throw .headerMalformed }
            let (name, value) = (pair[..<equals], pair[pair.index(after: equals)...])
            if name.elementsEqual("t".utf8) { times.append(value) }
            guard name.elementsEqual("v1".utf8) else { continue }
            count += 1
            if count <= Self.maximumSignatures, let bytes = Self.bytes(value) { signatures.append(bytes) }
        }
        guard times.count == 1, let time = times.first, (1...12).contains(time.count),
            time.allSatisfy({ UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }), let digits = String(time),
            let seconds = Int64(digits)
        else { throw .headerMalformed }
        guard count > 0 else { throw .signatureMissing }
        timestamp = digits
        self.seconds = seconds
        self.signatures = signatures
    }

    private static func trimmed(_ text: Substring.UTF8View) -> Substring.UTF8View {
        let isBlank = { (byte: UInt8) in byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") }
        guard let first = text.firstIndex(where: { !isBlank($0) }), let last = text.lastIndex(where: { !isBlank($0) })
        else { return text[text.endIndex...] }
        return text[first...last]
    }

    /// The bytes of 64 hexadecimal digits; nil for anything else.
    private static func bytes(_ text: Substring.UTF8View) -> [UInt8]? {
        guard text.count == 64 else { return nil }
        var bytes: [UInt8] = []
        var high: UInt8?
        for digit in text {
            guard let value = value(of: digit) else { return nil }
            if let upper = high {
                bytes.append(upper << 4 | value)
                high = nil
            } else {
                high = value
            }
        }
        return bytes
    }

    private static func value(of digit: UInt8) -> UInt8? {
        switch digit {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): digit - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}
