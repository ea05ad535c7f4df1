/// A comment begins with its noun, not with a word that stands for one, and says one idea a sentence.
enum CommentWords {
    static let longestSentence = 40

    private static let openings = [
        "What", "Those", "Who", "It", "That", "One", "Some", "Of", "The same", "Whether",
    ]

    static func findings(in file: TextFile) -> [String] {
        paragraphs(of: file).flatMap { paragraph in
            let place = "\(file.path):\(paragraph.line)"
            let opening = openings.first { opening in
                guard paragraph.text.hasPrefix(opening) else { return false }
                return paragraph.text.dropFirst(opening.count).first.map { !$0.isLetter } ?? true
            }
            let long = sentenceLengths(paragraph.text).filter { $0 > longestSentence }
            return (opening.map { ["\(place): a comment begins with “\($0)”"] } ?? [])
                + long.map { "\(place): a sentence of \($0) words" }
        }
    }

    /// The paragraphs and list items of all comments that have lines of their own, each with its first line.
    private static func paragraphs(of file: TextFile) -> [(line: Int, text: String)] {
        var paragraphs: [(line: Int, text: String)] = []
        var previous: (line: Int, mark: String)?
        var isSample = false
        for token in SwiftTokens.of(file.text) where token.isFirst && token.kind == .comment {
            let mark = token.text.hasPrefix("///") ? "///" : "//"
            var text = token.text.dropFirst(mark.count).drop { $0 == " " }
            if text.hasPrefix("```") { isSample.toggle() }
            let goesOn = previous.map { $0.line + 1 == token.line && $0.mark == mark } ?? false
            previous = text.isEmpty || text.hasPrefix("```") ? nil : (token.line, mark)
            guard previous != nil, !isSample else { continue }
            let isItem = text.hasPrefix("- ") || text.hasPrefix("* ")
            if isItem { text = content(ofItem: text.dropFirst(2)) }
            if goesOn, !isItem, let last = paragraphs.indices.last {
                paragraphs[last].text += " " + text
            } else {
                paragraphs.append((token.line, String(text)))
            }
        }
        return paragraphs
    }

    /// The text behind a name such as `Returns:` or `Parameter key:`.
    private static func content(ofItem item: Substring) -> Substring {
        guard let colon = item.firstIndex(of: ":"), item[..<colon].split(separator: " ").count <= 2 else { return item }
        return item[colon...].dropFirst().drop { $0 == " " }
    }

    private static func sentenceLengths(_ text: String) -> [Int] {
        var lengths = [0]
        for word in text.split(separator: " ") {
            lengths[lengths.count - 1] += 1
            let end = word.last { !")\"*”".contains($0) }
            if let end, ".?!".contains(end) { lengths.append(0) }
        }
        return lengths
    }
}
