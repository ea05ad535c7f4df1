/// What comments and documents cite stands where they say: the document, its section, and the name or id in it.
///
/// A citation is the name of a document, followed by the number of a section behind §, by that and a name in italics,
/// by ids such as T13 or T14–T16, or by a heading in quotation marks. What follows in the same sentence belongs to the
/// document too. A § elsewhere belongs to the last document of the paragraph, or to the one that it stands in.
struct Citations {
    private let documents: [String: CitedDocument]

    /// The pieces of a text that matter here; words are passed over whole, so that no id is found inside of one.
    private let marks =
        #/
        (?<address> https?:[^\x20)>]+ )
        | (?<document> [A-Za-z0-9_][A-Za-z0-9_.\x2F\-]*\.md (?![A-Za-z0-9_]) )
        | (?<standard> (?: RFC | FIPS | TR )\x20?[0-9]+ )
        | §\x20?(?<section> [0-9]+ (?: [.][0-9]+ )* )
        | (?<id> [TFGI][0-9]+ ) (?![A-Za-z0-9_]) (?: – (?<last> [TFGI][0-9]+ ) )?
        | (?<bold> [*][*][^*]+[*][*] )
        | [*](?<name> [^*\x20][^*]* )[*]
        | \x22(?<heading> [^\x22]+ )\x22
        | (?<end> [.;:)\x7C] (?= \x20 | $ ) )
        | (?<word> [A-Za-z0-9_]+ )
        /#

    /// - Parameter files: The repository's; those that end in `.md` can be cited.
    init(into files: [TextFile]) {
        let cited = files.filter { $0.path.hasSuffix(".md") }
        documents = Dictionary(cited.map { ($0.path, CitedDocument($0)) }, uniquingKeysWith: { first, _ in first })
    }

    func findings(in file: TextFile) -> [String] {
        Passage.all(of: file).filter { $0.text.contains(".md") || $0.text.contains("§") }.flatMap { passage in
            findings(in: passage.text, of: file).map { "\(file.path):\(passage.line): \($0)" }
        }
    }

    private func findings(in text: String, of file: TextFile) -> [String] {
        var reader = CitationReader(own: documents[file.path])
        var end = text.startIndex
        for mark in text.matches(of: marks) where mark.output.word == nil {
            let between = text[end..<mark.range.lowerBound].filter { !"` ,".contains($0) }
            let isNext = between.isEmpty || between == "and"
            end = mark.range.upperBound
            if mark.output.end != nil {
                reader.endSentence()
            } else if let name = mark.output.document {
                reader.read(document(String(name), from: file), named: String(name))
            } else if mark.output.standard != nil {
                reader.readStandard()
            } else if let number = mark.output.section {
                reader.read(section: String(number))
            } else if let id = mark.output.id {
                reader.read(ids: Self.ids(from: String(id), to: mark.output.last.map(String.init)))
            } else if let name = mark.output.name ?? mark.output.heading, isNext {
                reader.read(name: String(name))
            }
        }
        return reader.findings
    }

    /// The document of that name under `docs`, at the top, or beside the file that cites it.
    private func document(_ name: String, from file: TextFile) -> CitedDocument? {
        let folder = file.path.split(separator: "/").dropLast().map { $0 + "/" }.joined()
        return documents["docs/" + name] ?? documents[name] ?? documents[folder + name]
    }

    /// Such as T14, T15 and T16 for T14–T16.
    private static func ids(from first: String, to last: String?) -> [String] {
        guard let last, let start = Int(first.dropFirst()), let end = Int(last.dropFirst()), start <= end else {
            return [first]
        }
        return (start...end).map { "\(first.prefix(1))\($0)" }
    }

    // MARK: Links

    /// Links of a document that lead to no file or to no heading.
    func brokenLinks(in file: TextFile, of paths: Set<String>) -> [String] {
        guard file.path.hasSuffix(".md") else { return [] }
        return file.text.matches(of: /\]\((?<path>[^)#: ]*)(?:#(?<anchor>[^) ]*))?\)/).compactMap { link in
            let target = link.path.isEmpty ? file.path : Self.path(String(link.path), from: file)
            guard paths.contains(target) else { return "\(file.path): \(link.path) leads nowhere" }
            guard let anchor = link.anchor, let document = documents[target] else { return nil }
            let isThere = document.anchors.contains(String(anchor))
            return isThere ? nil : "\(file.path): \(target) has no heading #\(anchor)"
        }
    }

    private static func path(_ link: String, from file: TextFile) -> String {
        var parts = file.path.split(separator: "/").dropLast().map(String.init)
        for part in link.split(separator: "/") {
            if part == ".." { parts = parts.dropLast() } else if part != "." { parts.append(String(part)) }
        }
        return parts.joined(separator: "/")
    }
}
