/// The languages that a client wants, best first (`Accept-Language`, RFC 9110 §12.5.4).
package struct AcceptLanguage: Equatable {
    /// The language ranges in lower case, without those of weight 0. `*` stands for any language.
    let ranges: [String]

    package init(_ field: String?) {
        ranges = WeightedList(field).names
    }

    /// The text in the language that the client wants most.
    ///
    /// Each range is looked up whole and then repeatedly without its last subtag (RFC 4647 §3.4). If that finds
    /// nothing, any text of the range's language will do, so `zh` finds `zh-Hans`. If no range matches, the English
    /// text is taken, or else the first by tag.
    func best(of texts: [String: String]) -> (tag: String, text: String)? {
        best(in: Self.ordered(texts.keys)).flatMap { tag in texts[tag].map { (tag, $0) } }
    }

    /// The language among `tags` that the client wants most, by the rules of ``best(of:)``; nil if there are no tags.
    ///
    /// - Parameter tags: The tags in the order of ``ordered(_:)``.
    package func best(in tags: [String]) -> String? {
        ranges.lazy.compactMap { Self.match($0, in: tags) }.first ?? Self.fallback(in: tags)
    }

    /// The tags in ascending order.
    package static func ordered(_ tags: some Sequence<String>) -> [String] {
        tags.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    }

    private static func match(_ range: String, in tags: [String]) -> String? {
        guard range != "*" else { return fallback(in: tags) }
        var subtags = range.split(separator: "-")
        let language = subtags.first.map(String.init) ?? range
        while !subtags.isEmpty {
            let wanted = subtags.joined(separator: "-")
            if let tag = tags.first(where: { $0.lowercased() == wanted }) { return tag }
            subtags.removeLast()
            // A single-letter subtag only introduces the subtag that was just removed (RFC 4647 §3.4).
            if subtags.last?.utf8.count == 1 { subtags.removeLast() }
        }
        return tags.first { $0.lowercased().hasPrefix(language + "-") }
    }

    private static func fallback(in tags: [String]) -> String? {
        tags.first { $0.lowercased() == "en" } ?? tags.first { $0.lowercased().hasPrefix("en-") } ?? tags.first
    }
}
