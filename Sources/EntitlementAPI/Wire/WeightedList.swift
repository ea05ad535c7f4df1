/// The names in a field such as `Accept-Language` or `Accept-Encoding`, best first (RFC 9110 §12.4.2).
struct WeightedList {
    /// The names in lower case, without those of weight 0.
    let names: [String]

    /// Reads a field. Elements that do not match the grammar are left out.
    init(_ field: String?) {
        let weighted = (field ?? "").split(separator: ",").prefix(Self.maximumNames).enumerated()
            .compactMap { position, text in Self.element(text).map { (position, $0.name, $0.weight) } }
        names =
            weighted.filter { $0.2 > 0 }
            .sorted { $0.2 == $1.2 ? $0.0 < $1.0 : $0.2 > $1.2 }
            .map { $0.1 }
    }

    /// The most elements that are read, because a client may send any number.
    private static let maximumNames = 32

    private static func element(_ text: Substring) -> (name: String, weight: Int)? {
        let parts = text.split(separator: ";", omittingEmptySubsequences: false)
        guard let first = parts.first else { return nil }
        let name = trimmed(first).lowercased()
        guard !name.isEmpty, name.utf8.allSatisfy({ $0 < 0x80 && $0 > 0x20 }) else { return nil }
        guard parts.count > 1 else { return (name, 1000) }
        let weight = trimmed(parts[1])
        guard weight.lowercased().hasPrefix("q="), let thousandths = thousandths(weight.dropFirst(2)) else {
            return nil
        }
        return (name, thousandths)
    }

    /// The weight in thousandths, such as 800 for `0.8`; nil unless `text` is a weight of 0 to 1 with up to three
    /// decimals.
    private static func thousandths(_ text: Substring) -> Int? {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count <= 2, let whole = parts.first, whole == "0" || whole == "1" else { return nil }
        let fraction = parts.count == 2 ? parts[1] : ""
        guard fraction.utf8.count <= 3, fraction.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        let padded = fraction + String(repeating: "0", count: 3 - fraction.utf8.count)
        let value = (whole == "1" ? 1000 : 0) + (Int(padded) ?? 0)
        return value <= 1000 ? value : nil
    }

    private static func trimmed(_ text: Substring) -> String {
        let bytes = text.utf8.drop { $0 == 0x20 || $0 == 0x09 }
        let end = bytes.lastIndex { $0 != 0x20 && $0 != 0x09 }.map { bytes.index(after: $0) } ?? bytes.startIndex
        return String(decoding: bytes[bytes.startIndex..<end], as: UTF8.self)
    }
}
