import Entitlements

/// Reads the tree of a catalogue's text, strictly, and notes every fault of form with its line.
///
/// A value that is missing or wrong is noted and read as nil, so that the rest is looked at as well. `CatalogueCheck`
/// judges whether well-formed values fit together.
struct CatalogueReader {
    let fileName: String
    private(set) var faults: [Fault] = []

    init(fileName: String) {
        self.fileName = fileName
    }

    mutating func report(_ line: Int, _ problem: String, _ remedy: String) {
        faults.append(Fault(place: .file(fileName, line: line), problem: problem, remedy: remedy))
    }

    /// The mapping `node` with no keys but `known`; anything else is noted.
    mutating func fields(of node: YAMLNode, _ subject: String, known: [String]) -> CatalogueFields? {
        guard case .mapping(let entries) = node.content else {
            report(
                node.line, "\(subject) must be a mapping, not \(node.kindInWords)",
                "write {\(known.prefix(2).map { "\($0): …" }.joined(separator: ", "))}")
            return nil
        }
        for entry in entries where !known.contains(entry.key) {
            let nearest = NearestName.nearest(to: entry.key, among: known)
            report(
                entry.line, "\(subject) has no key '\(entry.key)'",
                nearest.map { "write \($0) instead" } ?? "write only \(known.joined(separator: ", "))")
        }
        return CatalogueFields(subject: subject, line: node.line, entries: entries)
    }

    /// Notes that `key` is missing.
    mutating func reportMissing(_ key: String, in fields: CatalogueFields, example: String) {
        report(fields.line, "\(fields.subject) has no \(key)", "write \(key): \(example)")
    }

    /// The text of a node; `example` shows the form.
    mutating func text(_ node: YAMLNode, _ subject: String, example: String) -> String? {
        if case .text(let text) = node.content { return text }
        report(node.line, "\(subject) must be a text, not \(node.kindInWords)", "write \(example)")
        return nil
    }

    /// The text under `key`; nil when it is left out.
    mutating func optionalText(_ key: String, in fields: CatalogueFields, example: String) -> String? {
        guard let node = fields[key] else { return nil }
        return text(node, key, example: "\(key): \(example)")
    }

    /// The text under `key`, whose absence is noted.
    mutating func requiredText(_ key: String, in fields: CatalogueFields, example: String) -> String? {
        if fields[key] == nil { reportMissing(key, in: fields, example: example) }
        return optionalText(key, in: fields, example: example)
    }

    /// The whole number under `key`; nil when it is left out.
    mutating func integer(_ key: String, in fields: CatalogueFields, atLeast least: Int = .min) -> Int? {
        fields[key].flatMap { integer($0, key, atLeast: least) }
    }

    /// The whole number under `key`, whose absence is noted.
    mutating func requiredInteger(
        _ key: String, in fields: CatalogueFields, atLeast least: Int = .min, example: Int
    ) -> Int? {
        if fields[key] == nil { reportMissing(key, in: fields, example: "\(example)") }
        return integer(key, in: fields, atLeast: least)
    }

    /// The whole number of a node.
    mutating func integer(_ node: YAMLNode, _ subject: String, atLeast least: Int = .min) -> Int? {
        guard case .integer(let value) = node.content else {
            report(
                node.line, "\(subject) must be a whole number, not \(node.kindInWords)",
                "write a number without quotes, point or leading zero")
            return nil
        }
        guard value >= least else {
            report(node.line, "\(subject) is \(value)", "write a number from \(least) up")
            return nil
        }
        return value
    }

    /// `true` or `false` under `key`; false when it is left out.
    mutating func flag(_ key: String, in fields: CatalogueFields) -> Bool {
        guard let node = fields[key] else { return false }
        if case .boolean(let value) = node.content { return value }
        report(node.line, "\(key) must be true or false, not \(node.kindInWords)", "write \(key): true")
        return false
    }

    /// A word of a closed set under `key`; nil when it is left out.
    mutating func choice<Choice>(_ key: String, in fields: CatalogueFields, of type: Choice.Type) -> Choice?
    where Choice: RawRepresentable<String> & CaseIterable {
        guard let node = fields[key] else { return nil }
        let words = Choice.allCases.map(\.rawValue)
        guard let word = text(node, key, example: words.joined(separator: " or ")) else { return nil }
        guard let choice = Choice(rawValue: word) else {
            report(
                node.line, "\(key) is '\(word)', which is none of \(words.joined(separator: ", "))",
                "write \(NearestName.nearest(to: word, among: words) ?? words.joined(separator: " or "))")
            return nil
        }
        return choice
    }

    /// The items under `key`; none when it is left out.
    mutating func items(_ key: String, in fields: CatalogueFields, example: String) -> [YAMLNode] {
        guard let node = fields[key] else { return [] }
        if case .list(let items) = node.content { return items }
        report(node.line, "\(key) must be a list, not \(node.kindInWords)", "write \(key): [\(example)]")
        return []
    }

    /// The features of a tier or product.
    mutating func features(in fields: CatalogueFields) -> [Feature] {
        items("features", in: fields, example: "premium_servers").compactMap { item in
            text(item, "a feature", example: "features: [premium_servers]").map(Feature.init)
        }
    }
}
