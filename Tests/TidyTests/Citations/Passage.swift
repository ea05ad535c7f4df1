/// Comments, or lines of text, that belong together: a line break may stand inside of a citation.
struct Passage {
    /// All of it on one line.
    private(set) var text: String
    /// The line that it begins on.
    let line: Int
    private var lastLine: Int

    /// The comments of Swift source; of any other file, its paragraphs.
    static func all(of file: TextFile) -> [Passage] {
        let lines: [(text: String, line: Int)]
        if file.path.hasSuffix(".swift") {
            lines = SwiftTokens.of(file.text).filter { $0.kind == .comment }.map { (words(of: $0.text), $0.line) }
        } else {
            lines = file.lines.enumerated().map { (words(of: String($1)), $0 + 1) }
        }
        return lines.filter { !$0.text.isEmpty }.reduce(into: [Passage]()) { passages, next in
            if let last = passages.indices.last, passages[last].lastLine == next.line - 1 {
                passages[last].text += " " + next.text
                passages[last].lastLine = next.line
            } else {
                passages.append(Passage(text: next.text, line: next.line, lastLine: next.line))
            }
        }
    }

    /// A line without what makes it a comment, and without the addresses of links, which have a check of their own.
    private static func words(of line: String) -> String {
        String(line.drop { " \t/#-".contains($0) }.replacing(/\]\([^)]*\)/, with: "]"))
    }
}
