/// Migrations count from 1, are one statement each, and can be run again.
enum Migrations {
    /// - Parameter files: All of the directory.
    static func findings(in files: [TextFile]) -> [String] {
        let numbered = files.sorted { $0.path < $1.path }.enumerated()
        return numbered.flatMap { position, file -> [String] in
            let name = file.path.split(separator: "/").last.map(String.init) ?? file.path
            let number = String(repeating: "0", count: max(0, 4 - String(position + 1).count)) + String(position + 1)
            var findings: [String] = []
            if !name.hasPrefix(number + "_") { findings.append("\(name): its number is not \(number)") }
            if !isVerbAndObject(name.dropFirst(5)) { findings.append("\(name): is not NNNN_verb_object.sql") }
            return findings + faults(in: file.text).map { "\(name): \($0)" }
        }
    }

    /// The numbers that follow `words` in a text.
    static func numbers(after words: String, in text: String) -> [String] {
        var rest = text[...]
        var numbers: [String] = []
        while let place = rest.firstRange(of: words) {
            rest = rest[place.upperBound...]
            numbers.append(String(rest.prefix { $0.isNumber }))
        }
        return numbers
    }

    private static func isVerbAndObject(_ name: Substring) -> Bool {
        guard name.hasSuffix(".sql") else { return false }
        let parts = name.dropLast(4).split(separator: "_", omittingEmptySubsequences: false)
        return parts.count >= 2 && parts.allSatisfy { !$0.isEmpty && $0.allSatisfy { $0.isLowercase || $0.isNumber } }
    }

    private static func faults(in text: String) -> [String] {
        let lines = text.split(separator: "\n").filter { !$0.hasPrefix("--") }
        let statement = lines.joined(separator: "\n")
        let body = statement.hasSuffix(";") ? statement.dropLast() : statement[...]
        let words = statement.split { !($0.isLetter || $0 == "_") }.map { $0.uppercased() }
        var faults: [String] = []
        if body.contains(";") { faults.append("more than one statement") }
        if !["CREATE", "ALTER", "DROP"].contains(words.first) { faults.append("is no DDL") }
        let says = { (phrase: [String]) in
            (0..<max(0, words.count - phrase.count + 1)).contains { Array(words[$0..<$0 + phrase.count]) == phrase }
        }
        if !says(["IF", "NOT", "EXISTS"]), !says(["IF", "EXISTS"]) { faults.append("cannot be run again") }
        if says(["CREATE", "TABLE"]), !says(["PRIMARY", "KEY"]) { faults.append("a table without a primary key") }
        if says(["CREATE", "TABLE"]), !says(["ENGINE", "INNODB"]) { faults.append("a table that is not InnoDB") }
        return faults
    }
}
