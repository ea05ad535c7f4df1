/// The values of one mapping of the catalogue by key, and where the mapping begins.
struct CatalogueFields {
    /// The subject of the mapping, for messages: `a tier`.
    let subject: String
    let line: Int
    private let entries: [String: YAMLNode.Entry]

    init(subject: String, line: Int, entries: [YAMLNode.Entry]) {
        self.subject = subject
        self.line = line
        self.entries = Dictionary(entries.map { ($0.key, $0) }, uniquingKeysWith: { first, _ in first })
    }

    /// The value of `key`, or nil when it is left out.
    subscript(key: String) -> YAMLNode? { entries[key]?.value }

    /// The line of `key`, else of the mapping.
    func line(of key: String) -> Int { entries[key]?.line ?? line }
}
