/// A document as citations point into it: its headings, the names in its sections, and the ids of its tables.
struct CitedDocument {
    /// A heading, and the lines up to the next one of its level or above.
    struct Section {
        /// Such as `2.4`; nil for a heading without a number.
        let number: String?
        /// What the heading is called, without its number: all of it, and the part before a colon.
        let titles: Set<String>
        /// What can be named below it: the headings and what is bold.
        let names: Set<String>
    }

    let path: String
    let sections: [Section]
    /// What a heading or the row of a table begins with, such as `T13`.
    let ids: Set<String>
    /// What links name its headings by.
    let anchors: Set<String>

    /// Whether its sections have numbers of their own.
    var isNumbered: Bool { sections.contains { $0.number != nil } }

    func section(_ number: String) -> Section? { sections.first { $0.number == number } }

    func has(name: String, below section: Section?) -> Bool {
        let name = Self.plain(name)
        guard let section else { return sections.contains { $0.titles.contains(name) || $0.names.contains(name) } }
        return section.names.contains(name)
    }

    init(_ file: TextFile) {
        path = file.path
        let lines = file.lines.filter { !$0.isEmpty }.map(String.init)
        let headings = lines.indices.compactMap { line in Self.heading(lines[line]).map { (line, $0) } }
        sections = headings.indices.map { position in
            let (start, heading) = headings[position]
            let end = headings[position...].dropFirst().first { $0.1.level <= heading.level }?.0 ?? lines.endIndex
            let below = lines[(start + 1)..<end]
            let names = below.compactMap(Self.heading).flatMap { $0.titles }
            let bold = Self.boldNames(in: below.joined(separator: " "))
            return Section(number: heading.number, titles: heading.titles, names: heading.titles.union(names + bold))
        }
        ids = Set(lines.compactMap(Self.id))
        anchors = Set(headings.map { Self.anchor(lines[$0.0]) })
    }

    private static func heading(_ line: String) -> (level: Int, number: String?, titles: Set<String>)? {
        let level = line.prefix { $0 == "#" }.count
        guard (1...6).contains(level), line.dropFirst(level).first == " " else { return nil }
        let words = line.dropFirst(level).split(separator: " ")
        let first = words.first.map { $0.last == "." ? $0.dropLast() : $0 } ?? ""
        let isNumber = first.first?.isNumber == true && first.allSatisfy { $0.isNumber || $0 == "." }
        let name = words.dropFirst(isNumber ? 1 : 0).joined(separator: " ")
        let titles = [name] + name.split(separator: ":").prefix(1).map(String.init)
        return (level, isNumber ? String(first) : nil, Set(titles.map(plain)))
    }

    /// As GitHub makes it: the words in lower case with hyphens between them.
    private static func anchor(_ heading: String) -> String {
        let words = heading.drop { $0 == "#" }.dropFirst().lowercased()
        return String(words.filter { $0.isLetter || $0.isNumber || " -_".contains($0) }.map { $0 == " " ? "-" : $0 })
    }

    private static func boldNames(in text: String) -> [String] {
        text.matches(of: /[*][*]([^*]+)[*][*]/).map { plain(String($0.1)) }
    }

    private static func id(_ line: String) -> String? {
        line.firstMatch(of: /^(?:#+|[|])[ *]*([A-Z][0-9]+)\b/).map { String($0.1) }
    }

    /// A name as it is compared: in lower case, without marks of code and without the point behind it.
    private static func plain(_ name: String) -> String {
        let name = name.filter { $0 != "`" }.lowercased().drop { $0 == " " }
        return String(name.reversed().drop { " .:".contains($0) }.reversed())
    }
}
