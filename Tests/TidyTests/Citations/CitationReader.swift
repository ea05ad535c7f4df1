/// Follows the citations of one passage, and notes those that lead nowhere.
struct CitationReader {
    /// What a § or an id belongs to.
    private enum Source {
        case document(CitedDocument)
        /// A standard, or a document that is not there.
        case elsewhere
    }

    private(set) var findings: [String] = []
    /// The document that the passage stands in, if it is one.
    private let own: CitedDocument?
    private var source: Source?
    private var section: CitedDocument.Section?
    private var isSameSentence = false

    init(own: CitedDocument?) {
        self.own = own
    }

    mutating func endSentence() {
        isSameSentence = false
    }

    /// - Parameter document: Nil for one that is not there.
    mutating func read(_ document: CitedDocument?, named name: String) {
        (source, section, isSameSentence) = (document.map(Source.document) ?? .elsewhere, nil, true)
        if document == nil { findings.append("there is no \(name)") }
    }

    mutating func readStandard() {
        (source, section, isSameSentence) = (.elsewhere, nil, true)
    }

    mutating func read(section number: String) {
        if let own, source == nil || (!isSameSentence && own.isNumbered) { source = .document(own) }
        switch source {
        case nil:
            findings.append("§\(number) of no document")
        case .elsewhere:
            break
        case .document(let document):
            section = document.section(number)
            if section == nil { findings.append("\(document.path) has no §\(number)") }
        }
    }

    mutating func read(ids: [String]) {
        guard isSameSentence, case .document(let document) = source, !document.ids.isEmpty else { return }
        findings += ids.filter { !document.ids.contains($0) }.map { "\(document.path) has no \($0)" }
    }

    /// A name in italics or in quotation marks that follows at once.
    mutating func read(name: String) {
        guard isSameSentence, case .document(let document) = source else { return }
        if !document.has(name: name, below: section) { findings.append("\(document.path) has no \(name) there") }
    }
}
