import StrictJSON

/// The form of a text that was sent as evidence, seen without any check. It explains a refusal and decides nothing.
package enum TextForm: Hashable, Sendable {
    /// A compact JWS, whoever signed it; nil for a payload of no kind of Apple's.
    case signed(PayloadKind?)
    /// A legacy receipt in base64.
    case receipt
    /// JSON, such as a decoded payload; nil if it is of no kind of Apple's.
    case decoded(PayloadKind?)
    /// Base64 of a text that is to be sent without it.
    indirect case encoded(TextForm)
    /// A text in quotation marks; nil for one of no other form.
    indirect case quoted(TextForm?)

    /// The most layers of base64 and quotation marks that are taken off.
    private static let maximumLayers = 3
    /// The bytes of a receipt in which its type stands.
    private static let typeBytes = 32

    /// Recognises a text; nil for one of no such form.
    package init?(_ text: String) {
        self.init(Array(text.utf8)[...], layers: Self.maximumLayers)
    }

    private init?(_ bytes: ArraySlice<UInt8>, layers: Int) {
        let text = Self.trimmed(bytes)
        guard layers > 0, let first = text.first, let last = text.last else { return nil }
        if first == last, text.count > 1, [UInt8(ascii: "\""), UInt8(ascii: "'")].contains(first) {
            self = .quoted(TextForm(text.dropFirst().dropLast(), layers: layers - 1))
            return
        }
        if first == UInt8(ascii: "{") {
            guard !LegacyReceipt.isTransaction(text) else { return nil }
            self = .decoded(Self.kind(of: text))
            return
        }
        let segments = text.split(separator: UInt8(ascii: "."), maxSplits: 3, omittingEmptySubsequences: false)
        if segments.count == 3, let header = Self.decoded(segments[0]), header.first == UInt8(ascii: "{") {
            self = .signed(Self.decoded(segments[1]).flatMap { Self.kind(of: $0[...]) })
            return
        }
        guard let inner = Self.decoded(text) else { return nil }
        let isObject = inner.first == UInt8(ascii: "{")
        if Self.isAppReceipt(inner) || isObject && LegacyReceipt.isTransaction(inner) {
            self = .receipt
        } else if isObject || inner.allSatisfy({ $0 < 0x80 }),
            let form = TextForm(inner[...], layers: layers - 1)
        {
            self = .encoded(form)
        } else {
            return nil
        }
    }

    private static func trimmed(_ bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        guard let start = bytes.firstIndex(where: { !isBlank($0) }), let end = bytes.lastIndex(where: { !isBlank($0) })
        else { return [] }
        return bytes[start...end]
    }

    private static func isBlank(_ byte: UInt8) -> Bool { [0x09, 0x0A, 0x0D, 0x20].contains(byte) }

    /// The bytes of base64 in either alphabet, with padding or without, also with line breaks; nil for another text.
    private static func decoded(_ text: ArraySlice<UInt8>) -> [UInt8]? {
        var standard = text.compactMap { (byte) -> UInt8? in
            switch byte {
            case UInt8(ascii: "-"): UInt8(ascii: "+")
            case UInt8(ascii: "_"): UInt8(ascii: "/")
            case UInt8(ascii: "="): nil
            default: isBlank(byte) ? nil : byte
            }
        }
        standard += repeatElement(UInt8(ascii: "="), count: (4 - standard.count % 4) % 4)
        return standard.withUnsafeBufferPointer { Base64.decodePadded($0) }
    }

    /// The kind of a payload, by its members.
    private static func kind(of json: ArraySlice<UInt8>) -> PayloadKind? {
        // `try?` drops the defect: what is no strict JSON is of no kind.
        guard let reader = (try? StrictJSON(Array(json))).flatMap({ PayloadReader($0) }) else { return nil }
        return PayloadKind.allCases.first { $0.matches(reader) }
    }

    /// True for PKCS#7 with signed data, in which app receipts are.
    private static func isAppReceipt(_ bytes: [UInt8]) -> Bool {
        bytes.first == 0x30
            && bytes.prefix(typeBytes).contains([0x06, 0x09, 0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x07, 0x02])
    }
}
