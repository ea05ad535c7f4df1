import Configuration

/// The values of `config/gatepass.yaml` by dotted key, each with its line.
struct SettingsFile {
    /// A value and the line of its key.
    struct Value {
        let line: Int
        let content: ConfigContent
    }

    let name: String
    private(set) var values: [String: Value] = [:]
    /// The lines of keys without a value: an empty section, or a setting without its value.
    private(set) var emptyKeys: [String: Int] = [:]
    /// Faults of the file's form; whether a key is known is checked elsewhere.
    private(set) var faults: [Fault] = []

    /// Reads the whole file. It collects faults and leaves out the faulty parts.
    init(_ file: SettingsInputs.File) {
        name = file.name
        do throws(Fault) {
            guard let root = try YAMLNode.parse(yaml: file.text, fileName: name) else { return }
            guard case .mapping(let entries) = root.content else {
                throw Fault(
                    place: .file(name, line: root.line),
                    problem: "the file must hold sections of settings, not \(root.kindInWords)",
                    remedy: "write http: {port: 8080}, for example")
            }
            read(entries, under: [])
        } catch {
            faults.append(error)
        }
    }

    private mutating func read(_ entries: [YAMLNode.Entry], under path: [String]) {
        for entry in entries {
            guard !entry.key.isEmpty, !entry.key.utf8.contains(UInt8(ascii: ".")) else {
                report(entry.line, "'\(entry.key)' is not a key", "write sections as mappings: http: {port: 8080}")
                continue
            }
            read(entry, at: path + [entry.key])
        }
    }

    private mutating func read(_ entry: YAMLNode.Entry, at path: [String]) {
        let key = path.joined(separator: ".")
        switch entry.value.content {
        case .null: emptyKeys[key] = entry.line
        case .boolean(let value): values[key] = Value(line: entry.line, content: .bool(value))
        case .integer(let value): values[key] = Value(line: entry.line, content: .int(value))
        case .number(let value): values[key] = Value(line: entry.line, content: .double(Double(value) ?? 0))
        case .text(let value): values[key] = Value(line: entry.line, content: .string(value))
        case .mapping(let entries):
            if entries.isEmpty { emptyKeys[key] = entry.line }
            read(entries, under: path)
        case .list(let items):
            values[key] = Value(line: entry.line, content: .stringArray(texts(of: items, key: key)))
        }
    }

    private mutating func texts(of items: [YAMLNode], key: String) -> [String] {
        var texts: [String] = []
        for item in items {
            if case .text(let text) = item.content {
                texts.append(text)
            } else {
                report(item.line, "\(key) is a list of texts, and this item is \(item.kindInWords)", "put it in quotes")
            }
        }
        return texts
    }

    private mutating func report(_ line: Int, _ problem: String, _ remedy: String) {
        faults.append(Fault(place: .file(name, line: line), problem: problem, remedy: remedy))
    }
}
