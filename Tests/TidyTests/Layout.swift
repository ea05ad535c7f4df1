/// How long lines are, and how full folders.
enum Layout {
    static let longestLine = 120
    static let fullestFolder = 20

    /// The files whose lines are bounded; scripts are not among them.
    static func isBounded(_ path: String) -> Bool {
        [".swift", ".sql", ".h", ".md", ".yaml"].contains { path.hasSuffix($0) } || path == "Makefile"
    }

    /// The lines that are too long, comments too; letters with accents count as one.
    ///
    /// Tables and samples in a document have no place where they could be broken.
    static func longLines(in file: TextFile) -> [String] {
        let isDocument = file.path.hasSuffix(".md")
        var isSample = false
        var found: [String] = []
        for (index, line) in file.lines.enumerated() {
            if isDocument, line.hasPrefix("```") { isSample.toggle() }
            guard line.utf8.count > longestLine, line.count > longestLine,
                !isDocument || !(isSample || line.hasPrefix("|"))
            else { continue }
            found.append("\(file.path):\(index + 1): \(line.count) characters")
        }
        return found
    }

    /// The folders that have too many files of their own.
    static func crowdedFolders(of files: [TextFile]) -> [String] {
        let folders = Dictionary(grouping: files) { $0.path.split(separator: "/").dropLast().joined(separator: "/") }
        return folders.filter { $1.count > fullestFolder }.map { "\($0): \($1.count) files" }.sorted()
    }
}
