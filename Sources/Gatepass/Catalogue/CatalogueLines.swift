import Entitlements

/// Finds the line of a catalogue's defect in the text.
struct CatalogueLines {
    let root: YAMLNode
    /// The index of each product of the catalogue in the list of the text.
    let productIndices: [Int]

    /// The defect as a fault of the file, with its line.
    func fault(_ defect: CatalogueDefect, in fileName: String) -> Fault {
        let path = pathInText(defect.path)
        let located = CatalogueDefect(at: path, defect.problem, instead: defect.remedy)
        return Fault(
            place: .file(fileName, line: line(of: path)), problem: "\(located.location): \(defect.problem)",
            remedy: defect.remedy)
    }

    /// Converts a path in the catalogue to a path in the text. The indices of products differ, because the catalogue
    /// lacks those that could not be read.
    private func pathInText(_ path: [CatalogueDefect.Step]) -> [CatalogueDefect.Step] {
        guard path.count >= 2, path[0] == .field(.products), case .index(let index) = path[1],
            productIndices.indices.contains(index)
        else { return path }
        return [path[0], .index(productIndices[index])] + path.dropFirst(2)
    }

    /// The line of the deepest part of the path that the text has. If a part is missing, it is the line of the part
    /// that should contain it.
    private func line(of path: [CatalogueDefect.Step]) -> Int {
        var node = root
        var line = root.line
        for step in path {
            switch (step, node.content) {
            case (.field(let field), .mapping(let entries)):
                guard let entry = entries.first(where: { $0.key == field.rawValue }) else { return line }
                (node, line) = (entry.value, entry.line)
            case (.name(let name), .mapping(let entries)):
                guard let entry = entries.first(where: { $0.key == name }) else { return line }
                (node, line) = (entry.value, entry.line)
            case (.index(let index), .list(let items)):
                guard items.indices.contains(index) else { return line }
                (node, line) = (items[index], items[index].line)
            default: return line
            }
        }
        return line
    }
}
