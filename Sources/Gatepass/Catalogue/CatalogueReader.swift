import Entitlements

/// Reads the tree of a catalogue's text, and collects all faults of form with their lines.
///
/// A missing or wrong value becomes nil, and reading goes on. `CatalogueCheck` then checks whether the values fit
/// together.
struct CatalogueReader {
    let fileName: String
    private(set) var faults: [Fault] = []

    init(fileName: String) {
        self.fileName = fileName
    }

    mutating func report(_ line: Int, _ problem: String, _ remedy: String) {
        faults.append(Fault(place: .file(fileName, line: line), problem: problem, remedy: remedy))
    }

    /// The fields of a mapping. Keys other than `known` are faults; nil and a fault if `node` is no mapping.
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

    /// Notes a fault because `key` is missing, or has no value.
    mutating func reportMissing(_ key: String, in fields: CatalogueFields, example: String) {
        report(fields.line(of: key), "\(fields.subjectWithID) has no \(key)", "write \(key): \(example)")
    }

    /// The text of a node. `example` is for the fault's message.
    mutating func text(_ node: YAMLNode, _ subject: String, example: String) -> String? {
        if case .text(let text) = node.content { return text }
        report(node.line, "\(subject) must be a text, not \(node.kindInWords)", "write \(example)")
        return nil
    }

    /// The text under `key`; nil if it is missing.
    mutating func optionalText(_ key: String, in fields: CatalogueFields, example: String) -> String? {
        guard let node = fields[key] else { return nil }
        return text(node, key, example: "\(key): \(example)")
    }

    /// The text under `key`; nil and a fault if it is missing.
    mutating func requiredText(_ key: String, in fields: CatalogueFields, example: String) -> String? {
        if fields.has(key) { return optionalText(key, in: fields, example: example) }
        reportMissing(key, in: fields, example: example)
        return nil
    }

    /// The whole number under `key`; nil if it is missing.
    mutating func integer(_ key: String, in fields: CatalogueFields, atLeast least: Int = .min) -> Int? {
        fields[key].flatMap { integer($0, key, atLeast: least) }
    }

    /// The whole number under `key`; nil and a fault if it is missing.
    mutating func requiredInteger(
        _ key: String, in fields: CatalogueFields, atLeast least: Int = .min, example: Int
    ) -> Int? {
        if fields.has(key) { return integer(key, in: fields, atLeast: least) }
        reportMissing(key, in: fields, example: "\(example)")
        return nil
    }

    /// The whole number of a node. `instead` is what else may stand there, for the fault's remedy.
    mutating func integer(
        _ node: YAMLNode, _ subject: String, atLeast least: Int = .min, instead: String = ""
    ) -> Int? {
        guard case .integer(let value) = node.content else {
            report(
                node.line, "\(subject) must be a whole number, not \(node.kindInWords)",
                "write a number without quotes, point or leading zero\(instead)")
            return nil
        }
        guard value >= least else {
            report(node.line, "\(subject) is \(value)", "write a number from \(least) up")
            return nil
        }
        return value
    }

    /// The boolean under `key`; false if it is missing.
    mutating func flag(_ key: String, in fields: CatalogueFields) -> Bool {
        guard let node = fields[key] else { return false }
        if case .boolean(let value) = node.content { return value }
        report(node.line, "\(key) must be true or false, not \(node.kindInWords)", "write \(key): true")
        return false
    }

    /// The word under `key`, which must be a case of `Choice`; nil if it is missing.
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

    /// The items of the list under `key`; empty if it is missing.
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
