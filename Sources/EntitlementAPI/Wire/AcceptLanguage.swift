/// The languages a client wants, best first (RFC 9110 §12.5.4).
struct AcceptLanguage: Equatable {
    /// In lower case, without those of weight 0; `*` is any language.
    let ranges: [String]

    init(_ field: String?) {
        ranges = WeightedList(field).names
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
}
