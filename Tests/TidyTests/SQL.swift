/// No SQL outside of the modules that are for it.
enum SQL {
    static let modules: Set<String> = ["Sources/LedgerStore", "Sources/MariaDB"]

    private static let openings: [[String]] = [
        ["SELECT"], ["INSERT", "INTO"], ["UPDATE"], ["DELETE", "FROM"], ["REPLACE", "INTO"], ["CREATE", "TABLE"],
        ["CREATE", "DATABASE"], ["ALTER", "TABLE"], ["DROP", "TABLE"], ["START", "TRANSACTION"], ["SET", "SESSION"],
    ]

    /// Whether a string's words begin like a statement: in capitals, as ours all are, or in any case before a `FROM`.
    static func isStatement(_ text: String) -> Bool {
        let words = text.split { " \n\t".contains($0) }.prefix(40).map(String.init)
        if openings.contains(where: { $0.count <= words.count && zip($0, words).allSatisfy { $0 == $1 } }) {
            return true
        }
        return words.first?.uppercased() == "SELECT" && words.contains { $0.uppercased() == "FROM" }
    }

    static func findings(in file: TextFile) -> [String] {
        guard !modules.contains(file.module) else { return [] }
        return SwiftTokens.code(of: file.text).filter { $0.kind == .string && isStatement($0.text) }.map {
            "\(file.path):\($0.line): SQL belongs to LedgerStore"
        }
    }
}
