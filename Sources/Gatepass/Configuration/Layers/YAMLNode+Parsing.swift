import Yams

extension YAMLNode {
    /// Parses `text` as one YAML document; JSON is YAML too. Nil if it contains only comments.
    ///
    /// Throws the first fault of a text that is not well-formed, for example a key that occurs twice in one mapping.
    static func parse(yaml text: String, fileName: String) throws(Fault) -> YAMLNode? {
        // The parser must live until the last node was read, because nodes refer weakly to anchors that the parser
        // holds.
        let parser: Parser
        let root: Node?
        do {
            parser = try Parser(yaml: text)
            root = try parser.singleRoot()
        } catch let error as YamlError {
            throw Fault(error, fileName: fileName)
        } catch {
            throw Fault(
                place: .file(fileName, line: 1), problem: "the text cannot be read as YAML",
                remedy: "save it as UTF-8 text")
        }
        guard let root else { return nil }
        let node = Result { () throws(Fault) in try YAMLNode(root, fileName: fileName) }
        return try withExtendedLifetime(parser) { node }.get()
    }

    /// Converts a node. Throws a fault for an anchor, an alias or a mapping key that is no plain name.
    private init(_ node: Node, fileName: String) throws(Fault) {
        let line = node.mark?.line ?? 1
        // Anchors are refused, because aliases of aliases could make a few lines grow without limit.
        guard node.anchor == nil else {
            throw Fault(
                place: .file(fileName, line: line), problem: "an anchor is not understood here",
                remedy: "write the value itself wherever it is wanted")
        }
        switch node {
        case .scalar(let scalar):
            switch scalar.style {
            case .any, .plain: self = .plain(scalar.string, line: line)
            case .singleQuoted, .doubleQuoted, .literal, .folded:
                self = YAMLNode(line: line, content: .text(scalar.string))
            }
        case .sequence(let sequence):
            var items: [YAMLNode] = []
            for item in sequence { items.append(try YAMLNode(item, fileName: fileName)) }
            self = YAMLNode(line: line, content: .list(items))
        case .mapping(let mapping):
            var entries: [Entry] = []
            for (key, value) in mapping {
                entries.append(try Entry(key: key, value: value, fileName: fileName))
            }
            self = YAMLNode(line: line, content: .mapping(entries))
        case .alias:
            throw Fault(
                place: .file(fileName, line: line), problem: "an alias is not understood here",
                remedy: "write the value itself")
        }
    }
}

extension YAMLNode.Entry {
    /// Converts an entry of a mapping. Throws a fault if its key is no plain name.
    fileprivate init(key: Node, value: Node, fileName: String) throws(Fault) {
        let line = key.mark?.line ?? 1
        guard case .scalar(let name) = key else {
            throw Fault(
                place: .file(fileName, line: line), problem: "a key must be a name", remedy: "write name: value")
        }
        self.init(key: name.string, line: line, value: try YAMLNode(value, fileName: fileName))
    }
}

extension Fault {
    fileprivate init(_ error: YamlError, fileName: String) {
        switch error {
        case .scanner(_, let problem, let mark, _), .parser(_, let problem, let mark, _),
            .composer(_, let problem, let mark, _):
            self.init(
                place: .file(fileName, line: mark.line), problem: "this is not well-formed YAML (\(problem))",
                remedy: "check indentation, quotes and brackets here and on the line above")
        case .duplicatedKeysInMapping(let duplicates, let context):
            let keys = duplicates.map { "'\($0)'" }.joined(separator: ", ")
            self.init(
                place: .file(fileName, line: context.mark.line),
                problem: "the key \(keys) stands more than once in one mapping", remedy: "keep one of them")
        case .reader, .dataCouldNotBeDecoded:
            self.init(
                place: .file(fileName, line: 1), problem: "the text has characters that YAML does not allow",
                remedy: "save it as UTF-8 text without control characters")
        case .no, .memory, .writer, .emitter, .representer:
            self.init(
                place: .file(fileName, line: 1), problem: "the text cannot be read as YAML",
                remedy: "check it with a YAML editor")
        }
    }
}
