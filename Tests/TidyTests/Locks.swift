/// Each statement that locks rows by reading them says which statement writes them. A node of a Galera cluster does not
/// know another node's locks: it finds conflicts only between rows that both write.
enum Locks {
    private static let clauses = ["FOR UPDATE", "LOCK IN SHARE MODE"]
    private static let mark = "Written by: "

    /// - Parameter files: All in which the statements that write may stand.
    static func findings(in file: TextFile, writing files: [TextFile]) -> [String] {
        let lines = file.lines
        let locking = lines.indices.filter { index in
            !lines[index].contains("//") && clauses.contains { lines[index].contains($0) }
        }
        return locking.compactMap { index in
            let comment = comment(before: index, in: lines)
            guard let place = comment.firstRange(of: mark) else {
                return "\(file.path):\(index + 1): does not say by what the rows are written"
            }
            let rest = comment[place.upperBound...]
            if rest.hasPrefix("nothing, because ") { return nil }
            let name = rest.dropFirst().prefix { $0 != "`" }
            guard rest.hasPrefix("`"), files.contains(where: { writes(name, in: $0.text) }) else {
                return "\(file.path):\(index + 1): there is no statement \(name) that writes"
            }
            return nil
        }
    }

    /// The comment of the declaration in which a line stands, as one text.
    private static func comment(before index: Int, in lines: [Substring]) -> String {
        guard let start = lines[...index].lastIndex(where: { $0.contains("static let ") }) else { return "" }
        let comment = lines[..<start].reversed().prefix { $0.drop { $0 == " " }.hasPrefix("///") }.reversed()
        return comment.map { $0.drop { $0 == " " || $0 == "/" } }.joined(separator: " ")
    }

    private static func writes(_ name: Substring, in text: String) -> Bool {
        guard let place = text.firstRange(of: "\"\(name)\",") else { return false }
        let statement = text[place.upperBound...].drop { " \n\"".contains($0) }
        return ["UPDATE", "INSERT", "DELETE"].contains { statement.hasPrefix($0) }
    }
}
