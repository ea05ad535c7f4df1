/// The values of one mapping of the catalogue by key, and the line of the mapping.
struct CatalogueFields {
    /// The name for error messages of what this YAML mapping describes, such as `a tier`.
    let subject: String
    let line: Int
    private let entries: [String: YAMLNode.Entry]

    init(subject: String, line: Int, entries: [YAMLNode.Entry]) {
        self.subject = subject
        self.line = line
        self.entries = Dictionary(entries.map { ($0.key, $0) }, uniquingKeysWith: { first, _ in first })
    }

    /// The value of `key`; nil if it is missing.
    subscript(key: String) -> YAMLNode? { entries[key]?.value }

    /// True if `key` has a value; `key:` alone has none.
    func has(_ key: String) -> Bool {
        guard let node = self[key] else { return false }
        if case .null = node.content { return false }
        return true
    }

    /// The subject, with the id of the mapping if it has one.
    var subjectWithID: String {
        guard case .text(let id)? = self["id"]?.content else { return subject }
        return "\(subject) (\"\(id)\")"
    }

    /// The line of `key`; if it is missing, the line of the mapping.
    func line(of key: String) -> Int { entries[key]?.line ?? line }
}
