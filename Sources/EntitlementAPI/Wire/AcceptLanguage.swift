/// The languages a client wants, best first (RFC 9110 §12.5.4).
struct AcceptLanguage: Equatable {
    /// In lower case, without those of weight 0; `*` is any language.
    let ranges: [String]

    /// A field that is not of the grammar is read as far as it is.
    init(_ field: String?) {
        let weighted = (field ?? "").split(separator: ",").prefix(Self.maximumRanges).enumerated()
            .compactMap { position, text in Self.range(text).map { (position, $0.0, $0.1) } }
        ranges =
            weighted.filter { $0.2 > 0 }
            .sorted { $0.2 == $1.2 ? $0.0 < $1.0 : $0.2 > $1.2 }
            .map { $0.1 }
    }

    /// The best text that there is.
    ///
    /// Each wanted range is looked up by itself and then without its last subtag, again and again (RFC 4647 §3.4); if
    /// that finds nothing, any text of the same language will do, so that `zh` finds `zh-Hans`. Without any match it is
    /// the English text, else the first by tag.
    func best(of texts: [String: String]) -> (tag: String, text: String)? {
        best(in: Self.ordered(texts.keys)).flatMap { tag in texts[tag].map { (tag, $0) } }
    }

    /// The best of the languages that there are, found in the same way; nil where there is none.
    ///
    /// - Parameter tags: As ``ordered(_:)`` gives them.
    func best(in tags: [String]) -> String? {
        ranges.lazy.compactMap { Self.match($0, in: tags) }.first ?? Self.fallback(in: tags)
    }

    /// The tags in ascending order.
    static func ordered(_ tags: some Sequence<String>) -> [String] {
        tags.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    }

    /// A header asks for more languages than this only to be a nuisance.
    private static let maximumRanges = 32

    private static func match(_ range: String, in tags: [String]) -> String? {
        guard range != "*" else { return fallback(in: tags) }
        var subtags = range.split(separator: "-")
        let language = subtags.first.map(String.init) ?? range
        while !subtags.isEmpty {
            let wanted = subtags.joined(separator: "-")
            if let tag = tags.first(where: { $0.lowercased() == wanted }) { return tag }
            subtags.removeLast()
            // A single letter introduces what has just been cut off (RFC 4647 §3.4).
            if subtags.last?.utf8.count == 1 { subtags.removeLast() }
        }
        return tags.first { $0.lowercased().hasPrefix(language + "-") }
    }

    private static func fallback(in tags: [String]) -> String? {
        tags.first { $0.lowercased() == "en" } ?? tags.first { $0.lowercased().hasPrefix("en-") } ?? tags.first
    }

    private static func range(_ text: Substring) -> (String, Int)? {
        let parts = text.split(separator: ";", omittingEmptySubsequences: false)
        guard let first = parts.first else { return nil }
        let range = trimmed(first).lowercased()
        guard !range.isEmpty, range.utf8.allSatisfy({ $0 < 0x80 && $0 > 0x20 }) else { return nil }
        guard parts.count > 1 else { return (range, 1000) }
        let weight = trimmed(parts[1])
        guard weight.lowercased().hasPrefix("q="), let thousandths = thousandths(weight.dropFirst(2)) else {
            return nil
        }
        return (range, thousandths)
    }

    /// `0.8` is 800; nil unless it is a weight of 0 to 1 with up to three digits.
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
